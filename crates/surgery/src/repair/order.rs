//! Lines that stand before their parents: they are moved behind them, with what hangs from them.

use std::collections::HashMap;

use annals_transcript::transcript::NodeIndex;

use super::mend::{Found, Mend, Step, View};

pub(super) fn find(view: &View<'_, '_>) -> Found {
    let mut found = Found::default();
    // What goes in a circle has no order.
    if !view.graph.cycles().is_empty() {
        return found;
    }
    // A line that waits for its parent, and what waits for it: its parent is written later in the file.
    let count = view.transcript.nodes().len();
    let mut waits: HashMap<NodeIndex, Vec<NodeIndex>> = HashMap::new();
    let mut is_waiting = vec![false; count];
    for index in 0..count {
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
    let moved: Vec<NodeIndex> = waits.values().flatten().copied().collect();
    for top in tops.into_iter().filter(|top| !moved.contains(top)) {
        let mut steps = Vec::new();
        let mut waiting = vec![top];
        while let Some(parent) = waiting.pop() {
            for &child in waits.get(&parent).into_iter().flatten() {
                steps.push(Step::Move { line: view.line(child), after: view.line(parent) });
                waiting.push(child);
            }
        }
        found.mends.push(Mend {
            key: view.uuid(top),
            line: view.line(top),
            why: format!("forward-reference: it goes behind its parent, line {}", view.line(top)),
            steps,
        });
    }
    found
}

/// What waited for a line that is written now, and what waited for that.
fn release(waits: &HashMap<NodeIndex, Vec<NodeIndex>>, is_waiting: &mut [bool], written: NodeIndex) {
    let mut next = vec![written];
    while let Some(index) = next.pop() {
        for &child in waits.get(&index).into_iter().flatten() {
            is_waiting[child] = false;
            next.push(child);
        }
    }
}
