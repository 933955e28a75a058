//! The terminal as a device: raw while somebody types, put back on every way out.

use std::io::{self, Write};

use rustix::process::{Signal, getpid, kill_process};
use rustix::termios::{
    InputModes, LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr,
};

/// A paste comes between marks.
const MARK_PASTES: &[u8] = b"\x1b[?2004h";
const LEAVE_PASTES: &[u8] = b"\x1b[?2004l";

/// What a terminal can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Skill {
    /// The cursor can be moved: what is typed stands below what is said.
    Moving,
    /// Lines follow lines, and the terminal itself edits them.
    Lines,
}

/// How the terminal was; nothing where nothing is changed.
#[derive(Clone, Debug)]
pub(super) struct Before(Option<Termios>);

impl Before {
    /// Puts the terminal back; it can be taken over again.
    pub(super) fn restore(&self) {
        if let Some(before) = &self.0 {
            // There is nobody to tell, and nothing else to try.
            let _ = tell(LEAVE_PASTES);
            let _ = tcsetattr(io::stdin(), OptionalActions::Drain, before);
        }
    }
}

/// The terminal of this process. Dropped, it is as it was.
#[derive(Debug)]
pub(super) struct Tty {
    before: Before,
}

impl Tty {
    /// Takes the terminal over.
    pub(super) fn take(skill: Skill) -> io::Result<Self> {
        let before = match skill {
            Skill::Moving => Some(tcgetattr(io::stdin())?),
            Skill::Lines => None,
        };
        let tty = Self { before: Before(before) };
        tty.enter()?;
        Ok(tty)
    }

    /// How it was, for whoever must put it back when its owner cannot.
    pub(super) fn before(&self) -> Before {
        self.before.clone()
    }

    fn enter(&self) -> io::Result<()> {
        let Some(before) = &self.before.0 else { return Ok(()) };
        let mut raw = before.clone();
        // Ctrl-C comes as a key: then it is known what it is meant for. Output is left as it is.
        raw.local_modes -= LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG | LocalModes::IEXTEN;
        raw.input_modes -= InputModes::IXON | InputModes::ICRNL | InputModes::INLCR | InputModes::IGNCR;
        raw.special_codes[SpecialCodeIndex::VMIN] = 1;
        raw.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(io::stdin(), OptionalActions::Drain, &raw)?;
        tell(MARK_PASTES)
    }

    /// Stops this process as a shell expects it; returns when it goes on.
    pub(super) fn suspend(&self) -> io::Result<()> {
        self.before.restore();
        kill_process(getpid(), Signal::STOP)?;
        self.enter()
    }

    /// After somebody else may have changed it.
    pub(super) fn again(&self) -> io::Result<()> {
        self.enter()
    }
}

impl Drop for Tty {
    fn drop(&mut self) {
        self.before.restore();
    }
}

fn tell(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

/// Columns and rows.
pub(super) fn size() -> (usize, usize) {
    let known = terminal_size::terminal_size();
    let (columns, rows) =
        known.map_or((80, 24), |(width, height)| (usize::from(width.0), usize::from(height.0)));
    (columns.max(10), rows.max(3))
}
