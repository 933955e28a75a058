//! The async runtime of a conversation. Leaving does not wait for threads that still read or compute:
//! they write nothing, and may take long.

use std::future::Future;

use tokio::runtime::{Builder, Runtime};

use crate::error::Fault;

/// Creates a runtime for the calling thread.
pub(crate) fn new() -> Result<Runtime, Fault> {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| Fault::of_io(&error, format!("cannot start the async runtime: {error}")))
}

/// Runs work, and does not wait for background threads.
pub(crate) fn block_on<R>(runtime: Runtime, work: impl Future<Output = R>) -> R {
    let done = runtime.block_on(work);
    runtime.shutdown_background();
    done
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{RecvTimeoutError, channel};
    use std::time::Duration;

    use super::*;

    #[test]
    fn nobody_waits_for_a_thread_that_does_not_end() {
        let (hold, held) = channel::<()>();
        let (tell, told) = channel();
        block_on(new().unwrap(), async {
            tokio::task::spawn_blocking(move || {
                // A failing test must not hang.
                let _ = tell.send(held.recv_timeout(Duration::from_secs(20)));
            });
        });
        assert!(told.try_recv().is_err(), "it was waited for");
        drop(hold);
        assert_eq!(told.recv(), Ok(Err(RecvTimeoutError::Disconnected)));
    }
}
