//! Work on a thread of its own that ends when nobody waits for it any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::InputError;

/// Asks work to stop; asked by the work itself now and then.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Whether to stop.
    pub(crate) fn is_wanted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Sets it when dropped.
struct WhenDropped(Stop);

impl Drop for WhenDropped {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}

/// Runs work beside the others. Dropping the future asks it to stop.
pub(crate) async fn beside<T: Send + 'static>(
    work: impl FnOnce(&Stop) -> Result<T, InputError> + Send + 'static,
) -> Result<T, InputError> {
    let stop = Stop::default();
    let guard = WhenDropped(stop.clone());
    let done = tokio::task::spawn_blocking(move || work(&stop)).await;
    drop(guard);
    done.unwrap_or_else(|_| Err(InputError("The work ended before it was done.".to_owned())))
}
