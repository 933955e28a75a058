//! The steps of a change: a place after each at which it could be interrupted, for tests that do.

use std::ops::ControlFlow;

use super::WriteError;

/// Counts steps, and tells somebody who may stop there as a crash would.
pub struct Steps<'w> {
    watch: Option<&'w mut dyn FnMut(usize) -> ControlFlow<()>>,
    count: usize,
}

impl<'w> Steps<'w> {
    /// Steps that nobody watches.
    pub fn unwatched() -> Self {
        Self { watch: None, count: 0 }
    }

    /// Steps, each told to `watch` before it is made.
    pub fn new(watch: &'w mut dyn FnMut(usize) -> ControlFlow<()>) -> Self {
        Self { watch: Some(watch), count: 0 }
    }

    /// The next step begins. An error leaves everything as it is at this instant.
    pub fn step(&mut self) -> Result<(), WriteError> {
        let count = self.count;
        self.count += 1;
        match self.watch.as_mut().map(|watch| watch(count)) {
            Some(ControlFlow::Break(())) => Err(WriteError::Stopped),
            _ => Ok(()),
        }
    }
}

impl std::fmt::Debug for Steps<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Steps").field("count", &self.count).finish_non_exhaustive()
    }
}
