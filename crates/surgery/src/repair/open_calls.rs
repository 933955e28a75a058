//! Calls without a result: inserts an error result after them.

use std::collections::{BTreeMap, HashMap, HashSet};

use annals_json::ObjectWriter;
use annals_json::edit::EditError;
use annals_transcript::id::ToolUseId;
use annals_transcript::pairing::ToolPairs;
use annals_transcript::resume::{Client, branch};
use annals_transcript::time::format_millis;
use annals_transcript::transcript::{NodeIndex, NodeMap};

use super::duplicates::derived_id;
use super::fix::{LineStep, RepairFindings, RepairView};
use super::position::{answered, calls};

/// The text of the inserted result.
const TEXT: &str = "[no result of this call was recorded]";

/// Fields that the new record copies from the one above.
const SHARED: [&str; 8] =
    ["userType", "entrypoint", "cwd", "sessionId", "version", "gitBranch", "slug", "agentId"];

pub(super) fn find(view: &RepairView<'_, '_>) -> RepairFindings {
    let mut found = RepairFindings::default();
    let mut is_on_a_branch = NodeMap::new(view.transcript, false);
    for &client in Client::ALL {
        branch(view.transcript, view.graph, client)
            .into_iter()
            .for_each(|index| is_on_a_branch[index] = true);
    }
    let pairs = ToolPairs::new(view.transcript);
    let mut open: BTreeMap<NodeIndex, Vec<(NodeIndex, ToolUseId<'_>)>> = BTreeMap::new();
    // Calls on branches that no client resumes do no harm.
    let mut ends = HashMap::new();
    for pair in pairs.unanswered().filter(|pair| is_on_a_branch[pair.call] && view.is_main(pair.call)) {
        let end = end_of_step(view, pair.call, &mut ends);
        open.entry(end).or_default().push((pair.call, pair.id));
    }
    for (above, calls) in open {
        let ids: Vec<_> = calls.iter().map(|(_, id)| id.to_string()).collect();
        let why = format!("unanswered-tool-use: an error result is inserted for {}", ids.join(", "));
        found.add(ids.join(" "), view.line(above), why, answers(view, above, &calls));
    }
    found
}

/// The last record of a response and its results, where the next result belongs. `ends` keeps what was found for the
/// records on the way, so that the calls of one response are not followed one by one.
fn end_of_step(
    view: &RepairView<'_, '_>,
    call: NodeIndex,
    ends: &mut HashMap<NodeIndex, NodeIndex>,
) -> NodeIndex {
    if let Some(&end) = ends.get(&call) {
        return end;
    }
    let response = view.node(call).message;
    let mut ids: HashSet<_> = calls(view, call).into_iter().collect();
    let mut path = vec![call];
    let mut at = call;
    loop {
        let is_same = |child: NodeIndex| response.is_some() && view.node(child).message == response;
        let belongs = |&child: &NodeIndex| {
            let answers = || answered(view, child).iter().any(|id| ids.contains(id));
            child > at && view.is_main(child) && (is_same(child) || answers())
        };
        let Some(next) = view.graph.children(at).filter(belongs).last() else { break };
        ids.extend(calls(view, next));
        path.extend(Some(next).filter(|&next| is_same(next)));
        at = next;
    }
    ends.extend(path.into_iter().map(|passed| (passed, at)));
    at
}

/// The new records in a chain; children of the record above become children of the last one.
fn answers(
    view: &RepairView<'_, '_>,
    above: NodeIndex,
    calls: &[(NodeIndex, ToolUseId<'_>)],
) -> Result<Vec<LineStep>, EditError> {
    let mut steps = Vec::new();
    let mut parent = view.uuid(above);
    let children: Vec<_> =
        view.graph.children(above).filter(|&child| child > above && !view.node(child).is_sidechain).collect();
    let line = view.line(above);
    for (count, (call, id)) in calls.iter().enumerate() {
        let uuid = derived_id(&view.uuid(*call), count);
        // At the end of the conversation it must be the newest record, or the oldest client would not see it.
        let later = if children.is_empty() { 1 + count as i64 } else { 0 };
        let bytes = answer(view, above, (*call, *id), (&uuid, &parent), later);
        steps.push(LineStep::Insert { after: line, bytes });
        parent = uuid;
    }
    for child in children {
        steps.push(view.set_parent(child, Some(&parent))?);
    }
    Ok(steps)
}

fn answer(
    view: &RepairView<'_, '_>,
    above: NodeIndex,
    (call, id): (NodeIndex, ToolUseId<'_>),
    (uuid, parent): (&str, &str),
    later: i64,
) -> Vec<u8> {
    let fields = view.transcript.fields(above);
    let mut bytes = Vec::new();
    let mut line = ObjectWriter::begin(&mut bytes);
    line.string("parentUuid", parent).boolean("isSidechain", false);
    for key in SHARED {
        if let Some(value) = fields.get(key) {
            line.raw(key, value.raw());
        }
    }
    line.string("type", "user").object("message", |message| {
        message.string("role", "user").array("content", |content| {
            content.object(|block| {
                block.string("type", "tool_result").string("content", TEXT).boolean("is_error", true);
                block.string("tool_use_id", &id.decode());
            });
        });
    });
    line.string("uuid", uuid);
    match view.node(above).millis {
        Some(millis) => drop(line.string("timestamp", &format_millis(millis + later))),
        None => {
            if let Some(time) = fields.get("timestamp") {
                line.raw("timestamp", time.raw());
            }
        }
    }
    line.string("sourceToolAssistantUUID", &view.uuid(call));
    line.end();
    bytes
}
