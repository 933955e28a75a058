//! Whoever looks on while something long is done to a vault.

use std::ops::ControlFlow;

use crate::error::VaultError;

/// Is told how far it is, and may stop it.
pub trait Witness {
    /// So many bytes were read.
    fn read(&mut self, _bytes: u64) {}

    /// Another step is about to be done; to stop here is what a crash would do.
    fn step(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Asks whether to go on.
    fn goes_on(&mut self) -> Result<(), VaultError> {
        if self.step().is_continue() { Ok(()) } else { Err(VaultError::Stopped) }
    }
}

/// Nobody looks on.
#[derive(Clone, Copy, Debug)]
pub struct Nobody;

impl Witness for Nobody {}
