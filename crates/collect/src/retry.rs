//! How long to wait before a batch is tried again: twice as long each time, with chance in it, so that many machines do not
//! come back at one instant.

use annals_store::source::Source;

/// How patient a pass is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// The first wait, in milliseconds.
    pub first: u64,
    /// The longest.
    pub longest: u64,
    /// How often a batch is tried before the pass ends.
    pub attempts: u32,
}

impl Default for Retry {
    fn default() -> Self {
        Self { first: 500, longest: 60_000, attempts: 8 }
    }
}

impl Retry {
    /// The wait after so many attempts that failed. What the sink asks for is the least, within an hour.
    pub fn wait(&self, failed: u32, asked: Option<u64>, source: &dyn Source) -> u64 {
        let doubled =
            self.first.saturating_mul(1_u64.checked_shl(failed.saturating_sub(1)).unwrap_or(u64::MAX));
        let most = doubled.min(self.longest);
        let random = source.random();
        let chance = u64::from(u16::from_le_bytes([random[0], random[1]]));
        // Between a half and all of it.
        let wait = most / 2 + most.saturating_sub(most / 2) * chance / u64::from(u16::MAX);
        wait.max(asked.unwrap_or(0).min(3_600_000))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use annals_testkit::source::Counting;

    #[test]
    fn waits_double_up_to_the_longest_and_heed_the_sink() {
        let (retry, chance) = (Retry { first: 100, longest: 1000, attempts: 9 }, Counting::default());
        for (failed, most) in [(1, 100), (2, 200), (3, 400), (4, 800), (5, 1000), (64, 1000), (65, 1000)] {
            let wait = retry.wait(failed, None, &chance);
            assert!((most / 2..=most).contains(&wait), "{failed}: {wait}");
        }
        assert_eq!(retry.wait(1, Some(7000), &chance), 7000);
        assert_eq!(retry.wait(1, Some(u64::MAX), &chance), 3_600_000);
    }
}
