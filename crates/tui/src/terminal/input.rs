//! Keys, clicks and pastes, read from the terminal.

use std::io::{self, PipeReader, Read};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::decode::InputDecoder;
use crate::event::Event;

const NO_WAIT: Duration = Duration::ZERO;
/// The rest of a sequence comes sooner: what has come is all there is.
const REST: Duration = Duration::from_millis(25);

/// What ended a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// There may be something to read, or time is up.
    Over,
    TerminalGone,
}

impl Wait {
    /// Waits for the terminal, for a byte in the pipe, or for the time to pass.
    pub(crate) fn for_input(wake: &mut PipeReader, longest: Duration) -> io::Result<Self> {
        let stdin = io::stdin();
        let time = Timespec { tv_sec: 0, tv_nsec: i64::from(longest.subsec_nanos()) };
        let mut watched = [PollFd::new(&stdin, PollFlags::IN), PollFd::new(wake, PollFlags::IN)];
        match poll(&mut watched, Some(&time)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(Self::Over),
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        let gone = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
        if watched[0].revents().intersects(gone) {
            return Ok(Self::TerminalGone);
        }
        if watched[1].revents().contains(PollFlags::IN) {
            let _ = wake.read(&mut [0; 64])?;
        }
        Ok(Self::Over)
    }
}

/// Reads the terminal.
#[derive(Debug, Default)]
pub(crate) struct InputReader {
    decoder: InputDecoder,
}

impl InputReader {
    /// Reads what is there, and hands on each event. A terminal that is gone is an error.
    pub(crate) fn read(&mut self, mut take: impl FnMut(Event) -> io::Result<()>) -> io::Result<()> {
        let mut events = Vec::new();
        let mut bytes = [0; 16 * 1024];
        loop {
            // An escape that nothing has followed by now is the key: no key would wait for it.
            let wait = match self.decoder.is_incomplete() && !self.decoder.holds_escapes() {
                true => REST,
                false => NO_WAIT,
            };
            if !is_ready(wait)? {
                self.decoder.flush(&mut events);
                return events.drain(..).try_for_each(&mut take);
            }
            match rustix::io::read(io::stdin(), &mut bytes) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => self.decoder.feed(&bytes[..count], &mut events),
                Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => {}
                Err(error) => return Err(error.into()),
            }
            events.drain(..).try_for_each(&mut take)?;
        }
    }
}

/// Whether the terminal has something within a time.
fn is_ready(wait: Duration) -> io::Result<bool> {
    let stdin = io::stdin();
    let time = Timespec { tv_sec: 0, tv_nsec: i64::from(wait.subsec_nanos()) };
    let mut watched = [PollFd::new(&stdin, PollFlags::IN)];
    match poll(&mut watched, Some(&time)) {
        Ok(_) => Ok(watched[0].revents().contains(PollFlags::IN)),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
