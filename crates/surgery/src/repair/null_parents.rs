//! A record without a parent in the middle of a conversation hides what came before it: finds its parent.

use std::collections::HashMap;

use annals_transcript::graph::interleaved_prompts;
use annals_transcript::loss::losses;
use annals_transcript::record::{Record, RecordKind, SystemKind};
use annals_transcript::resume::{Client, branch, resume};
use annals_transcript::transcript::{NodeIndex, NodeMap, Parent};
use annals_transcript::turn::{Speaker, prompt_text};

use super::fix::{RepairFindings, RepairView};
use super::position::{Position, PositionIndex};

pub(super) fn find(view: &RepairView<'_, '_>) -> RepairFindings {
    let mut found = RepairFindings::default();
    let Some(first) = branch(view.transcript, view.graph, Client::NEWEST).first().copied() else {
        return found;
    };
    let mut top = above_progress(view, first);
    if !view.is_main(first) || !starts_conversation(view, top) {
        return found;
    }
    if interleaved_prompts(view.transcript, view.graph).is_some() {
        let why =
            "left as it is: two conversations were written at the same time, and neither follows the other";
        found.skip(view.uuid(top), view.line(top), why);
        return found;
    }
    let restarts = Restarts::new(view);
    if restarts.has(view, top) {
        let why = "left as it is: the user started over with the same prompt";
        found.skip(view.uuid(top), view.line(top), why);
        return found;
    }
    let resumed = resume(view.transcript, Client::NEWEST);
    let lost = losses(view.transcript, view.graph, &resumed);
    let mut lost = lost.into_iter().peekable();
    if lost.peek().is_none() {
        return found;
    }
    let mut positions = PositionIndex::new(view);
    let mut is_found = NodeMap::new(view.transcript, false);
    // The history before a cut may have another cut.
    while starts_conversation(view, top) {
        while lost.next_if(|&lost| is_found[lost]).is_some() {}
        if lost.peek().is_none_or(|&lost| lost > top) {
            break;
        }
        let (line, key) = (view.line(top), view.uuid(top));
        if restarts.has(view, top) {
            break;
        }
        match positions.position_of(top) {
            Position::After(parent, evidence) => {
                let why = format!("null-parent: it follows line {}: {}", view.line(parent), evidence.text());
                let step = view.set_parent(top, Some(&view.uuid(parent)));
                found.add(key, line, why, step.map(|step| vec![step]));
                positions.attach(top, parent);
                top = climb(view, parent, &mut is_found);
            }
            Position::First => break,
            Position::Ambiguous => {
                found.skip(key, line, "left as it is: time and position in the file disagree");
                break;
            }
        }
    }
    let lost: Vec<NodeIndex> = lost.filter(|&lost| !is_found[lost]).collect();
    find_beside(view, &lost, &mut positions, &mut is_found, &mut found);
    found
}

/// Attaches what was cut off beside the branch that a client continues, such as the result of a parallel call. A prompt
/// without a parent is left: the user may have started over.
fn find_beside(
    view: &RepairView<'_, '_>,
    lost: &[NodeIndex],
    positions: &mut PositionIndex<'_, '_>,
    is_found: &mut NodeMap<bool>,
    found: &mut RepairFindings,
) {
    for &lost in lost {
        if is_found[lost] {
            continue;
        }
        let top = climb(view, lost, is_found);
        if !view.is_main(top) || !starts_conversation(view, top) || prompt(view, top).is_some() {
            continue;
        }
        if let Position::After(parent, evidence) = positions.position_of(top) {
            let why = format!("null-parent: it follows line {}: {}", view.line(parent), evidence.text());
            let step = view.set_parent(top, Some(&view.uuid(parent)));
            found.add(view.uuid(top), view.line(top), why, step.map(|step| vec![step]));
            positions.attach(top, parent);
        }
    }
}

/// Whether a conversation starts with a record, other than after a compaction.
fn starts_conversation(view: &RepairView<'_, '_>, index: NodeIndex) -> bool {
    let node = view.node(index);
    let by_compaction = node.is_compact_summary || node.system == Some(SystemKind::CompactBoundary);
    matches!(node.parent, Parent::Null | Parent::Absent) && !by_compaction
}

/// Marks a record and its ancestors; returns the topmost.
fn climb(view: &RepairView<'_, '_>, from: NodeIndex, is_found: &mut NodeMap<bool>) -> NodeIndex {
    let mut top = from;
    is_found[top] = true;
    while let Some(parent) = view.graph.parent(top)
        && !std::mem::replace(&mut is_found[parent], true)
    {
        top = parent;
    }
    top
}

/// The topmost progress record above a record, which clients skip; else the record itself.
fn above_progress(view: &RepairView<'_, '_>, from: NodeIndex) -> NodeIndex {
    let mut top = from;
    // The parent must come first in the file, so that a cycle ends the loop.
    while let Some(parent) = view.graph.parent(top).filter(|&parent| parent < top)
        && view.node(parent).kind == RecordKind::Progress
    {
        top = parent;
    }
    top
}

/// The prompts that open a conversation which went on, each with the first record that has it.
struct Restarts(HashMap<String, NodeIndex>);

impl Restarts {
    fn new(view: &RepairView<'_, '_>) -> Self {
        let mut first = HashMap::new();
        let is_root = |&index: &NodeIndex| view.is_main(index) && view.node(index).parent.id().is_none();
        // A prompt that nothing follows lost its children, as all others may have.
        let goes_on = |index: &NodeIndex| !view.graph.is_leaf(*index);
        for index in view.transcript.indices().filter(is_root).filter(goes_on) {
            if let Some(prompt) = prompt(view, index) {
                first.entry(prompt).or_insert(index);
            }
        }
        Self(first)
    }

    /// Whether an earlier record without a parent has the same prompt: then the user went back to the start.
    fn has(&self, view: &RepairView<'_, '_>, index: NodeIndex) -> bool {
        prompt(view, index).is_some_and(|prompt| self.0.get(&prompt).is_some_and(|&first| first < index))
    }
}

fn prompt(view: &RepairView<'_, '_>, index: NodeIndex) -> Option<String> {
    match view.transcript.record(index) {
        Record::User(user) if Speaker::of(&user).opens_turn() => Some(prompt_text(&user)),
        _ => None,
    }
}
