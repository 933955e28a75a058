//! Lines go, and those that pointed at them point at what is left: parents, leaves, snapshots, what a compaction kept.

use std::collections::{BTreeSet, HashMap};

use annals_json::edit::{EditError, Editor, Step};
use annals_json::{Value, write_string};
use annals_transcript::graph::{Graph, Link};
use annals_transcript::transcript::{NodeIndex, Transcript};

use crate::edit::FileEdit;

/// What a reference of a record means, and so what becomes of it when its line goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceKind {
    /// `parentUuid`: the nearest line above that stays.
    Parent,
    /// The same, across a compaction, or of a leaf, an anchor, a snapshot: the nearest line above that stays.
    Above,
    /// The first line of what a compaction kept: the next line below that stays.
    Below,
    /// An item of a list of lines: it goes.
    Item,
    /// The line of a tool's call: its result goes with it, else nothing is named.
    Call,
    /// A line of another session: never changed by an edit, remapped by no table.
    Elsewhere,
}

/// One reference of a record to a line, by its uuid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference<'a> {
    /// Where it stands in the record.
    pub path: Vec<Step<'static>>,
    /// The line.
    pub uuid: String,
    /// What it means.
    pub kind: ReferenceKind,
    /// Its value, as written.
    pub value: Value<'a>,
}

/// The places of references that are a single value.
const SINGLE: [(&[&str], ReferenceKind); 11] = [
    (&["parentUuid"], ReferenceKind::Parent),
    (&["logicalParentUuid"], ReferenceKind::Above),
    (&["leafUuid"], ReferenceKind::Above),
    (&["messageId"], ReferenceKind::Above),
    (&["snapshotMessageId"], ReferenceKind::Above),
    (&["snapshot", "messageId"], ReferenceKind::Above),
    (&["sourceToolAssistantUUID"], ReferenceKind::Call),
    (&["compactMetadata", "preservedSegment", "headUuid"], ReferenceKind::Below),
    (&["compactMetadata", "preservedSegment", "anchorUuid"], ReferenceKind::Above),
    (&["compactMetadata", "preservedSegment", "tailUuid"], ReferenceKind::Above),
    (&["compactMetadata", "preservedMessages", "anchorUuid"], ReferenceKind::Above),
];

/// The places of references that are lists.
const LISTS: [&[&str]; 2] = [
    &["compactMetadata", "preservedMessages", "uuids"],
    &["compactMetadata", "preservedMessages", "allUuids"],
];

/// Every reference of a record to a line of its own session; `record` is the whole object.
pub fn references(record: Value<'_>) -> Vec<Reference<'_>> {
    let at = |path: &[&'static str]| path.iter().try_fold(record, |value, key| value.get(key));
    let mut found = Vec::new();
    for (path, kind) in SINGLE {
        if let Some(value) = at(path)
            && let Some(text) = value.text()
        {
            let path = path.iter().map(|key| Step::Key(key)).collect();
            found.push(Reference { path, uuid: text.to_string(), kind, value });
        }
    }
    for list in LISTS {
        for (place, value) in at(list).into_iter().flat_map(Value::items).enumerate() {
            let Some(text) = value.text() else { continue };
            let mut path: Vec<_> = list.iter().map(|key| Step::Key(key)).collect();
            path.push(Step::Item(place));
            found.push(Reference { path, uuid: text.to_string(), kind: ReferenceKind::Item, value });
        }
    }
    found
}

/// Mends every reference to lines that go. Call it once, after all removals are known; lines that were changed before are
/// mended as they are now.
pub fn relink(
    edit: &mut FileEdit,
    transcript: &Transcript<'_>,
    graph: &Graph<'_>,
    removed: &BTreeSet<NodeIndex>,
) -> Result<(), EditError> {
    if removed.is_empty() {
        return Ok(());
    }
    let gone: HashMap<String, NodeIndex> =
        removed.iter().filter_map(|&node| Some((transcript.nodes()[node].uuid?.to_string(), node))).collect();
    let uuid_of = |node: NodeIndex| transcript.nodes()[node].uuid.map(|id| id.to_string());
    let above = |node: NodeIndex| {
        let parent = |node| graph.parent(node).or_else(|| bridge(transcript, graph, node));
        let mut at = parent(node);
        // No chain is longer than the file.
        for _ in 0..transcript.nodes().len() {
            match at {
                Some(here) if removed.contains(&here) => at = parent(here),
                found => return found.and_then(uuid_of),
            }
        }
        None
    };
    let below = |node: NodeIndex| {
        let mut waiting = vec![node];
        while let Some(here) = waiting.pop() {
            if !removed.contains(&here) {
                return uuid_of(here);
            }
            waiting.extend(graph.children(here).filter(|&child| child > here));
        }
        None
    };
    for node in (0..transcript.nodes().len()).filter(|node| !removed.contains(node)) {
        let line = transcript.nodes()[node].line as usize;
        let original = transcript.fields(node).raw();
        let Some(now) = edit.line_now(line, original).map(<[u8]>::to_vec) else { continue };
        let Ok(value) = Value::parse(&now) else { continue };
        let found = references(value);
        let stale: Vec<_> = found.iter().filter(|reference| gone.contains_key(&reference.uuid)).collect();
        if stale.is_empty() {
            continue;
        }
        let mut editor = Editor::new(&now)?;
        let mut items: Vec<(&[Step<'static>], BTreeSet<usize>)> = Vec::new();
        for reference in &stale {
            let node = gone[&reference.uuid];
            let target = match reference.kind {
                ReferenceKind::Parent | ReferenceKind::Above => above(node),
                ReferenceKind::Below => {
                    let is_tail = |other: &&Reference<'_>| other.path.last() == Some(&Step::Key("tailUuid"));
                    let tail = found.iter().find(is_tail).map(|tail| tail.uuid.as_str());
                    let first = tail.and_then(|tail| first_left(transcript, graph, removed, node, tail));
                    first.and_then(uuid_of).or_else(|| below(node))
                }
                ReferenceKind::Call | ReferenceKind::Elsewhere => None,
                ReferenceKind::Item => {
                    let (last, list) = reference.path.split_last().ok_or(EditError::NoSuchPlace)?;
                    let Step::Item(place) = last else { continue };
                    match items.iter_mut().find(|(path, _)| *path == list) {
                        Some((_, places)) => drop(places.insert(*place)),
                        None => items.push((list, BTreeSet::from([*place]))),
                    }
                    continue;
                }
            };
            let mut json = Vec::new();
            match target {
                Some(uuid) => write_string(&mut json, &uuid),
                None => json.extend_from_slice(b"null"),
            }
            editor.replace(&reference.path, &json)?;
        }
        for (list, places) in items {
            editor.remove_items(list, |place| places.contains(&place))?;
        }
        let mended = editor.finish()?;
        edit.change(line, mended, "it pointed at a line that goes");
    }
    Ok(())
}

/// The first line that stays of a stretch from head to tail: clients walk it from its tail, and a line beside it is none of it.
fn first_left(
    transcript: &Transcript<'_>,
    graph: &Graph<'_>,
    removed: &BTreeSet<NodeIndex>,
    head: NodeIndex,
    tail: &str,
) -> Option<NodeIndex> {
    let tail = transcript.nodes().iter().rposition(|node| node.uuid.is_some_and(|uuid| uuid.is(tail)));
    let up = std::iter::successors(tail, |&node| (node != head).then(|| graph.parent(node)).flatten());
    // No chain is longer than the file.
    let stretch: Vec<_> = up.take(transcript.nodes().len()).collect();
    let first = stretch.iter().rev().find(|node| !removed.contains(node)).copied();
    first.filter(|_| stretch.last() == Some(&head))
}

/// Clients look so many milliseconds back for the line before one whose parent is missing.
const BRIDGED: i64 = 5000;

/// The line from which clients go on where a line's parent is missing: when that line goes, its children must not lose what
/// they would have found through it.
pub(crate) fn bridge(transcript: &Transcript<'_>, graph: &Graph<'_>, node: NodeIndex) -> Option<NodeIndex> {
    let nodes = transcript.nodes();
    let child = &nodes[node];
    if graph.link_of(transcript, node) != Link::Dangling || child.is_sidechain {
        return None;
    }
    let latest = child.millis?;
    let before = nodes[..node].iter().enumerate().filter(|(_, node)| node.is_chain() && !node.is_sidechain);
    let near = before.filter_map(|(index, node)| Some((node.millis?, index)));
    // The newest; the first in the file where several are.
    near.filter(|(millis, _)| (latest - BRIDGED..=latest).contains(millis))
        .max_by_key(|&(millis, index)| (millis, std::cmp::Reverse(index)))
        .map(|(_, index)| index)
}
