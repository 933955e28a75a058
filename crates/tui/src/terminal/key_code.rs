//! Keys by their codes: control characters, the codes of kitty's protocol and of xterm's `modifyOtherKeys`, and the letters and
//! numbers of the other sequences. With ctrl, a key is what terminals have always sent for it, whatever the encoding: ctrl-[ is
//! escape and ctrl-j is ctrl-j.

use crate::key::Key;

/// The keys that are held besides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Modifiers {
    pub(super) has_shift: bool,
    pub(super) has_alt: bool,
    pub(super) has_control: bool,
    /// Super and hyper: the window system's keys, not ours.
    pub(super) has_other: bool,
}

impl Modifiers {
    /// Returns them from their number, which is one more than the sum of their bits.
    pub(super) fn of(number: Option<u32>) -> Self {
        let bits = number.unwrap_or(1).saturating_sub(1);
        let has = |bit: u32| bits & bit != 0;
        Self {
            has_shift: has(1),
            has_alt: has(2) || has(32),
            has_control: has(4),
            has_other: has(8) || has(16),
        }
    }
}

/// Returns the key of a control character.
pub(super) fn control_key(byte: u8) -> Option<Key> {
    let letter = |from: u8, first: char| Key::Ctrl(char::from(first as u8 + (byte - from)));
    Some(match byte {
        0 => Key::Ctrl(' '),
        b'\r' => Key::Enter,
        b'\t' => Key::Tab,
        0x01..=0x1a => letter(1, 'a'),
        0x1b => Key::Escape,
        0x1c..=0x1f => letter(0x1c, '4'),
        0x7f => Key::Backspace,
        _ => return None,
    })
}

/// Returns a key with the other keys that are held; where these mean nothing, the key alone.
pub(super) fn modified(key: Key, modifiers: Modifiers) -> Key {
    let Modifiers { has_shift, has_alt, has_control, .. } = modifiers;
    match key {
        Key::Enter if has_alt => Key::AltEnter,
        Key::Enter if has_shift => Key::ShiftEnter,
        Key::Tab if has_shift => Key::BackTab,
        Key::Backspace if has_alt => Key::AltBackspace,
        Key::Delete if has_alt => Key::AltDelete,
        Key::Up if has_control => Key::CtrlUp,
        Key::Down if has_control => Key::CtrlDown,
        Key::Left if has_control => Key::CtrlLeft,
        Key::Left if has_alt => Key::AltLeft,
        Key::Right if has_control => Key::CtrlRight,
        Key::Right if has_alt => Key::AltRight,
        Key::Home if has_control => Key::CtrlHome,
        Key::End if has_control => Key::CtrlEnd,
        key => key,
    }
}

/// Returns the key of a sequence that ends with a letter, or with `~` behind a number.
pub(super) fn special_key(numbers: &[u32], letter: u8, modifiers: Modifiers) -> Option<Key> {
    let key = match (letter, numbers.first()) {
        (b'A', _) => Key::Up,
        (b'B', _) => Key::Down,
        (b'C', _) => Key::Right,
        (b'D', _) => Key::Left,
        (b'H', _) | (b'~', Some(1 | 7)) => Key::Home,
        (b'F', _) | (b'~', Some(4 | 8)) => Key::End,
        (b'Z', _) => Key::BackTab,
        (b'~', Some(3)) => Key::Delete,
        (b'~', Some(5)) => Key::PageUp,
        (b'~', Some(6)) => Key::PageDown,
        _ => return None,
    };
    Some(modified(key, modifiers))
}

/// Returns the key of a code, which with shift may be another one.
pub(super) fn key_of_code(code: u32, shifted: Option<u32>, modifiers: Modifiers) -> Option<Key> {
    if modifiers.has_other {
        return None;
    }
    let key = match code {
        9 => Key::Tab,
        13 | 57414 => Key::Enter,
        27 => Key::Escape,
        8 | 127 => Key::Backspace,
        57417 => Key::Left,
        57418 => Key::Right,
        57419 => Key::Up,
        57420 => Key::Down,
        57421 => Key::PageUp,
        57422 => Key::PageDown,
        57423 => Key::Home,
        57424 => Key::End,
        57426 => Key::Delete,
        _ => return key_of_letter(letter_of_code(code)?, shifted.and_then(char::from_u32), modifiers),
    };
    Some(modified(key, modifiers))
}

/// The letter of a code; those of the keypad have codes of their own.
fn letter_of_code(code: u32) -> Option<char> {
    const KEYPAD: [char; 15] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '.', '/', '*', '-', '+'];
    match code {
        57399..=57413 => KEYPAD.get(usize::try_from(code - 57399).ok()?).copied(),
        57415 => Some('='),
        // Keys without a letter are in the private part of Unicode.
        57344..=63743 => None,
        _ => char::from_u32(code).filter(|letter| !letter.is_control()),
    }
}

fn key_of_letter(letter: char, shifted: Option<char>, modifiers: Modifiers) -> Option<Key> {
    let letter = match modifiers.has_shift {
        true => shifted.filter(|shifted| !shifted.is_control()).unwrap_or(letter.to_ascii_uppercase()),
        false => letter,
    };
    if modifiers.has_control {
        let key = control_byte(letter).and_then(control_key);
        return Some(key.unwrap_or(Key::Ctrl(letter.to_ascii_lowercase())));
    }
    Some(if modifiers.has_alt { Key::Alt(letter) } else { Key::Char(letter) })
}

/// The control character that terminals send for ctrl and a letter.
fn control_byte(letter: char) -> Option<u8> {
    Some(match letter {
        'a'..='z' | 'A'..='Z' => letter as u8 & 0x1f,
        ' ' | '@' | '2' => 0,
        '[' | '3' => 0x1b,
        '\\' | '4' => 0x1c,
        ']' | '5' => 0x1d,
        '^' | '~' | '6' => 0x1e,
        '_' | '/' | '7' => 0x1f,
        '?' | '8' => 0x7f,
        _ => return None,
    })
}
