//! A branch of the conversation from its first line to its leaf, with what compactions hide from the model.
//!
//! Owns the way across compactions. It judges no content: everything that stands on the branch is given, sent or not.

use super::client::Client;
use super::lines::Lines;
use super::rules::{LargeFileRule, PreservedRule, Rules};
use super::{chain, compaction, leaf, parallel};
use crate::graph::{Graph, Marks, line_across};
use crate::record::SystemKind;
use crate::transcript::{NodeIndex, Transcript};

/// The branch that a client resumes, first line first: what it takes, and before that all that its compactions summed up.
///
/// Of a file that the client refuses it is the branch of the last line that is no sub-agent's, else of the last line.
pub fn branch<'a>(transcript: &Transcript<'a>, graph: &Graph<'a>, client: Client) -> Vec<NodeIndex> {
    let rules = Rules::of(client);
    let mut lines = Lines::read(transcript, rules);
    compaction::put_back_preserved(&mut lines, rules);
    let Ok(leaf) = leaf::choose(&lines, rules) else {
        let last = last_line(&Lines::read(transcript, &whole_file(rules)));
        return last.map(|leaf| branch_to(transcript, graph, client, leaf)).unwrap_or_default();
    };
    let taken = parallel::pull_in(&lines, rules, chain::walk(&lines, rules, leaf));
    let whole = Whole::read(transcript, graph, rules, leaf);
    let mut branch = parallel::pull_in(&whole.lines, &whole.rules, whole.chain);
    let is_there = Marks::of(transcript.nodes().len(), &branch);
    // A boundary that kept messages can stand beside the chain that goes on from them: it goes to its place in the file.
    for &missing in taken.iter().filter(|&&node| !is_there.has(node)) {
        let place = branch.iter().position(|&node| node > missing).unwrap_or(branch.len());
        branch.insert(place, missing);
    }
    branch
}

/// The branch that ends with a record, first line first, across compactions. Results of parallel calls that hang from
/// another branch are there, as far as they were written before the record.
pub fn branch_to<'a>(
    transcript: &Transcript<'a>,
    graph: &Graph<'a>,
    client: Client,
    leaf: NodeIndex,
) -> Vec<NodeIndex> {
    let whole = Whole::read(transcript, graph, Rules::of(client), leaf);
    let on_chain = Marks::of(transcript.nodes().len(), &whole.chain);
    let mut branch = parallel::pull_in(&whole.lines, &whole.rules, whole.chain);
    branch.retain(|&node| node < leaf || on_chain.has(node));
    branch
}

/// What the compactions of a conversation hide: the lines of its chain before the boundary at which it begins.
pub(super) fn before_compactions(
    transcript: &Transcript<'_>,
    rules: &Rules,
    history: &[NodeIndex],
) -> Vec<NodeIndex> {
    let is_boundary = |node: NodeIndex| transcript.nodes()[node].system == Some(SystemKind::CompactBoundary);
    let Some(&first) = history.first().filter(|&&node| is_boundary(node)) else { return Vec::new() };
    let mut chain = Whole::read(transcript, &Graph::new(transcript), rules, first).chain;
    chain.pop();
    chain
}

/// The rules of a client that neither skips nor forgets what came before a compaction.
fn whole_file(rules: &Rules) -> Rules {
    Rules { large_file: LargeFileRule::Whole, preserved: PreservedRule::Ignored, ..rules.clone() }
}

/// The last line that is no sub-agent's; in a sub-agent's own file, the last of all.
fn last_line(lines: &Lines<'_, '_>) -> Option<NodeIndex> {
    let main = lines.known.iter().rev().find(|&&index| !lines.node(index).is_sidechain);
    main.or(lines.known.last()).copied()
}

/// The whole file as a client reads it, and the chain of a leaf in it.
struct Whole<'t, 'a> {
    rules: Rules,
    lines: Lines<'t, 'a>,
    chain: Vec<NodeIndex>,
}

impl<'t, 'a> Whole<'t, 'a> {
    fn read(transcript: &'t Transcript<'a>, graph: &Graph<'a>, rules: &Rules, leaf: NodeIndex) -> Self {
        let rules = whole_file(rules);
        let lines = Lines::read(transcript, &rules);
        let mut seen = Marks::new(transcript.nodes().len());
        let mut stretches = Vec::new();
        let mut end = Some(leaf);
        while let Some(last) = end {
            let mut stretch = chain::walk(&lines, &rules, last);
            let first = stretch.first().copied().unwrap_or(last);
            stretch.retain(|&node| seen.mark(node));
            // A stretch that brings nothing new has come back to where the walk was.
            let is_boundary = lines.node(first).system == Some(SystemKind::CompactBoundary);
            let goes_on = is_boundary && !stretch.is_empty();
            let across = if goes_on { line_across(transcript, graph, first) } else { None };
            end = across.filter(|&node| lines.is_known(node));
            stretches.push(stretch);
        }
        let chain = stretches.into_iter().rev().flatten().collect();
        Self { rules, lines, chain }
    }
}
