//! Parallel calls whose results went on on several branches: the branch that was left behind is put into the chain.

use std::collections::BTreeMap;

use annals_json::edit::EditError;
use annals_transcript::loss::losses;
use annals_transcript::record::RecordKind;
use annals_transcript::resume::{Client, leaf, resume};
use annals_transcript::transcript::NodeIndex;

use super::mend::{Found, Step, View};
use super::place::answered;

pub(super) fn find(view: &View<'_, '_>) -> Found {
    let mut found = Found::default();
    let resumed = resume(view.transcript, Client::NEWEST);
    let lost = losses(view.transcript, view.graph, &resumed);
    if lost.is_empty() {
        return found;
    }
    // By parents alone: what the client pulls in from elsewhere is just what hangs beside the chain.
    let Some(leaf) = leaf(view.transcript, Client::NEWEST) else { return found };
    let chain = view.graph.path_to(leaf);
    let mut is_on_chain = vec![false; view.transcript.nodes().len()];
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
            None => {
                found.leave(key, line, "left as it is: it and the conversation were written among each other")
            }
        }
    }
    found
}

/// Both branches begin with a result of one response: first the results, then what went on from the one, then from the other.
fn results_first(
    view: &View<'_, '_>,
    [top, goes_on, tip]: [NodeIndex; 3],
    next: NodeIndex,
    is_on_chain: &[bool],
) -> Option<Result<Vec<Step>, EditError>> {
    let mut steps = vec![view.hang(next, Some(&view.uuid(top))), view.hang(goes_on, Some(&view.uuid(next)))];
    if let Some(rest) = view.graph.children(next).find(|&child| is_on_chain[child]) {
        steps.push(view.hang(rest, Some(&view.uuid(tip))));
    }
    Some(steps.into_iter().collect())
}

/// The lost branch goes in where it was written: between two lines of the chain that stand around it.
fn in_between(
    view: &View<'_, '_>,
    chain: &[NodeIndex],
    fork: NodeIndex,
    (top, tip): (NodeIndex, NodeIndex),
) -> Option<Result<Vec<Step>, EditError>> {
    let rest = &chain[chain.iter().position(|&index| index == fork)?..];
    let place = rest.iter().take_while(|&&index| index == fork || index < top).count();
    let (above, below) = (rest[place.checked_sub(1)?], *rest.get(place)?);
    if below < tip {
        return None;
    }
    let mut steps = vec![view.hang(below, Some(&view.uuid(tip)))];
    if above != fork {
        steps.push(view.hang(top, Some(&view.uuid(above))));
    }
    Some(steps.into_iter().collect())
}

fn is_result(view: &View<'_, '_>, index: NodeIndex) -> bool {
    !answered(view, index).is_empty()
}

/// The lost branches: the first line of each, and its last.
fn branches(view: &View<'_, '_>, lost: &[NodeIndex], is_on_chain: &[bool]) -> BTreeMap<NodeIndex, NodeIndex> {
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

/// Whether tools ran in parallel there; a request that was tried again is no loss, nor is a person who went back.
fn is_parallel(view: &View<'_, '_>, fork: NodeIndex, top: NodeIndex, next: NodeIndex) -> bool {
    let is_call = view.node(fork).kind == RecordKind::Assistant;
    let belongs = |index: NodeIndex| {
        let response = view.node(fork).message;
        is_result(view, index) || (response.is_some() && view.node(index).message == response)
    };
    is_call && belongs(top) && belongs(next)
}
