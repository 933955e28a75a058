//! The lines whose elements have an id: they come nearly in their order, so a sorted list is faster than a table.

/// A set of numbers of lines.
#[derive(Clone, Debug, Default)]
pub(super) struct LineSet(Vec<usize>);

impl LineSet {
    /// Adds a line; whether it is new.
    pub(super) fn insert(&mut self, line: usize) -> bool {
        if self.0.last().is_none_or(|last| *last < line) {
            self.0.push(line);
            return true;
        }
        match self.0.binary_search(&line) {
            Ok(_) => false,
            Err(at) => {
                self.0.insert(at, line);
                true
            }
        }
    }

    /// Whether no line is in both.
    pub(super) fn is_disjoint(&self, other: &Self) -> bool {
        let (Some(first), Some(last)) = (self.0.first(), other.0.last()) else { return true };
        last < first || !self.0.iter().any(|line| other.0.binary_search(line).is_ok())
    }

    /// Adds all lines of another set.
    pub(super) fn extend(&mut self, other: &Self) {
        let is_after = self.0.last() < other.0.first();
        self.0.extend_from_slice(&other.0);
        if !is_after {
            self.0.sort_unstable();
            self.0.dedup();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn it_is_a_set_in_whatever_order_lines_come() {
        let (mut set, mut model) = (LineSet::default(), BTreeSet::new());
        for line in [3, 5, 4, 5, 9, 1, 1, 9, 2, 12] {
            assert_eq!(set.insert(line), model.insert(line), "{line}");
        }
        let of = |lines: &[usize]| {
            let mut set = LineSet::default();
            for line in lines {
                set.insert(*line);
            }
            set
        };
        for lines in [&[][..], &[6], &[6, 7, 20], &[12], &[0, 13], &[13, 14]] {
            let other = of(lines);
            let is_disjoint = lines.iter().all(|line| !model.contains(line));
            assert_eq!((set.is_disjoint(&other), other.is_disjoint(&set)), (is_disjoint, is_disjoint));
            let mut both = set.clone();
            both.extend(&other);
            let expected: BTreeSet<usize> = model.iter().chain(lines).copied().collect();
            assert_eq!(both.0, expected.into_iter().collect::<Vec<_>>());
        }
    }
}
