//! What a terminal sends, decoded: bytes become keys, clicks, pastes and reports of focus. It reads nothing and knows no time.
//!
//! Keys come as terminals have always sent them, as xterm's `modifyOtherKeys` sends them, and by the protocol of kitty. All three
//! become the same keys: see [`super::key_code`]. Answers to questions that nobody asked are dropped.

use super::key_code::{Modifiers, control_key, key_of_code, modified, special_key};
use crate::event::Event;
use crate::key::{Key, Mouse};

const ESCAPE: u8 = 0x1b;
const PASTE_END: &[u8] = b"\x1b[201~";
/// A longer sequence is none.
const MAX_SEQUENCE: usize = 64;

/// Whether bytes may still follow those that are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rest {
    Follows,
    Nothing,
}

/// What stands first among bytes.
#[derive(Debug)]
enum Token {
    /// This many bytes are something, or nothing that means anything here.
    Whole(usize, Option<Event>),
    /// This many bytes begin a paste.
    PasteStart(usize),
    /// The rest of it is missing.
    Incomplete,
}

/// Decodes what a terminal sends.
#[derive(Debug, Default)]
pub(crate) struct InputDecoder {
    held: Vec<u8>,
    /// The paste that has begun.
    paste: Option<Vec<u8>>,
}

impl InputDecoder {
    /// Takes bytes; what is complete is added to the events.
    pub(crate) fn feed(&mut self, bytes: &[u8], events: &mut Vec<Event>) {
        match &mut self.paste {
            Some(paste) => {
                // The end may be in two pieces.
                let from = paste.len().saturating_sub(PASTE_END.len() - 1);
                paste.extend_from_slice(bytes);
                self.end_paste(from, events);
            }
            None => {
                self.held.extend_from_slice(bytes);
                self.decode(Rest::Follows, events);
            }
        }
    }

    /// Whether something has begun that is not complete. A paste waits for its end, however long that takes.
    pub(crate) fn is_incomplete(&self) -> bool {
        !self.held.is_empty()
    }

    /// Whether escape was pressed, as far as is known: nothing else begins with it that comes in two pieces.
    pub(crate) fn holds_escapes(&self) -> bool {
        !self.held.is_empty() && self.held.iter().all(|byte| *byte == ESCAPE)
    }

    /// Takes what is held for what it is alone.
    pub(crate) fn flush(&mut self, events: &mut Vec<Event>) {
        self.decode(Rest::Nothing, events);
    }

    fn decode(&mut self, rest: Rest, events: &mut Vec<Event>) {
        let mut at = 0;
        while at < self.held.len() {
            match first(&self.held[at..], rest) {
                Token::Whole(length, event) => {
                    events.extend(event);
                    at += length;
                }
                Token::PasteStart(length) => {
                    self.paste = Some(self.held.split_off(at + length));
                    self.held.clear();
                    return self.end_paste(0, events);
                }
                Token::Incomplete => break,
            }
        }
        self.held.drain(..at);
    }

    /// Hands the paste on if its end is there, at or behind a place.
    fn end_paste(&mut self, from: usize, events: &mut Vec<Event>) {
        let Some(paste) = &mut self.paste else { return };
        let found = paste[from..].windows(PASTE_END.len()).position(|window| window == PASTE_END);
        let Some(end) = found.map(|found| from + found) else { return };
        let behind = paste.split_off(end + PASTE_END.len());
        events.push(Event::Paste(String::from_utf8_lossy(&paste[..end]).into_owned()));
        self.paste = None;
        self.feed(&behind, events);
    }
}

/// Returns what stands first.
fn first(bytes: &[u8], rest: Rest) -> Token {
    match bytes {
        [ESCAPE] if rest == Rest::Follows => Token::Incomplete,
        [ESCAPE] => Token::Whole(1, Some(Event::Key(Key::Escape))),
        [ESCAPE, b'[', ..] => control_sequence(bytes, rest),
        [ESCAPE, b'O', ..] => application_key(bytes, rest),
        [ESCAPE, ESCAPE, ..] => double_escape(bytes, rest),
        [ESCAPE, tail @ ..] => match plain(tail, rest) {
            Token::Whole(length, event) => Token::Whole(length + 1, event.map(with_alt)),
            other => other,
        },
        _ => plain(bytes, rest),
    }
}

/// Two escapes are escape pressed twice: tmux passes them on together. Before a sequence, the first one is the alt key.
fn double_escape(bytes: &[u8], rest: Rest) -> Token {
    let escape = Token::Whole(1, Some(Event::Key(Key::Escape)));
    match &bytes[1..] {
        [ESCAPE] if rest == Rest::Follows => Token::Incomplete,
        [ESCAPE, b'[' | b'O', ..] => match first(&bytes[1..], rest) {
            Token::Whole(length, event @ Some(Event::Key(_))) if length > 2 => {
                Token::Whole(length + 1, event.map(with_alt))
            }
            Token::Incomplete => Token::Incomplete,
            _ => escape,
        },
        _ => escape,
    }
}

fn with_alt(event: Event) -> Event {
    match event {
        Event::Key(Key::Char(character)) => Event::Key(Key::Alt(character)),
        Event::Key(key) => Event::Key(modified(key, Modifiers { has_alt: true, ..Modifiers::default() })),
        other => other,
    }
}

/// A key without a sequence: a control character or a letter.
fn plain(bytes: &[u8], rest: Rest) -> Token {
    let Some(&byte) = bytes.first() else { return Token::Incomplete };
    if let Some(key) = control_key(byte) {
        return Token::Whole(1, Some(Event::Key(key)));
    }
    let length = match byte {
        0x20..=0x7e => 1,
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return Token::Whole(1, None),
    };
    match bytes.get(..length).map(std::str::from_utf8) {
        Some(Ok(text)) => {
            Token::Whole(length, text.chars().next().map(|letter| Event::Key(Key::Char(letter))))
        }
        Some(Err(_)) => Token::Whole(1, None),
        None if rest == Rest::Follows => Token::Incomplete,
        None => Token::Whole(bytes.len(), None),
    }
}

/// `ESC O` and a letter: arrows and the like of a keypad in its application mode.
fn application_key(bytes: &[u8], rest: Rest) -> Token {
    match bytes.get(2) {
        Some(b'M') => Token::Whole(3, Some(Event::Key(Key::Enter))),
        Some(&letter) => Token::Whole(3, special_key(&[], letter, Modifiers::default()).map(Event::Key)),
        None if rest == Rest::Follows => Token::Incomplete,
        None => Token::Whole(2, Some(Event::Key(Key::Alt('O')))),
    }
}

/// `ESC [`, numbers, and a letter.
fn control_sequence(bytes: &[u8], rest: Rest) -> Token {
    let missing = |alone: Token| if rest == Rest::Follows { Token::Incomplete } else { alone };
    match bytes.get(2) {
        None => return missing(Token::Whole(2, Some(Event::Key(Key::Alt('['))))),
        // A click as terminals sent it first, and a function key of the Linux console.
        Some(b'M') if bytes.len() < 6 => return missing(Token::Whole(bytes.len(), None)),
        Some(b'M') => return Token::Whole(6, None),
        Some(b'[') if bytes.len() < 4 => return missing(Token::Whole(bytes.len(), None)),
        Some(b'[') => return Token::Whole(4, None),
        Some(_) => {}
    }
    let inside = &bytes[2..];
    let Some(end) = inside.iter().position(|byte| !(0x20..=0x3f).contains(byte)) else {
        let is_long = inside.len() > MAX_SEQUENCE;
        let dropped = Token::Whole(bytes.len(), None);
        return if is_long { dropped } else { missing(dropped) };
    };
    if !(0x40..=0x7e).contains(&inside[end]) {
        // Something else begins here.
        return Token::Whole(2 + end, None);
    }
    let (parameters, letter, length) = (&inside[..end], inside[end], end + 3);
    if parameters == b"200" && letter == b'~' {
        return Token::PasteStart(length);
    }
    Token::Whole(length, sequence_event(parameters, letter))
}

fn sequence_event(parameters: &[u8], letter: u8) -> Option<Event> {
    if let [b'<', mouse @ ..] = parameters {
        return mouse_event(&numbers(mouse), letter);
    }
    let numbers = numbers(parameters);
    let number = |at: usize| numbers.get(at).and_then(|parts: &Vec<u32>| parts.first().copied());
    match (parameters, letter) {
        (b"", b'I') => Some(Event::Focus(true)),
        (b"", b'O') => Some(Event::Focus(false)),
        ([b'<'..=b'?', ..], _) => None,
        (_, b'u') => {
            let modifiers = numbers.get(1).map_or(&[][..], Vec::as_slice);
            let is_release = modifiers.get(1) == Some(&3);
            let shifted = numbers.first().and_then(|parts| parts.get(1).copied());
            let modifiers = Modifiers::of(modifiers.first().copied());
            key_of_code(number(0)?, shifted, modifiers).filter(|_| !is_release).map(Event::Key)
        }
        (_, b'~') if number(0) == Some(27) => {
            key_of_code(number(2)?, None, Modifiers::of(number(1))).map(Event::Key)
        }
        _ => {
            let is_release = numbers.get(1).and_then(|parts| parts.get(1)) == Some(&3);
            let first: Vec<u32> = number(0).into_iter().collect();
            special_key(&first, letter, Modifiers::of(number(1))).filter(|_| !is_release).map(Event::Key)
        }
    }
}

/// Numbers between semicolons, each with those behind its colons. What is left out is 0.
fn numbers(parameters: &[u8]) -> Vec<Vec<u32>> {
    let number =
        |digits: &[u8]| std::str::from_utf8(digits).ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    parameters
        .split(|byte| *byte == b';')
        .map(|part| part.split(|byte| *byte == b':').map(number).collect())
        .collect()
}

/// A report of the mouse, as terminals send it when SGR is asked for.
fn mouse_event(numbers: &[Vec<u32>], letter: u8) -> Option<Event> {
    const WHEEL: u32 = 64;
    const MOTION: u32 = 32;
    let number = |at: usize| numbers.get(at).and_then(|parts| parts.first().copied());
    let place = |at: usize| u16::try_from(number(at)?.saturating_sub(1)).ok();
    let button = number(0)?;
    Some(Event::Mouse(match (button & (WHEEL | MOTION), button & 3, letter) {
        (WHEEL, 0, b'M') => Mouse::ScrollUp,
        (WHEEL, 1, b'M') => Mouse::ScrollDown,
        (0, 0, b'M') => Mouse::Click { column: place(1)?, row: place(2)? },
        _ => return None,
    }))
}

#[cfg(test)]
mod tests;
