//! The terminal: taken over, drawn on, and put back on every way out of the program.

mod decode;
mod input;
mod key_code;

use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use annals_ui::terminal::ColorMode;
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::{Position, Rect};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Signal, kill_current_process_group};

pub(crate) use input::{InputReader, Wait};

use crate::app::App;
use crate::cells;

/// The other screen, no cursor, clicks and the wheel, marked pastes.
const ENTER: &str = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?1000h\u{1b}[?1006h\u{1b}[?2004h";
const LEAVE: &str = "\u{1b}[?2026l\u{1b}[?2004l\u{1b}[?1006l\u{1b}[?1000l\u{1b}[0m\u{1b}[?25h\u{1b}[?1049l";
/// A terminal that knows these shows a frame at once; others ignore them.
const BEGIN_FRAME: &str = "\u{1b}[?2026h";
const END_FRAME: &str = "\u{1b}[?2026l";
const NO_WAIT: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };

/// The terminal, in full screen. Dropped, it is put back.
pub(crate) struct Terminal {
    out: Arc<File>,
    is_entered: Arc<AtomicBool>,
    /// Whether another thread panicked, and put the terminal back.
    has_panicked: Arc<AtomicBool>,
    mode: ColorMode,
    shown: Buffer,
    cursor: Option<Position>,
}

impl Terminal {
    /// Takes the terminal over. `out` is where it is written to.
    pub(crate) fn enter(out: File, mode: ColorMode) -> io::Result<Self> {
        let mut terminal = Self {
            out: Arc::new(out),
            is_entered: Arc::default(),
            has_panicked: Arc::default(),
            mode,
            shown: Buffer::empty(Rect::ZERO),
            cursor: None,
        };
        terminal.restore_on_panic();
        terminal.enter_again()?;
        Ok(terminal)
    }

    /// Puts the terminal back before a panic is reported, without waiting for a terminal that is not read.
    fn restore_on_panic(&self) {
        let (out, is_entered) = (Arc::clone(&self.out), Arc::clone(&self.is_entered));
        let has_panicked = Arc::clone(&self.has_panicked);
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if is_entered.swap(false, Ordering::SeqCst) {
                let mut watched = [PollFd::new(&*out, PollFlags::OUT)];
                if poll(&mut watched, Some(&NO_WAIT)).is_ok_and(|ready| ready > 0) {
                    let _ = (&*out).write_all(LEAVE.as_bytes());
                }
                let _ = disable_raw_mode();
                has_panicked.store(true, Ordering::SeqCst);
            }
            usual(panic);
        }));
    }

    /// Takes the terminal over again, after another program had it.
    pub(crate) fn enter_again(&mut self) -> io::Result<()> {
        enable_raw_mode()?;
        self.is_entered.store(true, Ordering::SeqCst);
        self.write(ENTER)?;
        self.forget();
        Ok(())
    }

    /// Puts the terminal back.
    pub(crate) fn leave(&mut self) -> io::Result<()> {
        if !self.is_entered.swap(false, Ordering::SeqCst) {
            return Ok(());
        }
        let written = self.write(LEAVE);
        disable_raw_mode()?;
        written
    }

    /// Stops this process and its job, as the terminal itself would, and returns when it continues.
    pub(crate) fn suspend(&mut self) -> io::Result<()> {
        self.leave()?;
        kill_current_process_group(Signal::STOP)?;
        self.enter_again()
    }

    /// Whether a thread panicked: then the screen is gone.
    pub(crate) fn has_panicked(&self) -> bool {
        self.has_panicked.load(Ordering::SeqCst)
    }

    /// Draws everything next time.
    pub(crate) fn forget(&mut self) {
        self.shown = Buffer::empty(Rect::ZERO);
    }

    pub(crate) fn write(&mut self, text: &str) -> io::Result<()> {
        (&*self.out).write_all(text.as_bytes())
    }

    /// Draws an app: only cells that changed are written, in one piece.
    pub(crate) fn draw(&mut self, app: &App) -> io::Result<()> {
        let mut next = Buffer::empty(Rect::new(0, 0, app.size.0, app.size.1));
        let cursor = crate::draw::draw(app, &mut next);
        let is_new = self.shown.area != next.area;
        if is_new {
            self.shown = Buffer::empty(next.area);
        }
        let mut text = String::new();
        if is_new {
            text.push_str("\u{1b}[0m\u{1b}[2J");
        }
        let format = cells::CellFormat { mode: self.mode, links: &[] };
        cells::write_changes(&self.shown, &next, format, &mut text);
        if !text.is_empty() || cursor != self.cursor {
            let end = match cursor {
                Some(at) => format!("\u{1b}[{};{}H\u{1b}[?25h", at.y + 1, at.x + 1),
                None => "\u{1b}[?25l".to_owned(),
            };
            self.write(&format!("{BEGIN_FRAME}\u{1b}[?25l{text}{end}{END_FRAME}"))?;
        }
        (self.shown, self.cursor) = (next, cursor);
        Ok(())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // There is nothing else to try.
        let _ = self.leave();
    }
}

/// Columns and rows.
pub(crate) fn size() -> (u16, u16) {
    crossterm::terminal::size().ok().filter(|(columns, rows)| *columns > 0 && *rows > 0).unwrap_or((80, 24))
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;

    use annals_testkit::home::Home;
    use annals_testkit::terminal::Terminal as TestTerminal;

    use super::*;

    /// Runs one of the tests below in a terminal of its own; the terminal is put back before the panic is reported, once.
    #[track_caller]
    fn is_put_back_after(name: &str) {
        let program = std::env::current_exe().unwrap();
        let name = format!("terminal::tests::{name}");
        let words = [&*program.to_string_lossy(), "--exact", &name, "--ignored", "--nocapture"];
        let home = Home::new();
        let mut terminal = TestTerminal::run(|setsid| home.command(setsid), &words, (80, 24));
        terminal.code();
        let bytes = String::from_utf8_lossy(&terminal.bytes()).into_owned();
        let at = |text: &str| bytes.find(text).unwrap_or_else(|| panic!("no {text:?} in {bytes:?}"));
        assert!(at("?1049h") < at("?1049l") && at("?1049l") < at("of the test"), "{bytes:?}");
        assert_eq!(bytes.matches("?1049l").count(), 1, "{bytes:?}");
        assert_eq!(format!("{:?}", terminal.modes()), format!("{:?}", terminal.initial_modes()));
    }

    fn enter() -> Terminal {
        let out = io::stdout().as_fd().try_clone_to_owned().unwrap();
        Terminal::enter(out.into(), ColorMode::Ansi).unwrap()
    }

    #[test]
    fn a_panic_is_said_on_a_terminal_as_it_was() {
        is_put_back_after("panics");
    }

    #[test]
    fn a_panic_of_another_thread_ends_the_screen_too() {
        is_put_back_after("another_thread_panics");
    }

    #[test]
    #[ignore = "run by a test above, in a terminal of its own"]
    fn panics() {
        let _terminal = enter();
        panic!("of the test");
    }

    #[test]
    #[ignore = "run by a test above, in a terminal of its own"]
    fn another_thread_panics() {
        let terminal = enter();
        std::thread::spawn(|| panic!("of the test")).join().unwrap_err();
        assert!(terminal.has_panicked());
    }
}
