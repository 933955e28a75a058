//! Where the conversation is cut: what is summarized, and where the kept part starts.

use std::collections::HashSet;

use annals_transcript::graph::Graph;
use annals_transcript::pairing::ToolPairs;
use annals_transcript::record::{Record, RecordKind, SystemKind};
use annals_transcript::resume::{BlockOrigin, Client, ResumeResult, leaf};
use annals_transcript::transcript::{NodeIndex, Transcript};
use annals_transcript::turn::Speaker;

use super::CompressError;

/// A cut through the conversation that the newest client resumes.
#[derive(Debug)]
pub(super) struct CutPoint {
    /// The first record that stays.
    pub(super) first: NodeIndex,
    /// The record before it.
    pub(super) above: NodeIndex,
    /// The chain that stays, from first to last.
    pub(super) kept: Vec<NodeIndex>,
    /// The records before it that the client sent, in order.
    pub(super) old: Vec<NodeIndex>,
}

impl CutPoint {
    /// Finds the cut before the last `kept` turns, or the nearest one above it that no tool call crosses.
    pub(super) fn find(
        transcript: &Transcript<'_>,
        graph: &Graph<'_>,
        seen: &ResumeResult<'_>,
        kept: usize,
    ) -> Result<Self, CompressError> {
        let end = leaf(transcript, Client::NEWEST).filter(|_| !seen.messages().is_empty());
        let chain = chain_to(transcript, graph, end.ok_or(CompressError::NotResumed)?);
        let sent = sent_nodes(seen);
        let places: Vec<usize> =
            (0..chain.len()).filter(|&place| opens_turn(transcript, chain[place])).collect();
        let too_few = CompressError::TooFewTurns { turns: places.len(), kept };
        let pairs = ToolPairs::new(transcript);
        for turns in (1..=places.len().saturating_sub(kept)).rev() {
            let Some(&place) = places.get(turns) else { continue };
            let place = with_caveats(transcript, &chain, place);
            let stays: HashSet<NodeIndex> = chain[place..].iter().copied().collect();
            let is_old = |node: &NodeIndex| !stays.contains(node) && *node < chain[place];
            let crosses = pairs.pairs.iter().any(|pair| {
                sent.contains(&pair.call)
                    && is_old(&pair.call)
                    && pair.result.is_some_and(|node| stays.contains(&node))
            });
            if place == 0 || crosses {
                continue;
            }
            let (first, above) = (chain[place], chain[place - 1]);
            let old = sent.iter().copied().take_while(|node| *node != first).filter(is_old).collect();
            return Ok(Self { first, above, kept: chain[place..].to_vec(), old });
        }
        Err(too_few)
    }

    /// The kept records whose parent is a progress record, each with the last record above that is none: the oldest client
    /// cannot cross progress and would not reach the summary.
    pub(super) fn behind_progress(
        &self,
        transcript: &Transcript<'_>,
        graph: &Graph<'_>,
    ) -> Vec<(NodeIndex, String)> {
        let is_progress = |node: NodeIndex| transcript.node(node).kind == RecordKind::Progress;
        let mut found = Vec::new();
        let mut before = None;
        for &node in self.kept.iter().filter(|&&node| !is_progress(node)) {
            if let Some(uuid) = before.filter(|_| graph.parent(node).is_some_and(is_progress)) {
                found.push((node, uuid));
            }
            before = transcript.node(node).uuid.map(|uuid| uuid.to_string());
        }
        found
    }
}

/// The chain of parents from the last compaction, or the start, down to a record.
fn chain_to(transcript: &Transcript<'_>, graph: &Graph<'_>, leaf: NodeIndex) -> Vec<NodeIndex> {
    let mut chain = Vec::new();
    let mut seen = HashSet::new();
    let mut here = Some(leaf);
    while let Some(node) = here.filter(|&node| seen.insert(node)) {
        chain.push(node);
        let is_boundary = transcript.node(node).system == Some(SystemKind::CompactBoundary);
        here = graph.parent(node).filter(|_| !is_boundary);
    }
    chain.reverse();
    chain
}

/// The records that are sent, each once, in order of their first blocks.
fn sent_nodes(seen: &ResumeResult<'_>) -> Vec<NodeIndex> {
    let mut once = HashSet::new();
    let blocks = seen.messages().iter().flat_map(|message| &message.blocks);
    let nodes = blocks.filter_map(|block| match block.origin {
        BlockOrigin::Record(node) => Some(node),
        BlockOrigin::Filler(_) => None,
    });
    nodes.filter(|&node| once.insert(node)).collect()
}

fn opens_turn(transcript: &Transcript<'_>, node: NodeIndex) -> bool {
    match transcript.record(node) {
        Record::User(user) => Speaker::of(&user).opens_turn() && !transcript.node(node).is_sidechain,
        _ => false,
    }
}

/// Includes what the client adds right before a command.
fn with_caveats(transcript: &Transcript<'_>, chain: &[NodeIndex], place: usize) -> usize {
    let is_caveat = |node: NodeIndex| match transcript.record(node) {
        Record::User(user) => Speaker::of(&user) == Speaker::Client,
        _ => false,
    };
    let before = chain[..place].iter().rev().take_while(|&&node| is_caveat(node)).count();
    place - before
}
