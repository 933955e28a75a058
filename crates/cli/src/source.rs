//! The clock and the chance of the machine.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use annals_store::source::{Clock, Source};

/// The machine's own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SystemSource;

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
    #[allow(
        clippy::expect_used,
        reason = "without chance every id could be somebody else's: nothing must be written"
    )]
    fn random(&self) -> [u8; 16] {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).expect("the system has no random numbers to give");
        bytes
    }
}
