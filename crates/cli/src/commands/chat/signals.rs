//! Signals: the first interrupt stops the turn and leaves a whole session, the second one ends the program, and so does a
//! request to end. If this loop is stuck, [`force_quit`](super::force_quit) ends it.

use std::future::Future;
use std::pin::pin;
use std::task::Poll;

use annals_agent::protocol::Command;
use tokio::sync::mpsc::UnboundedSender;

use crate::error::Outcome;

/// The signal that ended the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExitSignal {
    /// A second interrupt.
    Interrupt,
    /// A request to end.
    Terminate,
}

impl ExitSignal {
    /// How the command ends. The turn stays as it is, and can be resumed.
    pub(super) fn outcome(self) -> Outcome {
        match self {
            Self::Interrupt => Outcome::Interrupted,
            Self::Terminate => Outcome::Terminated,
        }
    }
}

/// Listens to signals.
pub(super) struct SignalListener {
    /// Receives interrupts as commands.
    pub(super) sender: UnboundedSender<Command>,
}

impl SignalListener {
    /// Runs work until it is done or a signal ends it; then it is dropped with everything that it started.
    pub(super) async fn or<R>(self, work: impl Future<Output = R>) -> Result<R, ExitSignal> {
        let mut work = pin!(work);
        let mut signal = pin!(self.wait());
        std::future::poll_fn(|context| {
            if let Poll::Ready(done) = work.as_mut().poll(context) {
                return Poll::Ready(Ok(done));
            }
            signal.as_mut().poll(context).map(Err)
        })
        .await
    }

    #[cfg(unix)]
    async fn wait(self) -> ExitSignal {
        use tokio::signal::unix::{SignalKind, signal};
        let (Ok(mut interrupt), Ok(mut terminate)) =
            (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
        else {
            return std::future::pending().await;
        };
        // A hang-up ends the program and its commands, unless it is ignored.
        let mut hangup = (!ignores_hang_ups()).then(|| signal(SignalKind::hangup()).ok()).flatten();
        let mut count = 0;
        loop {
            let came = std::future::poll_fn(|context| {
                let hangs_up =
                    |hangup: &mut tokio::signal::unix::Signal| hangup.poll_recv(context).is_ready();
                if hangup.as_mut().is_some_and(hangs_up) || terminate.poll_recv(context).is_ready() {
                    return Poll::Ready(ExitSignal::Terminate);
                }
                interrupt.poll_recv(context).map(|_| ExitSignal::Interrupt)
            })
            .await;
            count += 1;
            if came == ExitSignal::Terminate || count > 1 || !self.interrupt() {
                return came;
            }
        }
    }

    #[cfg(not(unix))]
    async fn wait(self) -> ExitSignal {
        let mut count = 0;
        loop {
            if tokio::signal::ctrl_c().await.is_err() {
                return std::future::pending().await;
            }
            count += 1;
            if count > 1 || !self.interrupt() {
                return ExitSignal::Interrupt;
            }
        }
    }

    /// Sends an interrupt; `false` without a receiver.
    fn interrupt(&self) -> bool {
        self.sender.send(Command::Interrupt).is_ok()
    }
}

/// Returns whether hang-ups are ignored, as under `nohup`; assumed if that is unknown.
#[cfg(unix)]
fn ignores_hang_ups() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok());
    ignored.is_none_or(|bits| bits & 1 != 0)
}
