//! A branch from its first record to its leaf, with what compactions hide from the model.
//!
//! All records of the branch are returned, sent or not.

use super::chain::ChainWalker;
use super::client::Client;
use super::lines::ClientLines;
use super::rules::{ClientRules, LargeFileRule, PreservedRule};
use super::{chain, compaction, leaf, parallel};
use crate::graph::{Graph, NodeSet, line_across};
use crate::record::SystemKind;
use crate::transcript::{NodeIndex, Transcript};

/// Returns the branch that a client resumes, first record first: what it reads, preceded by what compactions summarised.
///
/// For a file that the client refuses, this is the branch of the last record of the main chain, else of the last record.
pub fn branch<'a>(transcript: &Transcript<'a>, graph: &Graph<'a>, client: Client) -> Vec<NodeIndex> {
    let rules = ClientRules::of(client);
    let mut lines = ClientLines::read(transcript, rules);
    compaction::restore_preserved(&mut lines, rules);
    let Ok(leaf) = leaf::choose(&lines, rules) else {
        let last = last_line(&ClientLines::read(transcript, &whole_file(rules)));
        return last.map(|leaf| branch_to(transcript, graph, client, leaf)).unwrap_or_default();
    };
    let taken = parallel::gather_parallel(&lines, rules, chain::walk(&lines, rules, leaf));
    let whole = WholeFile::read(transcript, graph, rules, leaf);
    let branch = parallel::gather_parallel(&whole.lines, &whole.rules, whole.chain);
    let is_there = NodeSet::of(transcript.nodes().len(), &branch);
    // A boundary that preserved messages can be beside the chain that continues from them: it is inserted in file order.
    insert_sorted(branch, taken.into_iter().filter(|&node| !is_there.has(node)).collect())
}

/// Inserts each of the missing records before the first record of the branch that comes after it in the file.
fn insert_sorted(branch: Vec<NodeIndex>, mut missing: Vec<NodeIndex>) -> Vec<NodeIndex> {
    missing.sort_unstable();
    let mut missing = missing.into_iter().peekable();
    let mut whole = Vec::with_capacity(branch.len() + missing.len());
    for node in branch {
        while let Some(earlier) = missing.next_if(|&earlier| earlier < node) {
            whole.push(earlier);
        }
        whole.push(node);
    }
    whole.extend(missing);
    whole
}

/// Returns the branch that ends with a record, first one first, across compactions, with the results of parallel calls
/// that are on another branch and were written before it.
pub fn branch_to<'a>(
    transcript: &Transcript<'a>,
    graph: &Graph<'a>,
    client: Client,
    leaf: NodeIndex,
) -> Vec<NodeIndex> {
    let whole = WholeFile::read(transcript, graph, ClientRules::of(client), leaf);
    let on_chain = NodeSet::of(transcript.nodes().len(), &whole.chain);
    let mut branch = parallel::gather_parallel(&whole.lines, &whole.rules, whole.chain);
    branch.retain(|&node| node < leaf || on_chain.has(node));
    branch
}

/// Returns what compactions hide: the records of the chain before the boundary at which the conversation begins.
pub(super) fn before_compactions(
    transcript: &Transcript<'_>,
    rules: &ClientRules,
    history: &[NodeIndex],
) -> Vec<NodeIndex> {
    let is_boundary = |node: NodeIndex| transcript.nodes()[node].system == Some(SystemKind::CompactBoundary);
    let Some(&first) = history.first().filter(|&&node| is_boundary(node)) else { return Vec::new() };
    let mut chain = WholeFile::read(transcript, &Graph::new(transcript), rules, first).chain;
    chain.pop();
    chain
}

/// The rules without those that skip what came before a compaction.
fn whole_file(rules: &ClientRules) -> ClientRules {
    ClientRules { large_file: LargeFileRule::Whole, preserved: PreservedRule::Ignored, ..rules.clone() }
}

/// The last record of the main chain; in a sub-agent's file, the last of all.
fn last_line(lines: &ClientLines<'_, '_>) -> Option<NodeIndex> {
    let main = lines.known.iter().rev().find(|&&index| !lines.node(index).is_sidechain);
    main.or(lines.known.last()).copied()
}

/// The whole file as a client reads it, and the chain of a leaf in it.
struct WholeFile<'t, 'a> {
    rules: ClientRules,
    lines: ClientLines<'t, 'a>,
    chain: Vec<NodeIndex>,
}

impl<'t, 'a> WholeFile<'t, 'a> {
    fn read(transcript: &'t Transcript<'a>, graph: &Graph<'a>, rules: &ClientRules, leaf: NodeIndex) -> Self {
        let rules = whole_file(rules);
        let lines = ClientLines::read(transcript, &rules);
        let mut seen = NodeSet::new(transcript.nodes().len());
        let mut stretches = Vec::new();
        let mut end = Some(leaf);
        let mut walker = ChainWalker::new(&lines, &rules);
        while let Some(last) = end {
            let mut stretch = walker.walk(last);
            let first = stretch.first().copied().unwrap_or(last);
            stretch.retain(|&node| seen.mark(node));
            // A stretch without a new record is a cycle.
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
