//! The index of a record in its transcript, and tables with one value per record.

use std::fmt;
use std::ops::{Index, IndexMut};

use crate::transcript::{Node, Transcript};

/// The index of a record in its transcript, counted from 0. It is valid only for the transcript it comes from.
///
/// ```
/// use annals_transcript::{NodeIndex, Transcript};
///
/// let transcript = Transcript::parse(b"{\"type\":\"user\",\"uuid\":\"a\"}\n{\"type\":\"assistant\",\"uuid\":\"b\"}\n");
/// let last = transcript.indices().next_back().unwrap();
/// assert_eq!(last, NodeIndex::new(1));
/// assert_eq!(transcript.node(last).line, 2);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeIndex(u32);

impl NodeIndex {
    /// Stands for no node in packed lists.
    pub(crate) const NONE: Self = Self(u32::MAX);

    /// The first record of any transcript.
    pub const FIRST: Self = Self(0);

    /// Makes an index from a number. One above `u32::MAX` becomes that: no file has that many records.
    pub const fn new(number: usize) -> Self {
        Self(if number < u32::MAX as usize { number as u32 } else { u32::MAX })
    }

    /// The index as a number.
    pub const fn get(self) -> usize {
        self.0 as usize
    }

    /// The index after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// The index before this one; `None` for the first record.
    pub fn previous(self) -> Option<Self> {
        self.0.checked_sub(1).map(Self)
    }

    /// Iterates over the indices from this one to `end`, without `end`.
    pub fn until(
        self,
        end: Self,
    ) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone + use<> {
        (self.get()..end.get()).map(Self::new)
    }

    /// `None` for [`NONE`](Self::NONE).
    pub(crate) fn some(self) -> Option<Self> {
        (self != Self::NONE).then_some(self)
    }
}

/// The number alone.
impl fmt::Debug for NodeIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for NodeIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// For comparisons with numbers, as in `assert_eq!(graph.roots(&transcript), [0])`.
impl PartialEq<usize> for NodeIndex {
    fn eq(&self, number: &usize) -> bool {
        self.get() == *number
    }
}

/// So that `transcript.nodes()[index]` is the record.
impl<'a> Index<NodeIndex> for [Node<'a>] {
    type Output = Node<'a>;

    fn index(&self, index: NodeIndex) -> &Node<'a> {
        crate::work::count(1);
        &self[index.get()]
    }
}

/// One value for each record of a transcript, by index.
///
/// ```
/// use annals_transcript::Transcript;
/// use annals_transcript::transcript::NodeMap;
///
/// let transcript = Transcript::parse(b"{\"type\":\"user\"}\n{\"type\":\"assistant\"}\n");
/// let mut is_seen = NodeMap::new(&transcript, false);
/// for index in transcript.indices().take(1) {
///     is_seen[index] = true;
/// }
/// assert_eq!(is_seen.iter().filter(|(_, seen)| **seen).count(), 1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeMap<T>(Vec<T>);

impl<T: Clone> NodeMap<T> {
    /// Makes a map with the same value for each record.
    pub fn new(transcript: &Transcript<'_>, value: T) -> Self {
        Self(vec![value; transcript.nodes().len()])
    }
}

impl<T> NodeMap<T> {
    /// Iterates over the indices and their values.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (NodeIndex, &T)> + ExactSizeIterator {
        self.0.iter().enumerate().map(|(number, value)| (NodeIndex::new(number), value))
    }

    /// Makes a map for the same transcript with other values.
    pub fn map<U>(&self, value: impl FnMut(&T) -> U) -> NodeMap<U> {
        NodeMap(self.0.iter().map(value).collect())
    }

    /// Iterates over the indices of all records.
    pub fn indices(&self) -> impl DoubleEndedIterator<Item = NodeIndex> + ExactSizeIterator + Clone + use<T> {
        NodeIndex::FIRST.until(NodeIndex::new(self.0.len()))
    }
}

impl<T> Index<NodeIndex> for NodeMap<T> {
    type Output = T;

    fn index(&self, index: NodeIndex) -> &T {
        crate::work::count(1);
        &self.0[index.get()]
    }
}

impl<T> IndexMut<NodeIndex> for NodeMap<T> {
    fn index_mut(&mut self, index: NodeIndex) -> &mut T {
        crate::work::count(1);
        &mut self.0[index.get()]
    }
}
