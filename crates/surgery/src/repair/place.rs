//! Where a line belongs whose parent is not known: by its tool call, its response, its time, its place in the file.

use std::collections::HashSet;

use annals_transcript::content::Block;
use annals_transcript::id::ToolUseId;
use annals_transcript::record::{Record, RecordKind};
use annals_transcript::transcript::NodeIndex;

use super::mend::View;

/// How far back in time clients look for a line that stands in for a missing parent.
const NEAR_MILLIS: i64 = 5_000;

/// Where a line belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Behind this line.
    Behind(NodeIndex, Evidence),
    /// Nothing stands before it.
    First,
    /// Time and file disagree about it.
    Ambiguous,
}

/// What says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Evidence {
    /// It answers a call there.
    ToolId,
    /// It is a part of the same response.
    Response,
    /// The line is the nearest within five seconds, where newer clients look.
    Near,
    /// The line is the one before it, in time and in the file.
    Time,
}

impl Evidence {
    /// The reason in words.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::ToolId => "it answers a call there",
            Self::Response => "it is part of the same response",
            Self::Near => "the nearest line in time",
            Self::Time => "the line before it",
        }
    }
}

/// Looks for the place of a line. A line that hangs from it is never its place.
pub(super) fn place(view: &View<'_, '_>, node: NodeIndex) -> Place {
    let below = below(view, node);
    let is_free = |index: NodeIndex| view.can_be_named(index) && !below.contains(&index);
    let before = (0..node).rev().find(|&index| is_free(index));
    if let Some(group) = Group::of(view, node) {
        let evidence = if group.is_result { Evidence::ToolId } else { Evidence::Response };
        // One behind the other, as far as the file goes: every client follows a chain.
        if let Some(index) = before.filter(|&index| group.has(view, index)) {
            return Place::Behind(index, evidence);
        }
        if let Some(&index) = group.lines.iter().rev().find(|&&index| is_free(index)) {
            return Place::Behind(index, evidence);
        }
    }
    let Some(millis) = view.node(node).millis else {
        return before.map_or(Place::First, |index| Place::Behind(index, Evidence::Time));
    };
    let mut newest: Option<(i64, NodeIndex)> = None;
    for index in (0..view.transcript.nodes().len()).filter(|&index| index != node && is_free(index)) {
        if let Some(time) = view.node(index).millis.filter(|&time| time <= millis)
            && newest.is_none_or(|(best, _)| time > best)
        {
            newest = Some((time, index));
        }
    }
    match (newest, before) {
        (Some((time, index)), _) if millis - time <= NEAR_MILLIS => {
            Place::Behind(end_of_branch(view, index, node, &is_free), Evidence::Near)
        }
        (Some((time, _)), Some(before)) if view.node(before).millis.is_none_or(|at| at == time) => {
            Place::Behind(before, Evidence::Time)
        }
        (None, None) => Place::First,
        _ => Place::Ambiguous,
    }
}

/// Where a branch goes on from a line up to another in the file. Clients stamp some lines with the time at which they began to
/// make them, so that the newest line is not always the last of its branch.
fn end_of_branch(
    view: &View<'_, '_>,
    from: NodeIndex,
    up_to: NodeIndex,
    is_free: &dyn Fn(NodeIndex) -> bool,
) -> NodeIndex {
    let mut end = from;
    // Each step goes on in the file, so that a circle ends the walk.
    while let Some(next) =
        view.graph.children(end).filter(|&child| end < child && child < up_to && is_free(child)).last()
    {
        end = next;
    }
    end
}

/// A line and everything that hangs from it.
fn below(view: &View<'_, '_>, node: NodeIndex) -> HashSet<NodeIndex> {
    let mut below = HashSet::from([node]);
    let mut waiting = vec![node];
    while let Some(index) = waiting.pop() {
        waiting.extend(view.graph.children(index).filter(|&child| below.insert(child)));
    }
    below
}

/// A response and its calls, as far as a line belongs to one.
struct Group<'a> {
    lines: Vec<NodeIndex>,
    calls: HashSet<ToolUseId<'a>>,
    is_result: bool,
}

impl<'a> Group<'a> {
    fn of(view: &View<'_, 'a>, node: NodeIndex) -> Option<Self> {
        let answered = answered(view, node);
        let nodes = view.transcript.nodes();
        let assistants = || (0..nodes.len()).filter(|&index| nodes[index].kind == RecordKind::Assistant);
        let (message, of_call) = match nodes[node].kind {
            RecordKind::Assistant => (nodes[node].message?, None),
            _ => {
                let first = *answered.first()?;
                let call = assistants().rev().find(|&index| calls(view, index).contains(&first))?;
                match nodes[call].message {
                    Some(message) => (message, Some(call)),
                    None => {
                        let calls = calls(view, call).into_iter().collect();
                        return Some(Self { lines: vec![call], calls, is_result: true });
                    }
                }
            }
        };
        let mut lines: Vec<_> = assistants()
            .filter(|&index| index != node && nodes[index].message == Some(message))
            .filter(|&index| of_call.is_some() || index < node)
            .collect();
        let calls = lines.iter().flat_map(|&index| calls(view, index)).collect();
        // A result hangs from its call, where it cannot stand behind the whole response.
        if let Some(call) = of_call {
            lines.retain(|&index| index != call);
            lines.push(call);
        }
        (!lines.is_empty()).then_some(Self { lines, calls, is_result: of_call.is_some() })
    }

    fn has(&self, view: &View<'_, 'a>, index: NodeIndex) -> bool {
        self.lines.contains(&index) || answered(view, index).iter().any(|id| self.calls.contains(id))
    }
}

/// The calls that a line answers.
pub(super) fn answered<'a>(view: &View<'_, 'a>, index: NodeIndex) -> Vec<ToolUseId<'a>> {
    let Record::User(user) = view.transcript.record(index) else { return Vec::new() };
    let of_block = |block: Block<'a>| match block {
        Block::ToolResult(result) => result.tool_use(),
        _ => None,
    };
    user.content().blocks().filter_map(of_block).collect()
}

/// The calls that stand on a line.
pub(super) fn calls<'a>(view: &View<'_, 'a>, index: NodeIndex) -> Vec<ToolUseId<'a>> {
    let Record::Assistant(assistant) = view.transcript.record(index) else { return Vec::new() };
    let of_block = |block: Block<'a>| match block {
        Block::ToolUse(call) => call.id(),
        _ => None,
    };
    assistant.content().blocks().filter_map(of_block).collect()
}
