//! How often somebody may ask: a number a minute, with a burst of as many.

use std::collections::HashMap;

/// How many names are remembered; beyond that, those that have their whole minute left are dropped.
const MAX_NAMES: usize = 10_000;

/// Counts requests by name.
#[derive(Debug)]
pub(crate) struct RateLimiter {
    per_minute: f64,
    /// How many requests each may still send, and when that was so.
    left: HashMap<String, (f64, i64)>,
}

impl RateLimiter {
    pub(crate) fn new(per_minute: u32) -> Self {
        Self { per_minute: f64::from(per_minute.max(1)), left: HashMap::new() }
    }

    /// Whether another request is allowed; if not, after how many seconds.
    pub(crate) fn check(&mut self, name: &str, now: i64) -> Result<(), u64> {
        let left = self.left_at(name, now);
        match left >= 1.0 {
            true => Ok(()),
            false => Err(((1.0 - left) * 60.0 / self.per_minute).ceil().max(1.0) as u64),
        }
    }

    /// Counts a request, if it is allowed.
    pub(crate) fn take(&mut self, name: &str, now: i64) -> Result<(), u64> {
        self.check(name, now)?;
        let left = self.left_at(name, now);
        if self.left.len() >= MAX_NAMES && !self.left.contains_key(name) {
            let (per_minute, known) = (self.per_minute, std::mem::take(&mut self.left));
            let is_used =
                |(_, (left, at)): &(String, (f64, i64))| refilled(*left, *at, now, per_minute) < per_minute;
            self.left = known.into_iter().filter(is_used).collect();
        }
        self.left.insert(name.to_owned(), (left - 1.0, now));
        Ok(())
    }

    fn left_at(&self, name: &str, now: i64) -> f64 {
        let known = self.left.get(name);
        known.map_or(self.per_minute, |(left, at)| refilled(*left, *at, now, self.per_minute))
    }
}

fn refilled(left: f64, at: i64, now: i64, per_minute: f64) -> f64 {
    let passed = now.saturating_sub(at).max(0) as f64;
    (left + passed * per_minute / 60_000.0).min(per_minute)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minute_gives_as_many_requests_and_each_name_has_its_own() {
        let mut limiter = RateLimiter::new(3);
        for _ in 0..3 {
            assert_eq!(limiter.take("a", 0), Ok(()));
        }
        assert_eq!(limiter.take("a", 0), Err(20));
        assert_eq!(limiter.take("a", 15_000), Err(5));
        assert_eq!(limiter.take("b", 0), Ok(()));
        assert_eq!(limiter.take("a", 20_000), Ok(()));
        assert_eq!(limiter.check("a", 20_000), Err(20));
        // A clock that is set back gives nothing, and takes nothing away.
        assert_eq!(limiter.check("a", 0), Err(20));
        assert_eq!((0..9).filter(|_| limiter.take("a", 10_000_000).is_ok()).count(), 3);
    }
}
