//! From the bytes of a terminal to keys, however they are cut.

/// Something that was pressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// A character.
    Letter(char),
    /// Text that was pasted, whole.
    Paste(String),
    Enter,
    /// A line break that does not send.
    Break,
    Tab,
    Backspace,
    Delete,
    Left,
    Right,
    WordLeft,
    WordRight,
    Home,
    End,
    Up,
    Down,
    /// Delete to the end of the line.
    CutAfter,
    /// Delete to the beginning of the line.
    CutBefore,
    /// Delete the word before.
    CutWord,
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-D, or the end of standard input.
    EndOfInput,
    /// Ctrl-Z.
    Suspend,
    /// Ctrl-L.
    Redraw,
    Escape,
}

const PASTE_BEGINS: &[u8] = b"\x1b[200~";
const PASTE_ENDS: &[u8] = b"\x1b[201~";

/// How lines end in what comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Breaks {
    /// Enter is a carriage return: the terminal is raw.
    Return,
    /// Enter is a line feed: the terminal edits lines.
    Feed,
}

/// Takes bytes and gives keys.
#[derive(Debug)]
pub(super) struct Decoder {
    breaks: Breaks,
    waiting: Vec<u8>,
    paste: Option<Vec<u8>>,
}

/// What the beginning of the bytes is.
enum Found {
    /// A key of so many bytes; none where they mean nothing.
    Key(Option<Key>, usize),
    PasteBegins(usize),
    /// More must come.
    Part,
}

impl Decoder {
    pub(super) fn new(breaks: Breaks) -> Self {
        Self { breaks, waiting: Vec::new(), paste: None }
    }

    /// Whether an escape waits for what follows it.
    pub(super) fn is_waiting(&self) -> bool {
        self.paste.is_none() && self.waiting.first() == Some(&0x1b)
    }

    /// Nothing follows: an escape was the key of that name.
    pub(super) fn give_up(&mut self) -> Vec<Key> {
        let waited = std::mem::take(&mut self.waiting);
        waited.first().map(|_| Key::Escape).into_iter().collect()
    }

    /// The keys that these bytes complete.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Vec<Key> {
        self.waiting.extend_from_slice(bytes);
        let mut keys = Vec::new();
        loop {
            if let Some(paste) = &mut self.paste {
                let end = self.waiting.windows(PASTE_ENDS.len()).position(|window| window == PASTE_ENDS);
                let Some(end) = end else {
                    // The mark itself may be cut.
                    let keep = (PASTE_ENDS.len() - 1).min(self.waiting.len());
                    paste.extend(self.waiting.drain(..self.waiting.len() - keep));
                    return keys;
                };
                paste.extend(self.waiting.drain(..end));
                self.waiting.drain(..PASTE_ENDS.len());
                let text = String::from_utf8_lossy(&self.paste.take().unwrap_or_default()).into_owned();
                keys.push(Key::Paste(text.replace("\r\n", "\n").replace('\r', "\n")));
                continue;
            }
            if self.waiting.is_empty() {
                return keys;
            }
            match self.first() {
                Found::Key(key, length) => {
                    keys.extend(key);
                    self.waiting.drain(..length.min(self.waiting.len()));
                }
                Found::PasteBegins(length) => {
                    self.waiting.drain(..length);
                    self.paste = Some(Vec::new());
                }
                Found::Part => return keys,
            }
        }
    }

    fn first(&self) -> Found {
        let one = |key| Found::Key(Some(key), 1);
        match self.waiting[0] {
            0x1b => self.sequence(),
            b'\r' => one(Key::Enter),
            b'\n' if self.breaks == Breaks::Feed => one(Key::Enter),
            b'\n' => one(Key::Break),
            b'\t' => one(Key::Tab),
            0x7f | 0x08 => one(Key::Backspace),
            0x01 => one(Key::Home),
            0x02 => one(Key::Left),
            0x03 => one(Key::Interrupt),
            0x04 => one(Key::EndOfInput),
            0x05 => one(Key::End),
            0x06 => one(Key::Right),
            0x0b => one(Key::CutAfter),
            0x0c => one(Key::Redraw),
            0x0e => one(Key::Down),
            0x10 => one(Key::Up),
            0x15 => one(Key::CutBefore),
            0x17 => one(Key::CutWord),
            0x1a => one(Key::Suspend),
            0x00..=0x1f => Found::Key(None, 1),
            first => self.letter(first),
        }
    }

    fn letter(&self, first: u8) -> Found {
        let length = match first {
            0xc0..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf7 => 4,
            _ => 1,
        };
        let Some(bytes) = self.waiting.get(..length) else { return Found::Part };
        match std::str::from_utf8(bytes).ok().and_then(|text| text.chars().next()) {
            Some(letter) => Found::Key(Some(Key::Letter(letter)), length),
            None => Found::Key(None, 1),
        }
    }

    fn sequence(&self) -> Found {
        let bytes = &self.waiting[..];
        match bytes.get(1) {
            None => Found::Part,
            Some(b'[') => {
                let Some(end) = bytes[2..].iter().position(|byte| (0x40..=0x7e).contains(byte)) else {
                    return Found::Part;
                };
                let whole = &bytes[..end + 3];
                if whole == PASTE_BEGINS {
                    return Found::PasteBegins(whole.len());
                }
                Found::Key(named(&whole[2..]), whole.len())
            }
            Some(b'O') => match bytes.get(2) {
                None => Found::Part,
                Some(last) => Found::Key(named(&[*last]), 3),
            },
            Some(b'b') => Found::Key(Some(Key::WordLeft), 2),
            Some(b'f') => Found::Key(Some(Key::WordRight), 2),
            Some(b'\r' | b'\n') => Found::Key(Some(Key::Break), 2),
            Some(0x7f | 0x08) => Found::Key(Some(Key::CutWord), 2),
            // A second escape: the first was a key.
            Some(0x1b) => Found::Key(Some(Key::Escape), 1),
            Some(_) => Found::Key(None, 2),
        }
    }
}

/// The key of a control sequence, without its introduction.
fn named(sequence: &[u8]) -> Option<Key> {
    Some(match sequence {
        b"A" => Key::Up,
        b"B" => Key::Down,
        b"C" => Key::Right,
        b"D" => Key::Left,
        b"H" | b"1~" | b"7~" => Key::Home,
        b"F" | b"4~" | b"8~" => Key::End,
        b"3~" => Key::Delete,
        b"1;5C" | b"1;3C" | b"5C" => Key::WordRight,
        b"1;5D" | b"1;3D" | b"5D" => Key::WordLeft,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_the_same_however_their_bytes_are_cut() {
        let typed = "aé😀\x1b[A\x1b[1;5D\x1bOH\x1bb\x1b[200~one\r\ntwo\x1b[201~\x1b[99~\x7f\x03\r".as_bytes();
        let all = Decoder::new(Breaks::Return).feed(typed);
        let expected = [
            Key::Letter('a'),
            Key::Letter('é'),
            Key::Letter('😀'),
            Key::Up,
            Key::WordLeft,
            Key::Home,
            Key::WordLeft,
            Key::Paste("one\ntwo".into()),
            Key::Backspace,
            Key::Interrupt,
            Key::Enter,
        ];
        assert_eq!(all, expected);
        for size in 1..typed.len() {
            let mut decoder = Decoder::new(Breaks::Return);
            let pieces: Vec<Key> = typed.chunks(size).flat_map(|piece| decoder.feed(piece)).collect();
            assert_eq!(pieces, expected, "pieces of {size}");
        }
    }

    #[test]
    fn an_escape_alone_is_a_key_when_nothing_follows() {
        let mut decoder = Decoder::new(Breaks::Return);
        assert_eq!(decoder.feed(b"\x1b"), []);
        assert!(decoder.is_waiting());
        assert_eq!(decoder.give_up(), [Key::Escape]);
        assert!(!decoder.is_waiting() && decoder.give_up().is_empty());
        assert_eq!(decoder.feed(b"\x1b\x1b[A"), [Key::Escape, Key::Up]);
        assert_eq!(Decoder::new(Breaks::Feed).feed(b"a\n"), [Key::Letter('a'), Key::Enter]);
        assert_eq!(Decoder::new(Breaks::Return).feed(b"\xff\n"), [Key::Break]);
    }
}
