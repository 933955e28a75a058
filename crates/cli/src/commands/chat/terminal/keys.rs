//! Keys from the terminal: `crossterm` decodes them where the cursor can be moved, and lines are read where the terminal
//! edits them itself.

use std::io::{self, BufRead};
use std::sync::Arc;
use std::time::Duration;

use annals_ui::chat::{Key, TermCaps};
use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::termios::tcgetattr;
use tokio::sync::mpsc::UnboundedSender;

use super::super::force_quit::ForceQuit;
use super::ui_event::UiEvent;

/// How long `crossterm` is asked for more keys. If this thread is paused for as long, `crossterm` returns without looking at the
/// keys that it has already read; then they would wait for the next key. So it is asked twice.
const DRAIN: Duration = Duration::from_millis(10);

type SendKey<'a> = dyn FnMut(Key) -> io::Result<()> + 'a;

/// Starts a thread that reads keys.
pub(super) fn read_keys(sender: UnboundedSender<UiEvent>, caps: TermCaps, force_quit: Arc<ForceQuit>) {
    std::thread::spawn(move || {
        let read: fn(&mut SendKey<'_>) -> io::Result<()> = match caps {
            TermCaps::Cursor => read_events,
            TermCaps::Lines => read_lines,
        };
        // The conversation may end before its terminal: then nobody takes the keys.
        let mut send = |key| {
            if key == Key::Interrupt {
                force_quit.interrupted();
            }
            sender.send(UiEvent::Key(key)).map_err(|_| io::ErrorKind::BrokenPipe.into())
        };
        while read(&mut send).is_ok() {}
        let _ = sender.send(UiEvent::Terminated);
    });
}

/// Waits for keys. A terminal that is gone is an error here: `crossterm` would read its end again and again.
fn read_events(send: &mut SendKey<'_>) -> io::Result<()> {
    let stdin = io::stdin();
    let mut watched = [PollFd::new(&stdin, PollFlags::IN)];
    match poll(&mut watched, None) {
        Ok(_) if !watched[0].revents().contains(PollFlags::IN) => {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        Ok(_) if watched[0].revents().contains(PollFlags::HUP) => {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        Ok(_) => {}
        Err(rustix::io::Errno::INTR) => return Ok(()),
        Err(error) => return Err(error.into()),
    }
    while event::poll(DRAIN)? || event::poll(DRAIN)? {
        from_event(event::read()?).map_or(Ok(()), &mut *send)?;
    }
    Ok(())
}

/// Reads a line that the terminal has edited.
fn read_lines(send: &mut SendKey<'_>) -> io::Result<()> {
    let mut line = Vec::new();
    if io::stdin().lock().read_until(b'\n', &mut line)? == 0 {
        // On a terminal, more may follow; without one, the end would be read again and again.
        tcgetattr(io::stdin())?;
        return send(Key::EndOfInput);
    }
    let is_sent = line.ends_with(b"\n");
    let text = String::from_utf8_lossy(&line);
    let characters = text.trim_end_matches(['\r', '\n']).chars().map(Key::Char);
    characters.chain(is_sent.then_some(Key::Enter)).try_for_each(send)
}

/// Returns the key of an event; `None` for what means nothing here.
fn from_event(event: Event) -> Option<Key> {
    match event {
        Event::Paste(text) => Some(Key::Paste(text.replace("\r\n", "\n").replace('\r', "\n"))),
        Event::Key(KeyEvent {
            code, modifiers, kind: KeyEventKind::Press | KeyEventKind::Repeat, ..
        }) => from_key(code, modifiers),
        _ => None,
    }
}

fn from_key(code: KeyCode, modifiers: KeyModifiers) -> Option<Key> {
    let is_control = modifiers.contains(KeyModifiers::CONTROL);
    let is_alt = modifiers.contains(KeyModifiers::ALT);
    Some(match code {
        KeyCode::Char(character) if is_control => from_control(character)?,
        KeyCode::Char('b') if is_alt => Key::WordLeft,
        KeyCode::Char('f') if is_alt => Key::WordRight,
        KeyCode::Char(_) if is_alt => return None,
        KeyCode::Char(character) => Key::Char(character),
        KeyCode::Enter if is_alt => Key::LineBreak,
        KeyCode::Enter => Key::Enter,
        KeyCode::Tab => Key::Tab,
        KeyCode::Backspace if is_alt => Key::DeleteWord,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Delete => Key::Delete,
        KeyCode::Left if is_control || is_alt => Key::WordLeft,
        KeyCode::Right if is_control || is_alt => Key::WordRight,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::Esc => Key::Escape,
        _ => return None,
    })
}

fn from_control(character: char) -> Option<Key> {
    Some(match character {
        'a' => Key::Home,
        'b' => Key::Left,
        'c' => Key::Interrupt,
        'd' => Key::EndOfInput,
        'e' => Key::End,
        'f' => Key::Right,
        'h' => Key::Backspace,
        'j' => Key::LineBreak,
        'k' => Key::DeleteToEnd,
        'l' => Key::Redraw,
        'n' => Key::Down,
        'p' => Key::Up,
        'u' => Key::DeleteToStart,
        'w' => Key::DeleteWord,
        'z' => Key::Suspend,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_mean_what_they_mean_in_a_shell() {
        let (none, control, alt) = (KeyModifiers::NONE, KeyModifiers::CONTROL, KeyModifiers::ALT);
        let cases = [
            (KeyCode::Char('é'), none, Some(Key::Char('é'))),
            (KeyCode::Char('A'), KeyModifiers::SHIFT, Some(Key::Char('A'))),
            (KeyCode::Char('c'), control, Some(Key::Interrupt)),
            (KeyCode::Char('d'), control, Some(Key::EndOfInput)),
            (KeyCode::Char('j'), control, Some(Key::LineBreak)),
            (KeyCode::Char('h'), control, Some(Key::Backspace)),
            (KeyCode::Char('b'), alt, Some(Key::WordLeft)),
            (KeyCode::Enter, none, Some(Key::Enter)),
            (KeyCode::Enter, alt, Some(Key::LineBreak)),
            (KeyCode::Left, control, Some(Key::WordLeft)),
            (KeyCode::Right, alt, Some(Key::WordRight)),
            (KeyCode::Esc, none, Some(Key::Escape)),
            (KeyCode::F(5), none, None),
            (KeyCode::Char('x'), control, None),
        ];
        for (code, modifiers, expected) in cases {
            assert_eq!(from_key(code, modifiers), expected, "{code:?} {modifiers:?}");
        }
        let paste = Event::Paste("one\r\ntwo\rthree".to_owned());
        assert_eq!(from_event(paste), Some(Key::Paste("one\ntwo\nthree".to_owned())));
        assert_eq!(from_event(Event::Resize(80, 24)), None);
    }
}
