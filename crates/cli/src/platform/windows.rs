//! Windows, which has no signals but Ctrl-C and no cores.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Whether an administrator runs this; not known.
pub(crate) fn is_superuser() -> bool {
    false
}

/// There is nothing to do: cores are not written.
pub(crate) fn guard_memory() {}

/// Waits for Ctrl-C.
pub(crate) struct StopSignal(Pin<Box<dyn Future<Output = io::Result<()>>>>);

impl StopSignal {
    /// Starts listening; must be called within a runtime.
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self(Box::pin(tokio::signal::ctrl_c())))
    }

    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        self.0.as_mut().poll(context).map(drop)
    }
}
