//! Parts of a text that are spoken for, so that no two replacements overlap.

use std::collections::BTreeMap;
use std::ops::Range;

/// The parts that are taken.
#[derive(Clone, Debug, Default)]
pub struct Taken(BTreeMap<usize, usize>);

impl Taken {
    /// Takes a part, unless some of it is taken already.
    pub fn take(&mut self, part: &Range<usize>) -> bool {
        // No two overlap, so the last one that begins before our end is the one that reaches furthest.
        let is_free = self.0.range(..part.end).next_back().is_none_or(|(_, end)| *end <= part.start);
        if is_free {
            self.0.insert(part.start, part.end);
        }
        is_free
    }
}
