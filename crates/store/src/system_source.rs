//! The clock and the random numbers of the machine: the only file of the libraries that gets either from the system.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::source::{Clock, Source};

/// A [`Source`] that uses the system's clock and random numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemSource;

impl Clock for SystemSource {
    fn now(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    }

    fn pause(&self, millis: u64) {
        std::thread::sleep(Duration::from_millis(millis));
    }
}

impl Source for SystemSource {
    /// # Panics
    ///
    /// If the system has no random numbers.
    #[allow(
        clippy::expect_used,
        reason = "without random numbers an id could belong to another record: nothing must be written"
    )]
    fn random(&self) -> [u8; 16] {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).expect("the system has no random numbers");
        bytes
    }
}
