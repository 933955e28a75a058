//! The terminal as a device: raw while somebody types, put back on every way out.

use std::io::{self, Write};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Signal, kill_current_process_group};
use rustix::termios::{
    InputModes, LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr,
};

/// A paste comes between marks.
const MARK_PASTES: &[u8] = b"\x1b[?2004h";
const LEAVE_PASTES: &[u8] = b"\x1b[?2004l";

const AT_ONCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };

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
    /// Puts the terminal back without waiting for anybody: whoever prints may wait for ever for a terminal that nobody
    /// reads, and hold what is printed with.
    pub(super) fn restore_at_once(&self) {
        if let Some(before) = &self.0 {
            let out = rustix::stdio::stdout();
            let mut watched = [PollFd::from_borrowed_fd(out, PollFlags::OUT)];
            if poll(&mut watched, Some(&AT_ONCE)).is_ok_and(|ready| ready > 0) {
                let _ = rustix::io::write(out, LEAVE_PASTES);
            }
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, before);
        }
    }

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
        tty.put_back_on_panic();
        Ok(tty)
    }

    /// A panic is said on a terminal as it was. Where another thread panics, the conversation goes on.
    fn put_back_on_panic(&self) {
        let (before, owner) = (self.before.clone(), std::thread::current().id());
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            before.restore_at_once();
            usual(panic);
            if std::thread::current().id() != owner {
                let _ = enter(&before);
            }
        }));
    }

    /// How it was, for whoever must put it back when its owner cannot.
    pub(super) fn before(&self) -> Before {
        self.before.clone()
    }

    fn enter(&self) -> io::Result<()> {
        enter(&self.before)
    }

    /// Stops this process and whoever else is one job with it, as the terminal itself would: a shell waits for all of them.
    /// Returns when it goes on. Commands that were started are jobs of their own.
    pub(super) fn suspend(&self) -> io::Result<()> {
        self.before.restore();
        kill_current_process_group(Signal::STOP)?;
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

fn enter(before: &Before) -> io::Result<()> {
    let Some(before) = &before.0 else { return Ok(()) };
    let mut raw = before.clone();
    // Ctrl-C comes as a key: then it is known what it is meant for. Output is left as it is.
    raw.local_modes -= LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG | LocalModes::IEXTEN;
    raw.input_modes -= InputModes::IXON | InputModes::ICRNL | InputModes::INLCR | InputModes::IGNCR;
    raw.special_codes[SpecialCodeIndex::VMIN] = 1;
    raw.special_codes[SpecialCodeIndex::VTIME] = 0;
    tcsetattr(io::stdin(), OptionalActions::Drain, &raw)?;
    tell(MARK_PASTES)
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

#[cfg(test)]
mod tests {
    use annals_testkit::home::Home;
    use annals_testkit::terminal::Terminal;

    use super::*;

    const HERE: &str = "commands::chat::terminal::tty::tests";

    /// Runs one of the tests below in a terminal of its own.
    fn in_terminal(name: &str) -> Terminal {
        let program = std::env::current_exe().unwrap();
        let name = format!("{HERE}::{name}");
        let words = [&*program.to_string_lossy(), "--exact", &name, "--ignored", "--nocapture"];
        let home = Home::new();
        let mut terminal = Terminal::run(|setsid| home.command(setsid), &words, (80, 24));
        terminal.code();
        terminal
    }

    /// Whether the terminal is as it was, and was so before something was said.
    #[track_caller]
    fn is_put_back_before(terminal: &Terminal, words: &str) {
        let bytes = String::from_utf8_lossy(&terminal.bytes()).into_owned();
        let at = |text: &str| bytes.find(text).unwrap_or_else(|| panic!("no {text:?} in {bytes:?}"));
        assert!(at("\x1b[?2004h") < at("\x1b[?2004l") && at("\x1b[?2004l") < at(words), "{bytes:?}");
        assert!(bytes.contains("modes as they were"), "{bytes:?}");
        assert_eq!(format!("{:?}", terminal.modes()), format!("{:?}", terminal.untouched()));
    }

    #[test]
    fn a_panic_is_said_on_a_terminal_as_it_was() {
        is_put_back_before(&in_terminal("panics"), "of the test");
    }

    #[test]
    #[ignore = "run by the test above, in a terminal of its own"]
    fn panics() {
        let untouched = format!("{:?}", tcgetattr(io::stdin()).unwrap());
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if format!("{:?}", tcgetattr(io::stdin()).unwrap()) == untouched {
                tell(b"modes as they were\n").unwrap();
            }
            usual(panic);
        }));
        let _tty = Tty::take(Skill::Moving).unwrap();
        panic!("of the test");
    }

    #[test]
    fn a_panic_of_somebody_else_leaves_the_conversation_as_it_is() {
        let terminal = in_terminal("somebody_else_panics");
        is_put_back_before(&terminal, "of another thread");
        assert!(terminal.text().contains("raw again"), "{}", terminal.text());
    }

    #[test]
    #[ignore = "run by the test above, in a terminal of its own"]
    fn somebody_else_panics() {
        let untouched = tcgetattr(io::stdin()).unwrap().local_modes;
        let tty = Tty::take(Skill::Moving).unwrap();
        let raw = tcgetattr(io::stdin()).unwrap().local_modes;
        std::thread::spawn(|| panic!("of another thread")).join().unwrap_err();
        assert_eq!(tcgetattr(io::stdin()).unwrap().local_modes, raw);
        tell(b"raw again\n").unwrap();
        drop(tty);
        assert_eq!(tcgetattr(io::stdin()).unwrap().local_modes, untouched);
        tell(b"modes as they were\n").unwrap();
    }
}
