//! Quantiles of a list of numbers.

/// Quantiles of a list of numbers, by nearest rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Quantiles {
    /// The count of numbers.
    pub count: u64,
    /// Half of them are at most this.
    pub median: u64,
    /// Nine of ten are at most this.
    pub p90: u64,
    /// The largest.
    pub max: u64,
    /// All numbers added up; stops at `u64::MAX`.
    pub sum: u64,
}

impl Quantiles {
    /// Computes the quantiles; `None` if there are no numbers.
    pub fn of(numbers: impl IntoIterator<Item = u64>) -> Option<Self> {
        let mut sorted: Vec<u64> = numbers.into_iter().collect();
        sorted.sort_unstable();
        let rank = |tenths: usize| sorted.get((sorted.len() * tenths).div_ceil(10).max(1) - 1).copied();
        Some(Self {
            count: sorted.len() as u64,
            median: rank(5)?,
            p90: rank(9)?,
            max: rank(10)?,
            sum: sorted.iter().fold(0, |sum: u64, number| sum.saturating_add(*number)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_numbers_of_the_list() {
        let of = |numbers: &[u64]| {
            Quantiles::of(numbers.iter().copied())
                .map(|found| (found.median, found.p90, found.max, found.sum))
        };
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[7]), Some((7, 7, 7, 7)));
        assert_eq!(of(&[3, 1, 2]), Some((2, 3, 3, 6)));
        assert_eq!(of(&[10, 9, 8, 7, 6, 5, 4, 3, 2, 1]), Some((5, 9, 10, 55)));
    }
}
