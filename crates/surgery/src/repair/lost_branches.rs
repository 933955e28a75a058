//! Results of parallel calls on several branches: puts the branch that was left out back into the chain.

use std::collections::BTreeMap;

use annals_json::edit::EditError;
use annals_transcript::loss::losses;
use annals_transcript::record::RecordKind;
use annals_transcript::resume::{Client, leaf, resume};
use annals_transcript::transcript::{NodeIndex, NodeMap};

use super::fix::{LineStep, RepairFindings, RepairView};
use super::position::answered;

pub(super) fn find(view: &RepairView<'_, '_>) -> RepairFindings {
    let mut found = RepairFindings::default();
    let resumed = resume(view.transcript, Client::NEWEST);
    let lost = losses(view.transcript, view.graph, &resumed);
    if lost.is_empty() {
        return found;
    }
    // By parents only: the lost branch is exactly what the client adds from beside the chain.
    let Some(leaf) = leaf(view.transcript, Client::NEWEST) else { return found };
    let chain = view.graph.path_to(leaf);
    let mut is_on_chain = NodeMap::new(view.transcript, false);
    let mut places = NodeMap::new(view.transcript, 0);
    for (place, &index) in chain.iter().enumerate() {
        is_on_chain[index] = true;
        places[index] = place;
    }
    let is_sorted = chain.is_sorted();
    for (top, tip) in branches(view, &lost, &is_on_chain) {
        let Some(fork) = view.graph.parent(top) else { continue };
        let Some(&next) = chain.get(places[fork] + 1) else { continue };
        if !is_parallel(view, fork, top, next) {
            continue;
        }
        let (line, key) = (view.line(top), view.uuid(top));
        let why = format!("lost-branch: lines {line} to {} go into the chain", view.line(tip));
        let goes_on = child_towards(view, top, tip);
        let steps = match goes_on.filter(|_| is_result(view, top) && is_result(view, next)) {
            Some(goes_on) => {
                let rest = chain.get(places[fork] + 2).copied();
                results_first(view, [top, goes_on, tip], next, rest)
            }
            None => {
                // The records of the chain from the fork on that were written before the branch.
                let rest = &chain[places[fork]..];
                let written = match is_sorted {
                    true => rest.partition_point(|&index| index == fork || index < top),
                    false => rest.iter().take_while(|&&index| index == fork || index < top).count(),
                };
                in_between(view, rest, written, (top, tip))
            }
        };
        match steps {
            Some(steps) => found.add(key, line, why, steps),
            None => found.skip(key, line, "left as it is: it is interleaved with the conversation"),
        }
    }
    found
}

/// Both branches start with a result of one response: chains the results first, then the rest of one branch, then of the
/// other.
fn results_first(
    view: &RepairView<'_, '_>,
    [top, goes_on, tip]: [NodeIndex; 3],
    next: NodeIndex,
    rest: Option<NodeIndex>,
) -> Option<Result<Vec<LineStep>, EditError>> {
    let mut steps =
        vec![view.set_parent(next, Some(&view.uuid(top))), view.set_parent(goes_on, Some(&view.uuid(next)))];
    if let Some(rest) = rest {
        steps.push(view.set_parent(rest, Some(&view.uuid(tip))));
    }
    Some(steps.into_iter().collect())
}

/// Inserts the lost branch where it was written: between the two records of the chain around it. `rest` is the chain from
/// the fork on, of which the first `written` are above.
fn in_between(
    view: &RepairView<'_, '_>,
    rest: &[NodeIndex],
    written: usize,
    (top, tip): (NodeIndex, NodeIndex),
) -> Option<Result<Vec<LineStep>, EditError>> {
    let (above, below) = (rest[written.checked_sub(1)?], *rest.get(written)?);
    if below < tip {
        return None;
    }
    let mut steps = vec![view.set_parent(below, Some(&view.uuid(tip)))];
    if Some(&above) != rest.first() {
        steps.push(view.set_parent(top, Some(&view.uuid(above))));
    }
    Some(steps.into_iter().collect())
}

/// The child of `top` that leads to a descendant of it.
fn child_towards(view: &RepairView<'_, '_>, top: NodeIndex, tip: NodeIndex) -> Option<NodeIndex> {
    let mut at = tip;
    // No path is longer than the file, so a cycle ends.
    for _ in 0..view.transcript.nodes().len() {
        match view.graph.parent(at)? {
            parent if parent == top => return Some(at),
            parent => at = parent,
        }
    }
    None
}

fn is_result(view: &RepairView<'_, '_>, index: NodeIndex) -> bool {
    !answered(view, index).is_empty()
}

/// The first and last record of each lost branch.
fn branches(
    view: &RepairView<'_, '_>,
    lost: &[NodeIndex],
    is_on_chain: &NodeMap<bool>,
) -> BTreeMap<NodeIndex, NodeIndex> {
    let mut tips: BTreeMap<NodeIndex, NodeIndex> = BTreeMap::new();
    // The first record of the branch of each that was visited: `Some(None)` if it does not leave the chain.
    let mut tops: NodeMap<Option<Option<NodeIndex>>> = NodeMap::new(view.transcript, None);
    let mut path = Vec::new();
    for &node in lost.iter().filter(|&&node| !is_on_chain[node]) {
        let mut at = node;
        let top = loop {
            if let Some(known) = tops[at] {
                break known;
            }
            tops[at] = Some(None);
            path.push(at);
            match view.graph.parent(at) {
                Some(parent) if is_on_chain[parent] => break Some(at),
                Some(parent) => at = parent,
                None => break None,
            }
        };
        path.drain(..).for_each(|passed| tops[passed] = Some(top));
        if let Some(top) = top {
            let tip = tips.entry(top).or_insert(node);
            *tip = node.max(*tip);
        }
    }
    tips
}

/// Whether tools ran in parallel there; a retried request or a rewind is not a loss.
fn is_parallel(view: &RepairView<'_, '_>, fork: NodeIndex, top: NodeIndex, next: NodeIndex) -> bool {
    let is_call = view.node(fork).kind == RecordKind::Assistant;
    let belongs = |index: NodeIndex| {
        let response = view.node(fork).message;
        is_result(view, index) || (response.is_some() && view.node(index).message == response)
    };
    is_call && belongs(top) && belongs(next)
}
