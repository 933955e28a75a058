//! The runtime of a conversation. Whoever leaves does not wait for what still reads and reckons on a thread of its own:
//! nothing of it is written, and it may take as long as it likes.

use std::future::Future;

use tokio::runtime::{Builder, Runtime};

use crate::error::Fault;

/// One for the thread that calls.
pub(super) fn new() -> Result<Runtime, Fault> {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| Fault::internal(format!("no runtime: {error}")))
}

/// Carries work out, and leaves.
pub(super) fn carry_out<R>(runtime: Runtime, work: impl Future<Output = R>) -> R {
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
        carry_out(new().unwrap(), async {
            tokio::task::spawn_blocking(move || {
                // A test that fails is not to hang.
                let _ = tell.send(held.recv_timeout(Duration::from_secs(20)));
            });
        });
        assert!(told.try_recv().is_err(), "it was waited for");
        drop(hold);
        assert_eq!(told.recv(), Ok(Err(RecvTimeoutError::Disconnected)));
    }
}
