//! Claimed ranges of a text, so that no two replacements overlap.

use std::collections::BTreeMap;
use std::ops::Range;

/// A set of ranges that do not overlap.
#[derive(Clone, Debug, Default)]
pub struct ClaimedRanges(BTreeMap<usize, usize>);

impl ClaimedRanges {
    /// Claims a range; returns `false` if it overlaps a claimed one.
    pub fn claim(&mut self, part: &Range<usize>) -> bool {
        // No two overlap, so the last one that begins before our end is the one that reaches furthest.
        let is_free = self.0.range(..part.end).next_back().is_none_or(|(_, end)| *end <= part.start);
        if is_free {
            self.0.insert(part.start, part.end);
        }
        is_free
    }
}
