//! Updates references to removed records: parents, leaves, snapshots, preserved messages.

use std::collections::{BTreeSet, HashMap};

use annals_json::edit::{EditError, Editor, PathStep};
use annals_json::{Value, write_string};
use annals_transcript::graph::{Graph, Link};
use annals_transcript::transcript::{NodeIndex, Transcript};

use crate::edit::FileEdit;

/// What a reference means, and so where it points when its record is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceKind {
    /// `parentUuid`: the nearest remaining ancestor.
    Parent,
    /// The same for other upward references: across a compaction, of a leaf, an anchor or a snapshot.
    Above,
    /// The first preserved message of a compaction: the next remaining descendant.
    Below,
    /// An item of a list of records: it is removed.
    Item,
    /// The record of a tool call: its result is removed with it, else the reference becomes `null`.
    Call,
    /// A record of another session: never changed.
    Elsewhere,
}

/// A reference of a record to another, by uuid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference<'a> {
    /// The path of the field in the record.
    pub path: Vec<PathStep<'static>>,
    /// The uuid of the other record.
    pub uuid: String,
    /// What the reference means.
    pub kind: ReferenceKind,
    /// Its value, as written.
    pub value: Value<'a>,
}

/// Fields that hold a single reference.
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

/// Fields that hold a list of references.
const LISTS: [&[&str]; 2] = [
    &["compactMetadata", "preservedMessages", "uuids"],
    &["compactMetadata", "preservedMessages", "allUuids"],
];

/// All references of a record to records of its session.
pub fn references(record: Value<'_>) -> Vec<Reference<'_>> {
    let at = |path: &[&'static str]| path.iter().try_fold(record, |value, key| value.get(key));
    let mut found = Vec::new();
    for (path, kind) in SINGLE {
        if let Some(value) = at(path)
            && let Some(text) = value.text()
        {
            let path = path.iter().map(|key| PathStep::Key(key)).collect();
            found.push(Reference { path, uuid: text.to_string(), kind, value });
        }
    }
    for list in LISTS {
        for (place, value) in at(list).into_iter().flat_map(Value::items).enumerate() {
            let Some(text) = value.text() else { continue };
            let mut path: Vec<_> = list.iter().map(|key| PathStep::Key(key)).collect();
            path.push(PathStep::Item(place));
            found.push(Reference { path, uuid: text.to_string(), kind: ReferenceKind::Item, value });
        }
    }
    found
}

/// Updates every reference to removed records. Must be called once, after all removals are known; earlier edits of lines
/// are kept.
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
        removed.iter().filter_map(|&node| Some((transcript.node(node).uuid?.to_string(), node))).collect();
    let uuid_of = |node: NodeIndex| transcript.node(node).uuid.map(|id| id.to_string());
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
    for node in transcript.indices().filter(|node| !removed.contains(node)) {
        let line = transcript.node(node).line as usize;
        let original = transcript.fields(node).raw();
        let Some(now) = edit.line_now(line, original).map(<[u8]>::to_vec) else { continue };
        let Ok(value) = Value::parse(&now) else { continue };
        let found = references(value);
        let stale: Vec<_> = found.iter().filter(|reference| gone.contains_key(&reference.uuid)).collect();
        if stale.is_empty() {
            continue;
        }
        let mut editor = Editor::new(&now)?;
        let mut items: Vec<(&[PathStep<'static>], BTreeSet<usize>)> = Vec::new();
        for reference in &stale {
            let node = gone[&reference.uuid];
            let target = match reference.kind {
                ReferenceKind::Parent | ReferenceKind::Above => above(node),
                ReferenceKind::Below => {
                    let is_tail =
                        |other: &&Reference<'_>| other.path.last() == Some(&PathStep::Key("tailUuid"));
                    let tail = found.iter().find(is_tail).map(|tail| tail.uuid.as_str());
                    let first = tail.and_then(|tail| first_left(transcript, graph, removed, node, tail));
                    first.and_then(uuid_of).or_else(|| below(node))
                }
                ReferenceKind::Call | ReferenceKind::Elsewhere => None,
                ReferenceKind::Item => {
                    let (last, list) = reference.path.split_last().ok_or(EditError::PathNotFound)?;
                    let PathStep::Item(place) = last else { continue };
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
        let relinked = editor.finish()?;
        edit.change(line, relinked, "it referred to a removed line");
    }
    Ok(())
}

/// The first remaining record of a preserved segment: clients walk it from its tail, and other records do not belong to it.
fn first_left(
    transcript: &Transcript<'_>,
    graph: &Graph<'_>,
    removed: &BTreeSet<NodeIndex>,
    head: NodeIndex,
    tail: &str,
) -> Option<NodeIndex> {
    let tail = transcript.rposition(|node| node.uuid.is_some_and(|uuid| uuid.is(tail)));
    let up = std::iter::successors(tail, |&node| (node != head).then(|| graph.parent(node)).flatten());
    // No chain is longer than the file.
    let stretch: Vec<_> = up.take(transcript.nodes().len()).collect();
    let first = stretch.iter().rev().find(|node| !removed.contains(node)).copied();
    first.filter(|_| stretch.last() == Some(&head))
}

/// How far back clients look for a record to continue from if a parent is missing, in milliseconds.
const BRIDGE_MILLIS: i64 = 5000;

/// The record from which clients continue if a parent is missing: when a record is removed, its children must not lose what
/// they would have reached through it.
pub(crate) fn bridge(transcript: &Transcript<'_>, graph: &Graph<'_>, node: NodeIndex) -> Option<NodeIndex> {
    let nodes = transcript.nodes();
    let child = &nodes[node];
    if graph.link_of(transcript, node) != Link::Dangling || child.is_sidechain {
        return None;
    }
    let latest = child.millis?;
    let before = transcript.indexed_nodes().take(node.get());
    let before = before.filter(|(_, node)| node.is_chain() && !node.is_sidechain);
    let near = before.filter_map(|(index, node)| Some((node.millis?, index)));
    // The newest; of several, the first in the file.
    near.filter(|(millis, _)| (latest - BRIDGE_MILLIS..=latest).contains(millis))
        .max_by_key(|&(millis, index)| (millis, std::cmp::Reverse(index)))
        .map(|(_, index)| index)
}
