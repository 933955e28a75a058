//! Raw mode of the terminal: entered by `crossterm`, left on every way out of the program.
//!
//! Output processing stays on, unlike in the raw mode of `crossterm`: warnings that other code prints to standard error
//! must begin at the left edge.

use std::io::{self, Write};

use annals_ui::TerminalText;
use annals_ui::chat::TermCaps;
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use crossterm::{Command, execute};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Signal, kill_current_process_group};
use rustix::termios::{OptionalActions, OutputModes, tcgetattr, tcsetattr};

const NO_WAIT: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };

/// Puts the terminal back without waiting: a terminal that is not read may block the printing thread, and hold the lock of
/// standard output with it.
pub(super) fn restore_now(caps: TermCaps) {
    if caps == TermCaps::Lines {
        return;
    }
    let out = rustix::stdio::stdout();
    let mut watched = [PollFd::from_borrowed_fd(out, PollFlags::OUT)];
    if poll(&mut watched, Some(&NO_WAIT)).is_ok_and(|ready| ready > 0) {
        let mut sequence = String::new();
        let _ = DisableBracketedPaste.write_ansi(&mut sequence);
        let _ = rustix::io::write(out, sequence.as_bytes());
    }
    let _ = disable_raw_mode();
}

fn restore(caps: TermCaps) {
    if caps == TermCaps::Cursor {
        // There is nothing else to try.
        let _ = execute!(io::stdout(), DisableBracketedPaste);
        let _ = disable_raw_mode();
    }
}

/// Enters raw mode, also when another program has changed the modes since.
fn enter(caps: TermCaps) -> io::Result<()> {
    if caps == TermCaps::Lines {
        return Ok(());
    }
    disable_raw_mode()?;
    enable_raw_mode()?;
    let mut modes = tcgetattr(io::stdin())?;
    modes.output_modes |= OutputModes::OPOST;
    tcsetattr(io::stdin(), OptionalActions::Now, &modes)?;
    execute!(io::stdout(), EnableBracketedPaste)
}

/// The terminal of this process, in raw mode if its cursor can be moved. Dropped, it is restored.
#[derive(Debug)]
pub(super) struct RawTerminal {
    caps: TermCaps,
}

impl RawTerminal {
    /// Takes the terminal over.
    pub(super) fn enter(caps: TermCaps) -> io::Result<Self> {
        enter(caps)?;
        let terminal = Self { caps };
        terminal.restore_on_panic();
        Ok(terminal)
    }

    /// Restores the terminal before a panic is reported. After a panic of another thread, the conversation continues.
    fn restore_on_panic(&self) {
        let (caps, owner) = (self.caps, std::thread::current().id());
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            restore_now(caps);
            usual(panic);
            if std::thread::current().id() != owner {
                let _ = enter(caps);
            }
        }));
    }

    /// Stops this process and its whole job, as the terminal itself would, and returns when it continues. Started commands
    /// are separate jobs.
    pub(super) fn suspend(&self) -> io::Result<()> {
        restore(self.caps);
        kill_current_process_group(Signal::STOP)?;
        self.enter_again()
    }

    /// Enters raw mode again, after another program may have left it.
    pub(super) fn enter_again(&self) -> io::Result<()> {
        enter(self.caps)
    }
}

impl Drop for RawTerminal {
    fn drop(&mut self) {
        restore(self.caps);
    }
}

/// Writes to the terminal at once.
pub(super) fn write_out(text: &TerminalText) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_str().as_bytes())?;
    out.flush()
}

/// Returns columns and rows.
pub(super) fn size() -> (usize, usize) {
    let (columns, rows) = crossterm::terminal::size().unwrap_or((80, 24));
    (usize::from(columns).max(10), usize::from(rows).max(3))
}

#[cfg(test)]
mod tests {
    use annals_testkit::home::Home;
    use annals_testkit::terminal::Terminal;

    use super::*;

    const HERE: &str = "commands::chat::terminal::raw_mode::tests";

    /// Runs one of the tests below in a separate terminal.
    fn in_terminal(name: &str) -> Terminal {
        let program = std::env::current_exe().unwrap();
        let name = format!("{HERE}::{name}");
        let words = [&*program.to_string_lossy(), "--exact", &name, "--ignored", "--nocapture"];
        let home = Home::new();
        let mut terminal = Terminal::run(|setsid| home.command(setsid), &words, (80, 24));
        terminal.code();
        terminal
    }

    /// Whether the terminal was restored before anything was printed.
    #[track_caller]
    fn is_restored_before(terminal: &Terminal, words: &str) {
        let bytes = String::from_utf8_lossy(&terminal.bytes()).into_owned();
        let at = |text: &str| bytes.find(text).unwrap_or_else(|| panic!("no {text:?} in {bytes:?}"));
        assert!(at("\x1b[?2004h") < at("\x1b[?2004l") && at("\x1b[?2004l") < at(words), "{bytes:?}");
        assert!(bytes.contains("modes as they were"), "{bytes:?}");
        assert_eq!(format!("{:?}", terminal.modes()), format!("{:?}", terminal.initial_modes()));
    }

    #[test]
    fn a_panic_is_said_on_a_terminal_as_it_was() {
        is_restored_before(&in_terminal("panics"), "of the test");
    }

    #[test]
    #[ignore = "run by the test above, in a terminal of its own"]
    fn panics() {
        let initial = format!("{:?}", tcgetattr(io::stdin()).unwrap());
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if format!("{:?}", tcgetattr(io::stdin()).unwrap()) == initial {
                write_out(&TerminalText::block("modes as they were\n")).unwrap();
            }
            usual(panic);
        }));
        let _terminal = RawTerminal::enter(TermCaps::Cursor).unwrap();
        panic!("of the test");
    }

    #[test]
    fn a_panic_of_somebody_else_leaves_the_conversation_as_it_is() {
        let terminal = in_terminal("somebody_else_panics");
        is_restored_before(&terminal, "of another thread");
        assert!(terminal.text().contains("raw again"), "{}", terminal.text());
    }

    #[test]
    #[ignore = "run by the test above, in a terminal of its own"]
    fn somebody_else_panics() {
        let initial = tcgetattr(io::stdin()).unwrap().local_modes;
        let terminal = RawTerminal::enter(TermCaps::Cursor).unwrap();
        let raw = tcgetattr(io::stdin()).unwrap().local_modes;
        std::thread::spawn(|| panic!("of another thread")).join().unwrap_err();
        assert_eq!(tcgetattr(io::stdin()).unwrap().local_modes, raw);
        write_out(&TerminalText::block("raw again\n")).unwrap();
        drop(terminal);
        assert_eq!(tcgetattr(io::stdin()).unwrap().local_modes, initial);
        write_out(&TerminalText::block("modes as they were\n")).unwrap();
    }
}
