//! Linux, macOS and the BSDs.

use std::io;
use std::task::{Context, Poll};

use rustix::process::{Resource, Rlimit, geteuid, getrlimit, setrlimit};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Whether the superuser runs this.
pub(crate) fn is_superuser() -> bool {
    geteuid().is_root()
}

/// Has no core of this process written. On Linux, other programs of the same person cannot look into it either: not into its
/// memory and not into its environment. Commands that are run have their own, and can raise the limit again.
pub(crate) fn guard_memory() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Core);
    // If it is forbidden, there is nothing else to try.
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum });
    // The limit does not hold for cores that are piped to a program.
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
}

/// Waits for Ctrl-C or SIGTERM.
pub(crate) struct StopSignal(Vec<Signal>);

impl StopSignal {
    /// Starts listening; must be called within a runtime.
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self(vec![signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?]))
    }

    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let came = self.0.iter_mut().any(|signal| signal.poll_recv(context).is_ready());
        if came { Poll::Ready(()) } else { Poll::Pending }
    }
}

/// Standard output as a file: a full-screen program writes to it without a buffer that something else could flush.
#[cfg(feature = "tui")]
pub(crate) fn stdout_file() -> io::Result<std::fs::File> {
    use std::os::fd::AsFd;
    Ok(io::stdout().as_fd().try_clone_to_owned()?.into())
}
