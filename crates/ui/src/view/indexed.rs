//! One transcript with everything that the builder looks up in it.

use std::collections::HashMap;

use annals_transcript::graph::{BranchCause, BranchPoint, Graph, branch_points, history};
use annals_transcript::id::ToolUseId;
use annals_transcript::pairing::{ToolPair, ToolPairs};
use annals_transcript::record::RecordKind;
use annals_transcript::response::{Response, responses};
use annals_transcript::transcript::{NodeIndex, NodeMap, Transcript};

use super::item::Position;
use super::layout::descendants;

/// A transcript and its indexes.
pub(super) struct IndexedTranscript<'t, 'a> {
    pub(super) transcript: &'t Transcript<'a>,
    pub(super) graph: Graph<'a>,
    pub(super) responses: Vec<Response<'a>>,
    pub(super) pairs: HashMap<ToolUseId<'a>, ToolPair<'a>>,
    /// The branches that a person made.
    pub(super) branches: Vec<BranchPoint>,
    /// Whether every line belongs to a sub-agent, as in an agent's own file.
    pub(super) is_agent_file: bool,
    /// The place of the response that a record belongs to; `usize::MAX` for none.
    response_of: NodeMap<usize>,
}

impl<'t, 'a> IndexedTranscript<'t, 'a> {
    pub(super) fn new(transcript: &'t Transcript<'a>) -> Self {
        let graph = Graph::new(transcript);
        let responses = responses(transcript);
        let mut response_of = NodeMap::new(transcript, usize::MAX);
        for (at, response) in responses.iter().enumerate() {
            response.nodes.iter().for_each(|&node| response_of[node] = at);
        }
        let mut branches = branch_points(transcript, &graph);
        branches.retain(|point| point.cause == BranchCause::Person);
        let mut chain = transcript.nodes().iter().filter(|node| node.is_chain()).peekable();
        let is_agent_file = chain.peek().is_some() && chain.all(|node| node.is_sidechain);
        let pairs = ToolPairs::new(transcript).pairs.into_iter().map(|pair| (pair.id, pair)).collect();
        Self { transcript, graph, responses, pairs, branches, is_agent_file, response_of }
    }

    /// The line that the conversation ends with: the last of the file that is no sidechain; in an agent's file the last.
    fn leaf(&self) -> Option<NodeIndex> {
        self.transcript.indices().rev().find(|&node| self.is_end(node))
    }

    fn is_end(&self, node: NodeIndex) -> bool {
        let node = self.transcript.node(node);
        node.is_chain() && node.kind != RecordKind::Progress && (self.is_agent_file || !node.is_sidechain)
    }

    /// The main history, first line first. If it ends at a summary without a boundary (as early clients wrote compactions)
    /// or at a missing parent, it continues at the line before in the file.
    pub(super) fn path(&self) -> Vec<NodeIndex> {
        self.path_to(self.leaf())
    }

    /// The same for the branch that a record is on: to the last line that follows from it.
    pub(super) fn path_through(&self, node: NodeIndex) -> Vec<NodeIndex> {
        let after = descendants(self, node).into_iter().rev();
        self.path_to(after.chain([node]).find(|&node| self.is_end(node)))
    }

    fn path_to(&self, mut leaf: Option<NodeIndex>) -> Vec<NodeIndex> {
        let nodes = self.transcript.nodes();
        let mut is_seen = NodeMap::new(self.transcript, false);
        let mut stretches: Vec<Vec<NodeIndex>> = Vec::new();
        while let Some(from) = leaf {
            let mut stretch = history(self.transcript, &self.graph, from);
            // Parents may lead into lines that are already listed.
            let known = stretch.iter().rposition(|&node| is_seen[node]);
            stretch.drain(..known.map_or(0, |at| at + 1));
            let Some(&first) = stretch.first() else { break };
            stretch.iter().for_each(|&node| is_seen[node] = true);
            stretches.push(stretch);
            let is_broken =
                nodes[first].is_compact_summary || self.graph.dangling().binary_search(&first).is_ok();
            let before = NodeIndex::FIRST.until(first).rev().find(|&node| self.is_end(node));
            leaf = before.filter(|&node| is_broken && !is_seen[node]);
        }
        stretches.into_iter().rev().flatten().collect()
    }

    /// The response that an assistant line belongs to.
    pub(super) fn response(&self, node: NodeIndex) -> Option<&Response<'a>> {
        self.responses.get(self.response_of[node])
    }

    /// Returns the position of a record.
    pub(super) fn position(&self, node: NodeIndex) -> Position {
        let node = self.transcript.node(node);
        Position {
            line: node.line as usize,
            uuid: node.uuid.map(|uuid| uuid.to_string()),
            millis: node.millis,
            is_off_path: false,
        }
    }
}
