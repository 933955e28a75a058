//! Runs blocking work on another thread, and stops it when its future is dropped.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::InputError;

/// Tells blocking work to stop. The work checks it from time to time.
#[derive(Clone, Debug, Default)]
pub(crate) struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Whether the work should stop.
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

struct StopOnDrop(StopFlag);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}

/// Runs work on another thread. Dropping the future sets the flag.
pub(crate) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce(&StopFlag) -> Result<T, InputError> + Send + 'static,
) -> Result<T, InputError> {
    let stop = StopFlag::default();
    let guard = StopOnDrop(stop.clone());
    let done = tokio::task::spawn_blocking(move || work(&stop)).await;
    drop(guard);
    done.unwrap_or_else(|_| Err(InputError("The call ended before it was complete.".to_owned())))
}
