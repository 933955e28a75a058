//! The lines of a file as a graph: who follows whom, and everything that is odd about it.
//!
//! Every function here ends on any graph: parents may be missing, point forward, to themselves or in circles. It takes
//! 12 bytes a record and a table of ids on top of the nodes.

mod branches;
mod compaction;
mod sidechains;

pub use branches::{BranchCause, BranchPoint, branch_points};
pub(crate) use compaction::line_across;
pub use compaction::{Segment, history, segments};
pub use sidechains::{Sidechain, sidechains};

use std::collections::HashMap;

use crate::id::RecordId;
use crate::problem::{Problem, ProblemKind};
use crate::transcript::{NodeIndex, Parent, Transcript};

/// Where a record's parent is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// It has none: `null`, or no `parentUuid` at all.
    Root,
    /// Here.
    To(NodeIndex),
    /// It names one that is not in the file.
    Dangling,
}

/// Marks the absence of a node in the compact lists below.
const NOBODY: u32 = u32::MAX;

/// The graph of one transcript.
#[derive(Clone, Debug)]
pub struct Graph<'a> {
    by_id: HashMap<RecordId<'a>, u32>,
    parents: Vec<u32>,
    first_children: Vec<u32>,
    next_siblings: Vec<u32>,
    duplicates: Vec<NodeIndex>,
    dangling: Vec<NodeIndex>,
}

impl<'a> Graph<'a> {
    /// Links the chain records of a transcript. Of several lines with one uuid the last counts; the others keep their
    /// parents but nobody can be their child.
    pub fn new(transcript: &Transcript<'a>) -> Self {
        let nodes = transcript.nodes();
        let mut graph = Self {
            by_id: HashMap::new(),
            parents: vec![NOBODY; nodes.len()],
            first_children: vec![NOBODY; nodes.len()],
            next_siblings: vec![NOBODY; nodes.len()],
            duplicates: Vec::new(),
            dangling: Vec::new(),
        };
        for (index, node) in (0_u32..).zip(nodes) {
            if let (true, Some(uuid)) = (node.is_chain(), node.uuid)
                && let Some(before) = graph.by_id.insert(uuid, index)
            {
                graph.duplicates.push(before as usize);
            }
        }
        // Backwards, so that each list of siblings comes out in the order of the file.
        for (index, node) in nodes.iter().enumerate().rev().filter(|(_, node)| node.is_chain()) {
            if let Parent::Of(id) = node.parent {
                match graph.by_id.get(&id) {
                    Some(&parent) => graph.link(index as u32, parent),
                    None => graph.dangling.push(index),
                }
            }
        }
        graph.dangling.reverse();
        graph
    }

    fn link(&mut self, child: u32, parent: u32) {
        self.parents[child as usize] = parent;
        self.next_siblings[child as usize] = self.first_children[parent as usize];
        self.first_children[parent as usize] = child;
    }

    /// The record with this id; the last one where there are several.
    pub fn find(&self, id: RecordId<'a>) -> Option<NodeIndex> {
        self.by_id.get(&id).map(|&index| index as usize)
    }

    /// The parent, if it is in the file.
    pub fn parent(&self, node: NodeIndex) -> Option<NodeIndex> {
        (self.parents[node] != NOBODY).then_some(self.parents[node] as usize)
    }

    /// Where the parent is, or why there is none.
    pub fn link_of(&self, transcript: &Transcript<'a>, node: NodeIndex) -> Link {
        match (self.parent(node), transcript.nodes()[node].parent) {
            (Some(parent), _) => Link::To(parent),
            (None, Parent::Of(_)) => Link::Dangling,
            (None, _) => Link::Root,
        }
    }

    /// The children, in the order of the file.
    pub fn children(&self, node: NodeIndex) -> impl Iterator<Item = NodeIndex> + '_ {
        let follow = |index: u32| (index != NOBODY).then_some(index);
        std::iter::successors(follow(self.first_children[node]), move |&child| {
            follow(self.next_siblings[child as usize])
        })
        .map(|index| index as usize)
    }

    /// Whether nothing follows it.
    pub fn is_leaf(&self, node: NodeIndex) -> bool {
        self.first_children[node] == NOBODY
    }

    /// Chain records without a parent in the file.
    pub fn roots(&self, transcript: &Transcript<'a>) -> Vec<NodeIndex> {
        let nodes = transcript.nodes().iter().enumerate();
        nodes
            .filter(|(index, node)| node.is_chain() && self.parent(*index).is_none())
            .map(|(index, _)| index)
            .collect()
    }

    /// Chain records that nothing follows.
    pub fn leaves(&self, transcript: &Transcript<'a>) -> Vec<NodeIndex> {
        let nodes = transcript.nodes().iter().enumerate();
        nodes
            .filter(|(index, node)| node.is_chain() && self.is_leaf(*index))
            .map(|(index, _)| index)
            .collect()
    }

    /// Records whose uuid comes again further down: the later one counts.
    pub fn duplicates(&self) -> &[NodeIndex] {
        &self.duplicates
    }

    /// Records whose parent is not in the file.
    pub fn dangling(&self) -> &[NodeIndex] {
        &self.dangling
    }

    /// Records that stand before their parent in the file.
    pub fn forward_references(&self) -> impl Iterator<Item = NodeIndex> + '_ {
        (0..self.parents.len()).filter(|&node| self.parent(node).is_some_and(|parent| parent > node))
    }

    /// From a record up to its root, root first. A circle is cut where it would begin again.
    pub fn path_to(&self, leaf: NodeIndex) -> Vec<NodeIndex> {
        let mut seen = Marks::new(self.parents.len());
        let mut path = Vec::new();
        let mut here = Some(leaf);
        while let Some(node) = here.filter(|&node| seen.mark(node)) {
            path.push(node);
            here = self.parent(node);
        }
        path.reverse();
        path
    }

    /// One record of each circle of parents, the first in the file.
    pub fn cycles(&self) -> Vec<NodeIndex> {
        // Each node is walked through once: `walk[n]` is the walk that met it first.
        let mut walk = vec![NOBODY; self.parents.len()];
        let mut cycles = Vec::new();
        for start in 0..self.parents.len() {
            let mut here = Some(start);
            while let Some(node) = here.filter(|&node| walk[node] == NOBODY) {
                walk[node] = start as u32;
                here = self.parent(node);
            }
            if let Some(node) = here.filter(|&node| walk[node] == start as u32) {
                let first = self.path_to(node).into_iter().min();
                cycles.push(first.unwrap_or(node));
            }
        }
        cycles
    }

    /// What is odd about the graph.
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

/// A set of nodes, a bit each.
#[derive(Clone, Debug)]
pub(crate) struct Marks(Vec<u64>);

impl Marks {
    /// An empty set for this many nodes.
    pub(crate) fn new(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    /// The set of these nodes, out of this many.
    pub(crate) fn of(count: usize, nodes: &[NodeIndex]) -> Self {
        let mut marks = Self::new(count);
        for &node in nodes {
            marks.mark(node);
        }
        marks
    }

    /// Whether a node is in it.
    pub(crate) fn has(&self, node: NodeIndex) -> bool {
        self.0[node / 64] & (1 << (node % 64)) != 0
    }

    /// Puts a node in; whether it was new.
    pub(crate) fn mark(&mut self, node: NodeIndex) -> bool {
        let (word, bit) = (&mut self.0[node / 64], 1 << (node % 64));
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
        assert_eq!(graph.children(0).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(graph.roots(&transcript), [0]);
        assert_eq!(graph.leaves(&transcript), [2, 3]);
        assert_eq!(graph.path_to(2), [0, 1, 2]);
        assert!(graph.problems(&transcript).is_empty());
    }

    #[test]
    fn survives_every_oddity() {
        let file = file("a>b b>a c>c d>gone e>f f a>e");
        let transcript = Transcript::parse(file.as_bytes());
        let graph = Graph::new(&transcript);
        // The second `a` replaces the first: b > a > e > f is no circle any more, c still is.
        assert_eq!(graph.cycles(), [2]);
        assert_eq!(graph.path_to(1), [5, 4, 6, 1]);
        assert_eq!(graph.path_to(2), [2]);
        assert_eq!(graph.duplicates(), [0]);
        assert_eq!(graph.dangling(), [3]);
        assert_eq!(graph.forward_references().collect::<Vec<_>>(), [0, 1, 4]);
        assert_eq!(graph.link_of(&transcript, 3), Link::Dangling);
    }

    #[test]
    fn a_node_and_its_links_are_small() {
        let node = std::mem::size_of::<crate::transcript::Node<'_>>();
        // Links: three u32. Table: key and value, a control byte, at worst half of it free.
        let links = 12 + 2 * (std::mem::size_of::<(RecordId<'_>, u32)>() + 1);
        assert!(node + links < 300, "{node} + {links}");
    }
}
