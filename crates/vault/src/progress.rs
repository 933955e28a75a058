//! Progress of a long operation on a vault, and a way to stop it.

use std::ops::ControlFlow;

use crate::error::VaultError;

/// Is notified of progress, and may stop the operation.
pub trait Progress {
    /// This many more bytes were read.
    fn read(&mut self, _bytes: u64) {}

    /// Called before each step; `Break` stops here, as a crash would.
    fn step(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Returns an error if the operation is to stop.
    fn check(&mut self) -> Result<(), VaultError> {
        if self.step().is_continue() { Ok(()) } else { Err(VaultError::Stopped) }
    }
}

/// Ignores progress and never stops.
#[derive(Clone, Copy, Debug)]
pub struct NoProgress;

impl Progress for NoProgress {}
