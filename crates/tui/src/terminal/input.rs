//! Keys, clicks and pastes from the terminal, decoded by `crossterm`.

use std::io::{self, PipeReader, Read};
use std::time::Duration;

use crossterm::event::{
    self, Event as TerminalEvent, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent,
    MouseEventKind,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::event::Event;
use crate::key::{Key, Mouse};

/// How long `crossterm` is asked for more of one read. If this thread is paused for as long, `crossterm` returns without looking
/// at what it has already read: a caller that then waits for the terminal must come back, or ask with `read_all_events`.
const DRAIN: Duration = Duration::from_millis(1);
const LONG_DRAIN: Duration = Duration::from_millis(10);

/// What ended a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// There may be something to read, or time is up.
    Over,
    /// The terminal is gone: `crossterm` would read its end again and again.
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

/// Reads what is there, as quickly as a frame needs it.
pub(crate) fn read_events() -> io::Result<Vec<Event>> {
    let mut events = Vec::new();
    while event::poll(DRAIN)? {
        events.extend(from_terminal(event::read()?));
    }
    Ok(events)
}

/// Reads what is there and hands on each event at once. Asks twice, so that nothing is left when it returns.
pub(crate) fn read_all_events(mut take: impl FnMut(Event) -> io::Result<()>) -> io::Result<()> {
    while event::poll(LONG_DRAIN)? || event::poll(LONG_DRAIN)? {
        from_terminal(event::read()?).map_or(Ok(()), &mut take)?;
    }
    Ok(())
}

/// The event; `None` for what means nothing here. A change of size is seen by asking for the size.
fn from_terminal(event: TerminalEvent) -> Option<Event> {
    match event {
        TerminalEvent::Paste(text) => Some(Event::Paste(text)),
        TerminalEvent::FocusGained => Some(Event::Focus(true)),
        TerminalEvent::FocusLost => Some(Event::Focus(false)),
        TerminalEvent::Key(KeyEvent {
            code,
            modifiers,
            kind: KeyEventKind::Press | KeyEventKind::Repeat,
            ..
        }) => from_key(code, modifiers).map(Event::Key),
        TerminalEvent::Mouse(MouseEvent { kind, column, row, .. }) => Some(Event::Mouse(match kind {
            MouseEventKind::Down(MouseButton::Left) => Mouse::Click { column, row },
            MouseEventKind::ScrollUp => Mouse::ScrollUp,
            MouseEventKind::ScrollDown => Mouse::ScrollDown,
            _ => return None,
        })),
        _ => None,
    }
}

fn from_key(code: KeyCode, modifiers: KeyModifiers) -> Option<Key> {
    let has_control = modifiers.contains(KeyModifiers::CONTROL);
    let has_alt = modifiers.contains(KeyModifiers::ALT);
    Some(match code {
        KeyCode::Char(character) if has_control => Key::Ctrl(character.to_ascii_lowercase()),
        KeyCode::Char(character) if has_alt => Key::Alt(character),
        KeyCode::Char(character) => Key::Char(character),
        KeyCode::Enter if has_alt => Key::AltEnter,
        KeyCode::Enter if modifiers.contains(KeyModifiers::SHIFT) => Key::ShiftEnter,
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Escape,
        KeyCode::Tab => Key::Tab,
        KeyCode::BackTab => Key::BackTab,
        KeyCode::Backspace if has_alt => Key::AltBackspace,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Delete if has_alt => Key::AltDelete,
        KeyCode::Delete => Key::Delete,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Left if has_control => Key::CtrlLeft,
        KeyCode::Left if has_alt => Key::AltLeft,
        KeyCode::Left => Key::Left,
        KeyCode::Right if has_control => Key::CtrlRight,
        KeyCode::Right if has_alt => Key::AltRight,
        KeyCode::Right => Key::Right,
        KeyCode::Home if has_control => Key::CtrlHome,
        KeyCode::Home => Key::Home,
        KeyCode::End if has_control => Key::CtrlEnd,
        KeyCode::End => Key::End,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_clicks_are_decoded() {
        let (none, control, alt) = (KeyModifiers::NONE, KeyModifiers::CONTROL, KeyModifiers::ALT);
        assert_eq!(from_key(KeyCode::Char('G'), KeyModifiers::SHIFT), Some(Key::Char('G')));
        assert_eq!(from_key(KeyCode::Char('d'), control), Some(Key::Ctrl('d')));
        assert_eq!(from_key(KeyCode::Char('x'), alt), Some(Key::Alt('x')));
        assert_eq!(from_key(KeyCode::Left, alt), Some(Key::AltLeft));
        assert_eq!(from_key(KeyCode::Enter, KeyModifiers::SHIFT), Some(Key::ShiftEnter));
        assert_eq!(from_key(KeyCode::PageDown, none), Some(Key::PageDown));
        let kind = MouseEventKind::Down(MouseButton::Left);
        let click = MouseEvent { kind, column: 3, row: 4, modifiers: none };
        let Some(Event::Mouse(mouse)) = from_terminal(TerminalEvent::Mouse(click)) else { panic!() };
        assert_eq!(mouse, Mouse::Click { column: 3, row: 4 });
        assert!(from_terminal(TerminalEvent::Resize(1, 2)).is_none());
    }
}
