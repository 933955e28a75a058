//! The way out when the thread that should answer is stuck, as one is that writes to whoever does not read: it needs nothing
//! of that thread, and leaves no command behind.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use annals_agent::tools::bash::Shells;

/// So many interrupts that nobody answers end the program.
const MOST_UNANSWERED: u32 = 3;
/// How long the program may take to end in order once it is asked to; commands have two seconds of it.
const GRACE: Duration = Duration::from_secs(5);

/// What is to be done before the program can be left.
pub(super) struct LastResort {
    unanswered: AtomicU32,
    shells: Mutex<Weak<Shells>>,
    put_back: Box<dyn Fn() + Send + Sync>,
}

impl LastResort {
    /// One that puts back what must not stay as it is.
    pub(super) fn new(put_back: impl Fn() + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self {
            unanswered: AtomicU32::new(0),
            shells: Mutex::new(Weak::new()),
            put_back: Box::new(put_back),
        })
    }

    /// The commands that run from here on.
    pub(super) fn watch_over(&self, shells: &Arc<Shells>) {
        *self.shells.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(shells);
    }

    /// Somebody wants it to stop; the third time that nobody answers, this ends the program.
    pub(super) fn interrupted(&self) {
        if self.unanswered.fetch_add(1, Ordering::SeqCst) + 1 >= MOST_UNANSWERED {
            self.leave(130);
        }
    }

    /// An interrupt was dealt with.
    pub(super) fn answer(&self) {
        self.unanswered.store(0, Ordering::SeqCst);
    }

    /// Leaves; lines are written whole, so the session is, too.
    #[allow(clippy::exit, reason = "the thread that could end the program in order does not answer")]
    fn leave(&self, code: i32) -> ! {
        (self.put_back)();
        let shells = self.shells.lock().unwrap_or_else(PoisonError::into_inner).upgrade();
        if let Some(shells) = shells {
            shells.end_all();
        }
        std::process::exit(code)
    }

    /// Begins to listen to signals, on a thread and a runtime of its own.
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

    /// Signals are listened to where there are some.
    #[cfg(not(unix))]
    pub(super) fn listen(self: &Arc<Self>) {}
}
