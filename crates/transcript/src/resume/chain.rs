//! From the leaf to the root: parents, and what stands in for a missing one.
//!
//! Owns the walk. It ends on any graph: a line is never passed twice.

use super::lines::{Lines, Link};
use super::rules::{MissingParentRule, Rules};
use crate::transcript::NodeIndex;

/// How far back in time a line may lie that stands in for a missing parent.
const NEAR_MILLIS: i64 = 5_000;

/// The lines from the root to the leaf.
pub(super) fn walk(lines: &Lines<'_, '_>, rules: &Rules, leaf: NodeIndex) -> Vec<NodeIndex> {
    let mut chain = Vec::new();
    let mut seen = vec![false; lines.transcript.nodes().len()];
    let mut bridge = None;
    let mut next = Some(leaf);
    while let Some(index) = next {
        seen[index] = true;
        chain.push(index);
        next = match lines.link(index) {
            Link::Start => None,
            Link::To(parent) if !seen[parent] => Some(parent),
            // A parent that was passed already is as good as missing.
            Link::To(_) | Link::Missing => match rules.missing_parent {
                MissingParentRule::HistoryStarts => None,
                MissingParentRule::NearestInTime => {
                    let bridge = bridge.get_or_insert_with(|| Bridge::new(lines));
                    bridge.before(lines, index, &seen)
                }
            },
        };
    }
    chain.reverse();
    chain
}

/// The lines from the root to the leaf by their parents alone.
pub(super) fn linked(lines: &Lines<'_, '_>, leaf: NodeIndex) -> Vec<NodeIndex> {
    let mut chain = vec![leaf];
    let mut seen = vec![false; lines.transcript.nodes().len()];
    seen[leaf] = true;
    let mut at = leaf;
    while let Link::To(parent) = lines.link(at)
        && !std::mem::replace(&mut seen[parent], true)
    {
        chain.push(parent);
        at = parent;
    }
    chain.reverse();
    chain
}

/// The lines by time, to find the one just before another.
struct Bridge {
    by_time: Vec<(i64, NodeIndex)>,
    /// For each place in `by_time`, one at or before it that is not known to be taken: keeps many searches linear.
    free: Vec<usize>,
}

impl Bridge {
    fn new(lines: &Lines<'_, '_>) -> Self {
        let stamped = lines.known.iter().filter(|&&index| !lines.node(index).is_sidechain);
        let mut by_time: Vec<_> =
            stamped.filter_map(|&index| lines.node(index).millis.map(|millis| (millis, index))).collect();
        // Of several at one time the first in the file is meant, and the search looks from the end.
        by_time.sort_unstable_by_key(|&(millis, index)| (millis, std::cmp::Reverse(index)));
        let free = (0..by_time.len()).collect();
        Self { by_time, free }
    }

    fn before(&mut self, lines: &Lines<'_, '_>, index: NodeIndex, seen: &[bool]) -> Option<NodeIndex> {
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
        for place in passed {
            self.free[place] = found.unwrap_or(0);
        }
        let (time, found) = self.by_time[found?];
        (millis - time <= NEAR_MILLIS).then_some(found)
    }
}
