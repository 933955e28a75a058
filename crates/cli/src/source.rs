//! The machine's clock and random numbers: the store's, as a type of this crate, which the agent's traits need.

use annals_agent::api::call::RetryClock;
use annals_store::source::{Clock, Source};

/// The system's clock and random numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SystemSource;

impl Clock for SystemSource {
    fn now(&self) -> i64 {
        annals_store::SystemSource.now()
    }

    fn pause(&self, millis: u64) {
        annals_store::SystemSource.pause(millis);
    }
}

impl Source for SystemSource {
    fn random(&self) -> [u8; 16] {
        annals_store::SystemSource.random()
    }
}

impl RetryClock for SystemSource {
    fn now(&self) -> i64 {
        Clock::now(self)
    }

    fn jitter(&self) -> f64 {
        let bytes = self.random();
        f64::from(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])) / (f64::from(u32::MAX) + 1.0)
    }
}
