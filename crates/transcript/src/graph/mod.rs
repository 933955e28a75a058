//! The records of a file as a graph of parents and children, and what is irregular about it.
//!
//! Every function terminates on any graph: parents may be missing, point forward, to themselves or form cycles. Takes 12
//! bytes per record and a table of ids.

mod branches;
mod compaction;
mod interleaving;
mod sidechains;

pub use branches::{BranchCause, BranchPoint, branch_points};
pub(crate) use compaction::line_across;
pub use compaction::{Segment, history, segments};
pub use interleaving::interleaved_prompts;
pub use sidechains::{Sidechain, sidechains};

use std::collections::HashMap;

use crate::id::RecordId;
use crate::problem::{Problem, ProblemKind};
use crate::transcript::{NodeIndex, NodeMap, Parent, Transcript};

/// The parent of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// No parent: `null`, or no `parentUuid` at all.
    Root,
    /// This record.
    To(NodeIndex),
    /// A uuid that is not in the file.
    Dangling,
}

/// The graph of one transcript.
#[derive(Clone, Debug)]
pub struct Graph<'a> {
    by_id: HashMap<RecordId<'a>, NodeIndex>,
    // `NodeIndex::NONE` where there is none: half the size of an `Option`.
    parents: NodeMap<NodeIndex>,
    first_children: NodeMap<NodeIndex>,
    next_siblings: NodeMap<NodeIndex>,
    duplicates: Vec<NodeIndex>,
    dangling: Vec<NodeIndex>,
}

impl<'a> Graph<'a> {
    /// Links the chain records of a transcript. Of several records with one uuid the last counts; the others keep their
    /// parents but have no children.
    pub fn new(transcript: &Transcript<'a>) -> Self {
        let mut graph = Self {
            by_id: HashMap::new(),
            parents: NodeMap::new(transcript, NodeIndex::NONE),
            first_children: NodeMap::new(transcript, NodeIndex::NONE),
            next_siblings: NodeMap::new(transcript, NodeIndex::NONE),
            duplicates: Vec::new(),
            dangling: Vec::new(),
        };
        for (index, node) in transcript.indexed_nodes() {
            if let (true, Some(uuid)) = (node.is_chain(), node.uuid)
                && let Some(before) = graph.by_id.insert(uuid, index)
            {
                graph.duplicates.push(before);
            }
        }
        // Backwards, so that each list of siblings comes out in the order of the file.
        for (index, node) in transcript.indexed_nodes().rev().filter(|(_, node)| node.is_chain()) {
            if let Parent::Of(id) = node.parent {
                match graph.by_id.get(&id) {
                    Some(&parent) => graph.link(index, parent),
                    None => graph.dangling.push(index),
                }
            }
        }
        graph.dangling.reverse();
        graph
    }

    fn link(&mut self, child: NodeIndex, parent: NodeIndex) {
        self.parents[child] = parent;
        self.next_siblings[child] = self.first_children[parent];
        self.first_children[parent] = child;
    }

    /// Returns the record with this id; the last one of several.
    pub fn find(&self, id: RecordId<'a>) -> Option<NodeIndex> {
        self.by_id.get(&id).copied()
    }

    /// Returns the parent, if it is in the file.
    ///
    /// # Panics
    ///
    /// If the index is not one of the transcript; the same holds for all functions that take a [`NodeIndex`].
    pub fn parent(&self, node: NodeIndex) -> Option<NodeIndex> {
        self.parents[node].some()
    }

    /// Returns the parent, or why there is none.
    pub fn link_of(&self, transcript: &Transcript<'a>, node: NodeIndex) -> Link {
        match (self.parent(node), transcript.nodes()[node].parent) {
            (Some(parent), _) => Link::To(parent),
            (None, Parent::Of(_)) => Link::Dangling,
            (None, _) => Link::Root,
        }
    }

    /// Iterates over the children, in the order of the file.
    pub fn children(&self, node: NodeIndex) -> impl Iterator<Item = NodeIndex> + '_ {
        let first = self.first_children[node].some();
        std::iter::successors(first, |&child| self.next_siblings[child].some())
    }

    /// Whether it has no children.
    pub fn is_leaf(&self, node: NodeIndex) -> bool {
        self.first_children[node].some().is_none()
    }

    /// Returns the chain records without a parent in the file.
    pub fn roots(&self, transcript: &Transcript<'a>) -> Vec<NodeIndex> {
        let nodes = transcript.indexed_nodes();
        nodes
            .filter(|(index, node)| node.is_chain() && self.parent(*index).is_none())
            .map(|(index, _)| index)
            .collect()
    }

    /// Returns the chain records without children.
    pub fn leaves(&self, transcript: &Transcript<'a>) -> Vec<NodeIndex> {
        let nodes = transcript.indexed_nodes();
        nodes
            .filter(|(index, node)| node.is_chain() && self.is_leaf(*index))
            .map(|(index, _)| index)
            .collect()
    }

    /// Records whose uuid is repeated by a later record, which counts.
    pub fn duplicates(&self) -> &[NodeIndex] {
        &self.duplicates
    }

    /// Records whose parent is not in the file.
    pub fn dangling(&self) -> &[NodeIndex] {
        &self.dangling
    }

    /// Records that come before their parent in the file.
    pub fn forward_references(&self) -> impl Iterator<Item = NodeIndex> + '_ {
        self.parents.indices().filter(|&node| self.parent(node).is_some_and(|parent| parent > node))
    }

    /// Returns the path from the root to a record. A cycle is cut where it would repeat.
    pub fn path_to(&self, leaf: NodeIndex) -> Vec<NodeIndex> {
        let mut seen = NodeSet::new(self.parents.indices().len());
        let mut path = Vec::new();
        let mut here = Some(leaf);
        while let Some(node) = here.filter(|&node| seen.mark(node)) {
            path.push(node);
            here = self.parent(node);
        }
        path.reverse();
        path
    }

    /// Returns one record of each cycle of parents, the first in the file.
    pub fn cycles(&self) -> Vec<NodeIndex> {
        // Each node is visited once: `walk[n]` is the walk that reached it first.
        let mut walk = self.parents.map(|_| NodeIndex::NONE);
        let mut cycles = Vec::new();
        for start in self.parents.indices() {
            let mut here = Some(start);
            while let Some(node) = here.filter(|&node| walk[node] == NodeIndex::NONE) {
                walk[node] = start;
                here = self.parent(node);
            }
            if let Some(node) = here.filter(|&node| walk[node] == start) {
                // Once around.
                let around = std::iter::successors(self.parent(node), |&at| self.parent(at));
                let first = around.take_while(|&at| at != node).min();
                cycles.push(first.unwrap_or(node).min(node));
            }
        }
        cycles
    }

    /// Returns what is irregular about the graph.
    pub fn problems(&self, transcript: &Transcript<'a>) -> Vec<Problem> {
        let nodes = transcript.nodes();
        let of = |kind: ProblemKind| move |node: NodeIndex| nodes[node].problem(kind);
        let missing =
            |node: &NodeIndex| nodes[*node].parent.id().map(|id| id.to_string()).unwrap_or_default();
        let mut problems: Vec<Problem> = Vec::new();
        problems.extend(self.duplicates.iter().copied().map(of(ProblemKind::DuplicateUuid)));
        problems.extend(self.forward_references().map(of(ProblemKind::ForwardReference)));
        problems.extend(self.cycles().into_iter().map(of(ProblemKind::Cycle)));
        let dangling =
            |node: &NodeIndex| nodes[*node].problem(ProblemKind::DanglingParent).with_detail(missing(node));
        problems.extend(self.dangling.iter().map(dangling));
        problems
    }
}

/// A set of nodes, one bit each.
#[derive(Clone, Debug)]
pub(crate) struct NodeSet(Vec<u64>);

impl NodeSet {
    pub(crate) fn new(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    pub(crate) fn of(count: usize, nodes: &[NodeIndex]) -> Self {
        let mut marks = Self::new(count);
        for &node in nodes {
            marks.mark(node);
        }
        marks
    }

    pub(crate) fn has(&self, node: NodeIndex) -> bool {
        self.0[node.get() / 64] & (1 << (node.get() % 64)) != 0
    }

    /// Adds a node; returns whether it was new.
    pub(crate) fn mark(&mut self, node: NodeIndex) -> bool {
        let (word, bit) = (&mut self.0[node.get() / 64], 1 << (node.get() % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `a>b` is a line with uuid `a` and parent `b`; `a` alone has parent null.
    pub(super) fn file(lines: &str) -> String {
        let line = |word: &str| {
            let (uuid, parent) = word
                .split_once('>')
                .map_or((word, "null".to_owned()), |(uuid, parent)| (uuid, format!("\"{parent}\"")));
            format!(
                r#"{{"type":"user","uuid":"{uuid}","parentUuid":{parent},"message":{{"content":"{uuid}"}}}}"#
            ) + "\n"
        };
        lines.split(' ').map(line).collect()
    }

    #[test]
    fn knows_parents_children_roots_and_leaves() {
        let file = file("a b>a c>b d>a");
        let transcript = Transcript::parse(file.as_bytes());
        let graph = Graph::new(&transcript);
        assert_eq!(graph.children(NodeIndex::FIRST).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(graph.roots(&transcript), [0]);
        assert_eq!(graph.leaves(&transcript), [2, 3]);
        assert_eq!(graph.path_to(NodeIndex::new(2)), [0, 1, 2]);
        assert!(graph.problems(&transcript).is_empty());
    }

    #[test]
    fn survives_every_oddity() {
        let file = file("a>b b>a c>c d>gone e>f f a>e");
        let transcript = Transcript::parse(file.as_bytes());
        let graph = Graph::new(&transcript);
        // The second `a` replaces the first: b > a > e > f is no circle any more, c still is.
        assert_eq!(graph.cycles(), [2]);
        assert_eq!(graph.path_to(NodeIndex::new(1)), [5, 4, 6, 1]);
        assert_eq!(graph.path_to(NodeIndex::new(2)), [2]);
        assert_eq!(graph.duplicates(), [0]);
        assert_eq!(graph.dangling(), [3]);
        assert_eq!(graph.forward_references().collect::<Vec<_>>(), [0, 1, 4]);
        assert_eq!(graph.link_of(&transcript, NodeIndex::new(3)), Link::Dangling);
    }

    #[test]
    fn a_node_and_its_links_are_small() {
        let node = std::mem::size_of::<crate::transcript::Node<'_>>();
        // Links: three u32. Table: key and value, a control byte, at worst half of it free.
        let links = 12 + 2 * (std::mem::size_of::<(RecordId<'_>, NodeIndex)>() + 1);
        assert!(node + links < 300, "{node} + {links}");
    }
}
