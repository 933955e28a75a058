//! Streaks of active days.

/// The longest and the current run of active days.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Streaks {
    /// Days in the longest run.
    pub longest: u64,
    /// Days in the run that includes today or yesterday.
    pub current: u64,
}

/// Computes the streaks of these days (days since 1970, in any order).
pub fn streaks(days: impl IntoIterator<Item = i64>, today: i64) -> Streaks {
    let mut days: Vec<i64> = days.into_iter().collect();
    days.sort_unstable();
    days.dedup();
    let (mut found, mut run) = (Streaks::default(), 0);
    for (at, &day) in days.iter().enumerate() {
        let goes_on = at > 0 && days[at - 1] + 1 == day;
        run = if goes_on { run + 1 } else { 1 };
        found.longest = found.longest.max(run);
        if day == today || day == today - 1 {
            found.current = run;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_in_a_row() {
        let of = |days: &[i64], today| {
            let Streaks { longest, current } = streaks(days.iter().copied(), today);
            (longest, current)
        };
        assert_eq!(of(&[], 10), (0, 0));
        assert_eq!(of(&[5, 3, 4, 4, 9, 10], 10), (3, 2));
        assert_eq!(of(&[3, 4, 5, 9], 10), (3, 1));
        assert_eq!(of(&[3, 4, 5], 10), (3, 0));
    }
}
