//! What differs between systems: the user, signals that end a server, the memory of this process, standard output as a file.

use std::future::Future;
use std::pin::pin;
use std::task::Poll;

#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod system;

#[cfg(all(unix, feature = "tui"))]
pub(crate) use system::stdout_file;
pub(crate) use system::{StopSignal, guard_memory, is_superuser};

impl StopSignal {
    /// Runs work until it is done or a signal arrives.
    pub(crate) async fn or(mut self, work: impl Future<Output = ()>) {
        let mut work = pin!(work);
        std::future::poll_fn(|context| match work.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(()),
            Poll::Pending => self.poll(context),
        })
        .await;
    }
}
