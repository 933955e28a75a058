//! What can happen while a conversation is had, from all sides in one queue: keys, events of the conversation, signals.

use std::io;
use std::sync::Arc;

use annals_agent::event::Event;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::Signal;
use rustix::termios::tcgetattr;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::UnboundedSender;

use super::super::last_resort::LastResort;
use super::keys::{Breaks, Decoder, Key};

/// Something that happened.
#[derive(Clone, Debug)]
pub(super) enum Happening {
    /// A key, or the signal that means the same.
    Key(Key),
    /// The conversation tells something.
    Event(Box<Event>),
    /// Time has passed.
    Tick,
    /// The terminal has another size.
    Resized,
    /// The program goes on after it was stopped.
    Continued,
    /// The program shall end, or the terminal is gone.
    Terminated,
}

/// How long an escape waits for what belongs to it.
const AFTER_ESCAPE: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// Begins to listen to the keyboard.
pub(super) fn listen_to_keys(
    sender: UnboundedSender<Happening>,
    breaks: Breaks,
    last_resort: Arc<LastResort>,
) {
    std::thread::spawn(move || {
        let mut decoder = Decoder::new(breaks);
        let mut bytes = [0; 4096];
        loop {
            let keys = match read(&decoder, &mut bytes) {
                // On a terminal, more may follow; where there is none any more, this would come for ever.
                Ok(Some(0)) if tcgetattr(io::stdin()).is_ok() => vec![Key::EndOfInput],
                Ok(Some(count @ 1..)) => decoder.feed(&bytes[..count]),
                Ok(None) => decoder.give_up(),
                Ok(Some(0)) | Err(_) => {
                    let _ = sender.send(Happening::Terminated);
                    return;
                }
            };
            for key in keys {
                if key == Key::Interrupt {
                    last_resort.interrupted();
                }
                if sender.send(Happening::Key(key)).is_err() {
                    return;
                }
            }
        }
    });
}

/// Reads; nothing where an escape waits and nothing follows it.
fn read(decoder: &Decoder, bytes: &mut [u8]) -> io::Result<Option<usize>> {
    loop {
        let stdin = io::stdin();
        if decoder.is_waiting() {
            let mut watched = [PollFd::new(&stdin, PollFlags::IN)];
            match poll(&mut watched, Some(&AFTER_ESCAPE)) {
                Ok(0) => return Ok(None),
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        match rustix::io::read(&stdin, &mut *bytes) {
            Ok(count) => return Ok(Some(count)),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Begins to listen to signals; inside of a runtime.
pub(super) fn listen_to_signals(sender: &UnboundedSender<Happening>) {
    let kinds = [
        (SignalKind::interrupt(), Happening::Key(Key::Interrupt)),
        (SignalKind::terminate(), Happening::Terminated),
        (SignalKind::hangup(), Happening::Terminated),
        (SignalKind::window_change(), Happening::Resized),
        (SignalKind::from_raw(Signal::TSTP.as_raw()), Happening::Key(Key::Suspend)),
        (SignalKind::from_raw(Signal::CONT.as_raw()), Happening::Continued),
    ];
    for (kind, happening) in kinds {
        // A signal that cannot be listened to does what it does to any program.
        let Ok(mut signals) = signal(kind) else { continue };
        let sender = sender.clone();
        tokio::spawn(async move {
            while signals.recv().await.is_some() {
                if sender.send(happening.clone()).is_err() {
                    return;
                }
            }
        });
    }
}
