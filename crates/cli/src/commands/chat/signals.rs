//! Signals: the first interrupt stops the turn and leaves a whole session, the second one ends the program, and so does a
//! request to end. Where the loop that listens here is stuck, [`last_resort`](super::last_resort) ends it.

use std::future::Future;
use std::pin::pin;
use std::task::Poll;

use annals_agent::command::Command;
use tokio::sync::mpsc::UnboundedSender;

/// What ended the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signal {
    /// A second interrupt.
    Interrupt,
    /// A request to end.
    Terminate,
}

/// What listens.
pub(super) struct Signals {
    /// Where an interrupt is told.
    pub(super) sender: UnboundedSender<Command>,
}

impl Signals {
    /// Carries work out until it is done or a signal ends it; it is dropped then, and all that it started.
    pub(super) async fn or<R>(self, work: impl Future<Output = R>) -> Result<R, Signal> {
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
    async fn wait(self) -> Signal {
        use tokio::signal::unix::{SignalKind, signal};
        let (Ok(mut interrupt), Ok(mut terminate)) =
            (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
        else {
            return std::future::pending().await;
        };
        // Where the terminal is gone, the program goes, and its commands with it; but for whoever was told to stay.
        let mut hangup = (!ignores_hang_ups()).then(|| signal(SignalKind::hangup()).ok()).flatten();
        let mut count = 0;
        loop {
            let came = std::future::poll_fn(|context| {
                let hangs_up =
                    |hangup: &mut tokio::signal::unix::Signal| hangup.poll_recv(context).is_ready();
                if hangup.as_mut().is_some_and(hangs_up) || terminate.poll_recv(context).is_ready() {
                    return Poll::Ready(Signal::Terminate);
                }
                interrupt.poll_recv(context).map(|_| Signal::Interrupt)
            })
            .await;
            count += 1;
            if came == Signal::Terminate || count > 1 || !self.tell() {
                return came;
            }
        }
    }

    #[cfg(not(unix))]
    async fn wait(self) -> Signal {
        let mut count = 0;
        loop {
            if tokio::signal::ctrl_c().await.is_err() {
                return std::future::pending().await;
            }
            count += 1;
            if count > 1 || !self.tell() {
                return Signal::Interrupt;
            }
        }
    }

    /// Tells of an interrupt; `false` where nobody listens.
    fn tell(&self) -> bool {
        self.sender.send(Command::Interrupt).is_ok()
    }
}

/// Whether hang-ups are ignored, as under `nohup`; where that is not told, they are left as they are.
#[cfg(unix)]
fn ignores_hang_ups() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok());
    ignored.is_none_or(|bits| bits & 1 != 0)
}
