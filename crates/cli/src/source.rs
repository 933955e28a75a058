//! The machine's clock and random numbers: the store's, as a type of this crate, which the agent's traits need.

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
