//! Records before their parents: moves them behind, with their descendants.

use std::collections::{HashMap, HashSet};

use annals_transcript::transcript::{NodeIndex, NodeMap};

use super::fix::{Fix, LineStep, RepairFindings, RepairView};

pub(super) fn find(view: &RepairView<'_, '_>) -> RepairFindings {
    let mut found = RepairFindings::default();
    // A cycle has no order.
    if !view.graph.cycles().is_empty() {
        return found;
    }
    // A record waits if its parent comes later in the file, or waits itself.
    let mut waits: HashMap<NodeIndex, Vec<NodeIndex>> = HashMap::new();
    let mut is_waiting = NodeMap::new(view.transcript, false);
    for index in view.transcript.indices() {
        if let Some(parent) = view.graph.parent(index)
            && (parent > index || is_waiting[parent])
        {
            is_waiting[index] = true;
            waits.entry(parent).or_default().push(index);
        }
        if !is_waiting[index] {
            release(&waits, &mut is_waiting, index);
        }
    }
    let mut tops: Vec<NodeIndex> = waits.keys().copied().collect();
    tops.sort_unstable();
    let moved: HashSet<NodeIndex> = waits.values().flatten().copied().collect();
    for top in tops.into_iter().filter(|top| !moved.contains(top)) {
        let mut steps = Vec::new();
        let mut waiting = vec![top];
        while let Some(parent) = waiting.pop() {
            for &child in waits.get(&parent).into_iter().flatten() {
                steps.push(LineStep::Move { line: view.line(child), after: view.line(parent) });
                waiting.push(child);
            }
        }
        found.fixes.push(Fix {
            key: view.uuid(top),
            line: view.line(top),
            why: format!("forward-reference: moved after its parent, line {}", view.line(top)),
            steps,
        });
    }
    found
}

/// Marks the descendants of a record as written.
fn release(waits: &HashMap<NodeIndex, Vec<NodeIndex>>, is_waiting: &mut NodeMap<bool>, written: NodeIndex) {
    let mut next = vec![written];
    while let Some(index) = next.pop() {
        for &child in waits.get(&index).into_iter().flatten() {
            is_waiting[child] = false;
            next.push(child);
        }
    }
}
