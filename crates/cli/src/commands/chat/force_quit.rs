//! The way out when the thread that should answer is stuck, such as one that writes to a reader that stopped: it needs nothing
//! of that thread, and leaves no command behind.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use annals_agent::mcp::McpServers;
use annals_agent::tools::bash::Shells;

/// Unanswered interrupts after which the program ends.
const MAX_UNANSWERED: u32 = 3;
/// How long an orderly end may take; commands have two seconds of it.
const GRACE: Duration = Duration::from_secs(5);

/// Ends the program when its main thread is stuck.
pub(super) struct ForceQuit {
    unanswered: AtomicU32,
    shells: Mutex<Weak<Shells>>,
    servers: Mutex<McpServers>,
    restore: Box<dyn Fn() + Send + Sync>,
}

impl ForceQuit {
    /// Creates one that calls `restore` before it ends the program.
    pub(super) fn new(restore: impl Fn() + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self {
            unanswered: AtomicU32::new(0),
            shells: Mutex::new(Weak::new()),
            servers: Mutex::default(),
            restore: Box::new(restore),
        })
    }

    /// Ends these commands and servers, too, when the program is ended.
    pub(super) fn watch(&self, shells: &Arc<Shells>, servers: &McpServers) {
        *self.shells.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(shells);
        *self.servers.lock().unwrap_or_else(PoisonError::into_inner) = servers.clone();
    }

    /// Counts an interrupt; ends the program after too many unanswered ones.
    pub(super) fn interrupted(&self) {
        if self.unanswered.fetch_add(1, Ordering::SeqCst) + 1 >= MAX_UNANSWERED {
            self.leave(130);
        }
    }

    /// Notes that an interrupt was handled.
    pub(super) fn answer(&self) {
        self.unanswered.store(0, Ordering::SeqCst);
    }

    /// Ends the program. Lines are written whole, so the session stays intact.
    #[allow(clippy::exit, reason = "the main thread does not respond; exiting")]
    fn leave(&self, code: i32) -> ! {
        (self.restore)();
        let shells = self.shells.lock().unwrap_or_else(PoisonError::into_inner).upgrade();
        if let Some(shells) = shells {
            shells.end_all();
        }
        self.servers.lock().unwrap_or_else(PoisonError::into_inner).end_all();
        std::process::exit(code)
    }

    /// Starts to listen to signals, on a separate thread and runtime.
    #[cfg(unix)]
    pub(super) fn listen(self: &Arc<Self>) {
        use tokio::signal::unix::SignalKind;
        for (kind, is_interrupt) in [(SignalKind::interrupt(), true), (SignalKind::terminate(), false)] {
            let resort = Arc::clone(self);
            std::thread::spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
                let Ok(runtime) = runtime else { return };
                runtime.block_on(async {
                    let Ok(mut signals) = tokio::signal::unix::signal(kind) else { return };
                    while signals.recv().await.is_some() {
                        if is_interrupt {
                            resort.interrupted();
                        } else {
                            tokio::time::sleep(GRACE).await;
                            resort.leave(143);
                        }
                    }
                });
            });
        }
    }

    /// Does nothing: this system has no signals.
    #[cfg(not(unix))]
    pub(super) fn listen(self: &Arc<Self>) {}
}
