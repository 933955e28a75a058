//! The terminal of the chat screen: taken over, drawn on in one of the two layouts, and put back on every way out of the program.
//!
//! Output processing stays on: warnings that other code prints to standard error must begin at the left edge.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use annals_ui::terminal::ColorMode;
use crossterm::terminal::{disable_raw_mode, enable_raw_mode, window_size};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Signal, kill_current_process_group};
use rustix::termios::{OptionalActions, OutputModes, tcgetattr, tcsetattr};

use super::effect::{ChatInput, ScreenLayout};
use super::inline::InlineRows;
use super::screen::ChatScreen;
use super::terminal_reports::TerminalReports;
use crate::cells::{CellFormat, write_changes};
use crate::clipboard;
use crate::event::Event;
use crate::picture::{CellSize, LEFT, Picture, PictureNumber, VisiblePicture};
use crate::terminal::{InputReader, size};

const NO_WAIT: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };
/// The title of the window is put on a stack, and taken from it at the end.
const ENTER: &str = "\u{1b}[22;2t\u{1b}[?2004h";
const LEAVE: &str = "\u{1b}[?2004l\u{1b}[0m\u{1b}[J\u{1b}[?25h\u{1b}[23;2t";
/// A terminal that knows these shows a frame at once; others ignore them. The cursor is hidden meanwhile.
const BEGIN_FRAME: &str = "\u{1b}[?2026h\u{1b}[?25l";
const END_FRAME: &str = "\u{1b}[?2026l";
/// Lines of the conversation that stay on the terminal after the full layout.
const MAX_LEFT_LINES: usize = 500;

/// What has been done to the terminal: nothing, raw mode, raw mode and the alternate screen.
const RESTORED: u8 = 0;
const RAW: u8 = 1;
const ALTERNATE: u8 = 2;

/// What has to be put back, shared with whatever ends the program.
#[derive(Clone, Debug)]
struct TerminalState {
    out: Arc<File>,
    reports: TerminalReports,
    state: Arc<AtomicU8>,
}

impl TerminalState {
    /// What leaves a state.
    fn leaving(&self, state: u8) -> String {
        let screen = if state == ALTERNATE { self.reports.leave_alternate() } else { String::new() };
        format!("{screen}{}{LEAVE}", self.reports.stop())
    }

    /// Puts the terminal back without waiting for one that is not read; returns whether there was something to put back.
    fn restore_now(&self) -> bool {
        let state = self.state.swap(RESTORED, Ordering::SeqCst);
        if state == RESTORED {
            return false;
        }
        let mut watched = [PollFd::new(&*self.out, PollFlags::OUT)];
        if poll(&mut watched, Some(&NO_WAIT)).is_ok_and(|ready| ready > 0) {
            let _ = (&*self.out).write_all(self.leaving(state).as_bytes());
        }
        let _ = disable_raw_mode();
        true
    }

    fn enter(&self) -> io::Result<()> {
        // Another program may have changed the modes since.
        disable_raw_mode()?;
        enable_raw_mode()?;
        let mut modes = tcgetattr(io::stdin())?;
        modes.output_modes |= OutputModes::OPOST;
        tcsetattr(io::stdin(), OptionalActions::Now, &modes)?;
        // One that was not left, since the process was stopped from outside, is not entered twice: some modes are on a stack.
        let left = match self.state.swap(RAW, Ordering::SeqCst) {
            RESTORED => String::new(),
            state => self.leaving(state),
        };
        (&*self.out).write_all(format!("{left}{ENTER}{}", self.reports.start()).as_bytes())
    }
}

/// The terminal of a chat screen. Dropped, it is put back.
#[derive(Debug)]
pub struct ChatTerminal {
    state: TerminalState,
    mode: ColorMode,
    inline: InlineRows,
    /// The cells of the alternate screen.
    shown: Buffer,
    /// The pictures that the alternate screen knows.
    known: BTreeSet<PictureNumber>,
    /// The pictures that are drawn over its cells.
    overlays: Vec<VisiblePicture>,
}

impl ChatTerminal {
    /// Takes the terminal over; `out` is where it is written to.
    pub fn enter(out: File, mode: ColorMode, reports: TerminalReports) -> io::Result<Self> {
        let state = TerminalState { out: Arc::new(out), reports, state: Arc::default() };
        state.enter()?;
        let (hooked, owner) = (state.clone(), std::thread::current().id());
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let was_taken = hooked.restore_now();
            usual(panic);
            // After a panic of another thread, the conversation continues.
            if was_taken && std::thread::current().id() != owner {
                let _ = hooked.enter();
            }
        }));
        Ok(Self {
            state,
            mode,
            inline: InlineRows::default(),
            shown: Buffer::empty(Rect::ZERO),
            known: BTreeSet::new(),
            overlays: Vec::new(),
        })
    }

    /// Returns what puts the terminal back when this thread is stuck.
    pub fn restorer(&self) -> impl Fn() + Send + Sync + 'static + use<> {
        let state = self.state.clone();
        move || {
            state.restore_now();
        }
    }

    /// Returns columns and rows.
    pub fn size() -> (u16, u16) {
        size()
    }

    /// Returns how many pixels a cell has, if the terminal tells.
    pub fn cell_size() -> Option<CellSize> {
        let window = window_size().ok()?;
        let pixels = |whole: u16, cells: u16| whole.checked_div(cells).filter(|pixels| *pixels > 0);
        let (width, height) = (pixels(window.width, window.columns)?, pixels(window.height, window.rows)?);
        Some(CellSize { width, height })
    }

    fn write(&self, text: &str) -> io::Result<()> {
        (&*self.state.out).write_all(text.as_bytes())
    }

    /// Sets the title of the window, cleaned.
    pub fn set_title(&mut self, title: &str) -> io::Result<()> {
        self.write(&format!("\u{1b}]2;{}\u{7}", annals_ui::one_line(title)))
    }

    /// Rings the bell.
    pub fn ring(&mut self) -> io::Result<()> {
        self.write("\u{7}")
    }

    /// Asks the terminal for a notification of the desktop, with a text that is cleaned.
    pub fn notify(&mut self, text: &str) -> io::Result<()> {
        self.write(&format!("\u{1b}]9;{}\u{7}", annals_ui::one_line(text)))
    }

    /// Asks the terminal to put a text on the clipboard. One that is too long is an error: a part of it would mislead.
    pub fn copy(&mut self, text: &str) -> io::Result<()> {
        if clipboard::fitting(text).1 {
            let why =
                format!("the text is longer than the {} bytes that terminals accept", clipboard::MAX_BYTES);
            return Err(io::Error::other(why));
        }
        self.write(&clipboard::sequence(text))
    }

    /// Follows a new size.
    pub fn resize(&mut self, screen: &mut ChatScreen) {
        let new = size();
        // It may have been another one in between, which has cut or wrapped what was shown.
        self.inline.resize(new.0);
        self.shown = Buffer::empty(Rect::ZERO);
        screen.resize(new);
    }

    /// Draws everything again.
    pub fn redraw(&mut self) -> io::Result<()> {
        self.inline.forget();
        self.shown = Buffer::empty(Rect::ZERO);
        self.known.clear();
        self.write("\u{1b}[H\u{1b}[2J")
    }

    /// Stops this process and its job, as the terminal itself would, and returns when it continues.
    pub fn suspend(&mut self) -> io::Result<()> {
        self.leave()?;
        kill_current_process_group(Signal::STOP)?;
        self.enter_again()
    }

    /// Gives the terminal to another program, until [`enter_again`](Self::enter_again).
    pub fn leave(&mut self) -> io::Result<()> {
        self.leave_rows()?;
        self.state.restore_now();
        Ok(())
    }

    /// Takes the terminal over again, after another program may have had it.
    pub fn enter_again(&mut self) -> io::Result<()> {
        self.state.enter()?;
        self.inline.forget();
        self.shown = Buffer::empty(Rect::ZERO);
        Ok(())
    }

    /// Draws the screen: only what changed is written, in one piece.
    pub fn draw(&mut self, screen: &mut ChatScreen) -> io::Result<()> {
        let mut text = String::new();
        let is_alternate = screen.options.layout == ScreenLayout::Full || screen.is_covered();
        self.switch(is_alternate, &mut text);
        if is_alternate {
            self.draw_alternate(screen, &mut text);
        } else {
            let finished = screen.scroll_off();
            let (cells, cursor) = screen.draw();
            let format = CellFormat { mode: self.mode, links: screen.status.links() };
            self.inline.write(&finished, &cells, cursor, format, &mut text);
        }
        self.write(&format!("{BEGIN_FRAME}{text}\u{1b}[?25h{END_FRAME}"))
    }

    fn draw_alternate(&mut self, screen: &mut ChatScreen, text: &mut String) {
        let (cells, cursor) = screen.draw();
        let mut next = Buffer::empty(Rect::new(0, 0, screen.size.0, screen.size.1));
        next.merge(&cells);
        next.resize(Rect::new(0, 0, screen.size.0, screen.size.1));
        if self.shown.area != next.area {
            self.shown = Buffer::empty(next.area);
            text.push_str("\u{1b}[0m\u{1b}[2J");
            self.overlays.clear();
        }
        let (overlays, placeholders): (Vec<_>, Vec<_>) =
            std::mem::take(&mut screen.placed).into_iter().partition(|picture| picture.is_overlay);
        for VisiblePicture { number, .. } in placeholders {
            if let (Some(picture), true) = (screen.log.picture(number), self.known.insert(number)) {
                text.push_str(&picture.sequence);
            }
        }
        let overlays = self.moved_overlays(&overlays, screen);
        let format = CellFormat { mode: self.mode, links: screen.status.links() };
        write_changes(&self.shown, &next, format, text);
        for (place, sequence) in overlays {
            let _ = write!(text, "\u{1b}[{};{}H{sequence}", place.row + 1, LEFT + 1);
        }
        let last = usize::from(screen.size.1).saturating_sub(1);
        let (column, row) = cursor.unwrap_or((0, last));
        let _ = write!(text, "\u{1b}[{};{}H", row + 1, column + 1);
        self.shown = next;
    }

    /// The pictures to draw over cells: those that are whole and not where they were. Cells that have one no more are written again,
    /// which removes it.
    fn moved_overlays<'s>(
        &mut self,
        placed: &[VisiblePicture],
        screen: &'s ChatScreen,
    ) -> Vec<(VisiblePicture, &'s str)> {
        let whole = placed.iter().filter_map(|place| {
            let picture = screen.log.picture(place.number)?;
            (place.first == 0 && place.rows == usize::from(picture.rows)).then_some((*place, picture))
        });
        let whole: Vec<(VisiblePicture, &Picture)> = whole.collect();
        let is_there = |old: &VisiblePicture| whole.iter().any(|(place, _)| place == old);
        for old in self.overlays.iter().filter(|old| !is_there(old)) {
            for row in old.row..old.row + old.rows {
                for column in LEFT..LEFT.saturating_add(old.columns) {
                    let at = (column, u16::try_from(row).unwrap_or(u16::MAX));
                    if let Some(cell) = self.shown.cell_mut(at) {
                        // The last character of a private area: no cell that is drawn has it.
                        cell.set_symbol("\u{10fffd}");
                    }
                }
            }
        }
        let before = std::mem::replace(&mut self.overlays, whole.iter().map(|(place, _)| *place).collect());
        let moved = whole.into_iter().filter(|(place, _)| !before.contains(place));
        moved.map(|(place, picture)| (place, picture.sequence.as_str())).collect()
    }

    /// Changes to the alternate screen or back.
    fn switch(&mut self, is_alternate: bool, text: &mut String) {
        let wanted = if is_alternate { ALTERNATE } else { RAW };
        if self.state.state.swap(wanted, Ordering::SeqCst) == wanted {
            return;
        }
        if is_alternate {
            self.inline.erase(text);
            text.push_str(&self.state.reports.enter_alternate());
            self.shown = Buffer::empty(Rect::ZERO);
        } else {
            std::mem::take(&mut self.known).iter().for_each(|number| text.push_str(&number.removal()));
            text.push_str(&self.state.reports.leave_alternate());
            self.inline.forget();
        }
    }

    /// Leaves the rows below the scrollback, so that what follows stands where they were.
    fn leave_rows(&mut self) -> io::Result<()> {
        let mut text = String::new();
        self.switch(false, &mut text);
        self.inline.erase(&mut text);
        self.write(&text)
    }

    /// Ends: what is not in the scrollback goes there.
    pub fn finish(&mut self, screen: &mut ChatScreen) -> io::Result<()> {
        self.leave_rows()?;
        let finished = screen.take_finished().last(MAX_LEFT_LINES);
        let mut text = String::new();
        let format = CellFormat { mode: self.mode, links: &[] };
        screen.finished_rows(finished).write(format, &mut text);
        self.write(&text)
    }
}

impl Drop for ChatTerminal {
    fn drop(&mut self) {
        self.state.restore_now();
    }
}

/// Reads keys, pastes and the mouse.
#[derive(Debug, Default)]
pub struct ChatInputReader {
    reader: InputReader,
}

impl ChatInputReader {
    /// Waits for what the person does and hands it on. `turn` waits while another program has the terminal, whose keys they are. A
    /// terminal that is gone is an error, as is one of `take`.
    pub fn read(
        &mut self,
        turn: impl FnOnce(),
        mut take: impl FnMut(ChatInput) -> io::Result<()>,
    ) -> io::Result<()> {
        let stdin = io::stdin();
        let mut watched = [PollFd::new(&stdin, PollFlags::IN)];
        match poll(&mut watched, None) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
        let events = watched[0].revents();
        if !events.contains(PollFlags::IN) || events.contains(PollFlags::HUP) {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        turn();
        if !matches!(poll(&mut watched, Some(&NO_WAIT)), Ok(ready) if ready > 0) {
            return Ok(());
        }
        self.reader.read(|event| match event {
            Event::Key(key) => take(ChatInput::Key(key)),
            Event::Paste(text) => take(ChatInput::Paste(text)),
            Event::Mouse(mouse) => take(ChatInput::Mouse(mouse)),
            Event::Focus(has_focus) => take(ChatInput::Focus(has_focus)),
            Event::Resize(..) | Event::Tick(_) | Event::Answer(_) => Ok(()),
        })
    }
}
