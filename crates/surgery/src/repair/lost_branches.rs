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
    chain.iter().for_each(|&index| is_on_chain[index] = true);
    for (top, tip) in branches(view, &lost, &is_on_chain) {
        let Some(fork) = view.graph.parent(top) else { continue };
        let Some(next) = view.graph.children(fork).find(|&child| is_on_chain[child]) else { continue };
        if !is_parallel(view, fork, top, next) {
            continue;
        }
        let (line, key) = (view.line(top), view.uuid(top));
        let why = format!("lost-branch: lines {line} to {} go into the chain", view.line(tip));
        let goes_on =
            view.graph.path_to(tip).into_iter().find(|&index| view.graph.parent(index) == Some(top));
        let steps = match goes_on.filter(|_| is_result(view, top) && is_result(view, next)) {
            Some(goes_on) => results_first(view, [top, goes_on, tip], next, &is_on_chain),
            None => in_between(view, &chain, fork, (top, tip)),
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
    is_on_chain: &NodeMap<bool>,
) -> Option<Result<Vec<LineStep>, EditError>> {
    let mut steps =
        vec![view.set_parent(next, Some(&view.uuid(top))), view.set_parent(goes_on, Some(&view.uuid(next)))];
    if let Some(rest) = view.graph.children(next).find(|&child| is_on_chain[child]) {
        steps.push(view.set_parent(rest, Some(&view.uuid(tip))));
    }
    Some(steps.into_iter().collect())
}

/// Inserts the lost branch where it was written: between the two records of the chain around it.
fn in_between(
    view: &RepairView<'_, '_>,
    chain: &[NodeIndex],
    fork: NodeIndex,
    (top, tip): (NodeIndex, NodeIndex),
) -> Option<Result<Vec<LineStep>, EditError>> {
    let rest = &chain[chain.iter().position(|&index| index == fork)?..];
    let place = rest.iter().take_while(|&&index| index == fork || index < top).count();
    let (above, below) = (rest[place.checked_sub(1)?], *rest.get(place)?);
    if below < tip {
        return None;
    }
    let mut steps = vec![view.set_parent(below, Some(&view.uuid(tip)))];
    if above != fork {
        steps.push(view.set_parent(top, Some(&view.uuid(above))));
    }
    Some(steps.into_iter().collect())
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
    for &node in lost {
        let path = view.graph.path_to(node);
        let top = path.iter().rposition(|&index| is_on_chain[index]).map(|fork| fork + 1);
        if let Some(&top) = top.and_then(|top| path.get(top)) {
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
