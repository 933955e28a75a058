//! Time and chance that a test foresees.

use std::sync::atomic::{AtomicU64, Ordering};

use annals_store::source::{Clock, Source};

/// A clock that advances by a second with each call, and ids that count up.
#[derive(Debug)]
pub struct CountingSource {
    start: i64,
    asked: AtomicU64,
    given: AtomicU64,
}

impl CountingSource {
    /// Starts at this time, in milliseconds since 1970.
    pub fn from(start: i64) -> Self {
        Self { start, asked: AtomicU64::new(0), given: AtomicU64::new(0) }
    }
}

impl Default for CountingSource {
    /// Starts at the beginning of 2026.
    fn default() -> Self {
        Self::from(1_767_225_600_000)
    }
}

impl Clock for CountingSource {
    fn now(&self) -> i64 {
        self.start + 1000 * i64::try_from(self.asked.fetch_add(1, Ordering::Relaxed)).unwrap_or(0)
    }

    fn pause(&self, _: u64) {}
}

impl Source for CountingSource {
    fn random(&self) -> [u8; 16] {
        // The first eight bytes count too: readable names are made of them.
        let number = self.given.fetch_add(1, Ordering::Relaxed) + 1;
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&number.to_le_bytes());
        bytes[8..].copy_from_slice(&number.to_be_bytes());
        bytes
    }
}
