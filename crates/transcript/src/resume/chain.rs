//! Walks from the leaf to the root, and bridges missing parents.
//!
//! The walk terminates on any graph: no record is visited twice.

use super::lines::{ClientLines, ParentLink};
use super::rules::{ClientRules, MissingParentRule};
use crate::transcript::{NodeIndex, NodeMap};

/// Maximum time difference to the record that replaces a missing parent.
const MAX_BRIDGE_MILLIS: i64 = 5_000;

/// The lines from the root to the leaf.
pub(super) fn walk(lines: &ClientLines<'_, '_>, rules: &ClientRules, leaf: NodeIndex) -> Vec<NodeIndex> {
    ChainWalker::new(lines, rules).walk(leaf)
}

/// Walks from several leaves of one file; what a walk needs of the whole file is made once.
pub(super) struct ChainWalker<'l, 't, 'a> {
    lines: &'l ClientLines<'t, 'a>,
    rule: MissingParentRule,
    seen: NodeMap<bool>,
    time_index: Option<TimeIndex>,
}

impl<'l, 't, 'a> ChainWalker<'l, 't, 'a> {
    pub(super) fn new(lines: &'l ClientLines<'t, 'a>, rules: &ClientRules) -> Self {
        let seen = NodeMap::new(lines.transcript, false);
        Self { lines, rule: rules.missing_parent, seen, time_index: None }
    }

    /// Returns the lines from the root to the leaf.
    pub(super) fn walk(&mut self, leaf: NodeIndex) -> Vec<NodeIndex> {
        let lines = self.lines;
        let mut chain = Vec::new();
        let mut next = Some(leaf);
        while let Some(index) = next {
            self.seen[index] = true;
            chain.push(index);
            next = match lines.link(index) {
                ParentLink::Start => None,
                ParentLink::To(parent) if !self.seen[parent] => Some(parent),
                // A parent that was visited already counts as missing.
                ParentLink::To(_) | ParentLink::Missing => match self.rule {
                    MissingParentRule::HistoryStarts => None,
                    MissingParentRule::NearestInTime => {
                        let time_index = self.time_index.get_or_insert_with(|| TimeIndex::new(lines));
                        time_index.before(lines, index, &self.seen)
                    }
                },
            };
        }
        for &index in &chain {
            self.seen[index] = false;
        }
        if let Some(time_index) = &mut self.time_index {
            time_index.reset();
        }
        chain.reverse();
        chain
    }
}

/// The lines from the root to the leaf by their parents alone.
pub(super) fn linked(lines: &ClientLines<'_, '_>, leaf: NodeIndex) -> Vec<NodeIndex> {
    let mut chain = vec![leaf];
    let mut seen = NodeMap::new(lines.transcript, false);
    seen[leaf] = true;
    let mut at = leaf;
    while let ParentLink::To(parent) = lines.link(at)
        && !std::mem::replace(&mut seen[parent], true)
    {
        chain.push(parent);
        at = parent;
    }
    chain.reverse();
    chain
}

/// The lines by time, to find the one just before another.
struct TimeIndex {
    by_time: Vec<(i64, NodeIndex)>,
    /// For each place in `by_time`, one at or before it that is not known to be taken: keeps many searches linear.
    free: Vec<usize>,
    /// The places of `free` that were changed.
    changed: Vec<usize>,
}

impl TimeIndex {
    fn new(lines: &ClientLines<'_, '_>) -> Self {
        let stamped = lines.known.iter().filter(|&&index| !lines.node(index).is_sidechain);
        let mut by_time: Vec<_> =
            stamped.filter_map(|&index| lines.node(index).millis.map(|millis| (millis, index))).collect();
        // Of several at one time the first in the file is meant, and the search looks from the end.
        by_time.sort_unstable_by_key(|&(millis, index)| (millis, std::cmp::Reverse(index)));
        let free = (0..by_time.len()).collect();
        Self { by_time, free, changed: Vec::new() }
    }

    /// Forgets which are taken.
    fn reset(&mut self) {
        for place in self.changed.drain(..) {
            self.free[place] = place;
        }
    }

    fn before(
        &mut self,
        lines: &ClientLines<'_, '_>,
        index: NodeIndex,
        seen: &NodeMap<bool>,
    ) -> Option<NodeIndex> {
        let node = lines.node(index);
        if node.is_sidechain {
            return None;
        }
        let millis = node.millis?;
        let mut place = self.by_time.partition_point(|&(time, _)| time <= millis).checked_sub(1)?;
        let mut passed = Vec::new();
        let found = loop {
            let free = self.free[place];
            passed.push(place);
            if free == place {
                if !seen[self.by_time[place].1] {
                    break Some(place);
                }
                match place.checked_sub(1) {
                    Some(earlier) => place = earlier,
                    None => break None,
                }
            } else {
                place = free;
            }
        };
        for &place in &passed {
            self.free[place] = found.unwrap_or(0);
        }
        self.changed.extend(passed);
        let (time, found) = self.by_time[found?];
        (millis - time <= MAX_BRIDGE_MILLIS).then_some(found)
    }
}
