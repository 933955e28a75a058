//! Keys and the mouse, as the screens know them: independent of the library that reads the terminal.

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    Char(char),
    Ctrl(char),
    Alt(char),
    Enter,
    ShiftEnter,
    AltEnter,
    Escape,
    Tab,
    BackTab,
    Backspace,
    AltBackspace,
    Delete,
    AltDelete,
    Up,
    Down,
    Left,
    Right,
    CtrlUp,
    CtrlDown,
    CtrlLeft,
    CtrlRight,
    AltLeft,
    AltRight,
    Home,
    End,
    CtrlHome,
    CtrlEnd,
    PageUp,
    PageDown,
}

/// Keys with a name of more than one character.
const NAMES: [(&str, Key); 28] = [
    ("space", Key::Char(' ')),
    ("enter", Key::Enter),
    ("shift-enter", Key::ShiftEnter),
    ("alt-enter", Key::AltEnter),
    ("esc", Key::Escape),
    ("tab", Key::Tab),
    ("shift-tab", Key::BackTab),
    ("backspace", Key::Backspace),
    ("alt-backspace", Key::AltBackspace),
    ("delete", Key::Delete),
    ("alt-delete", Key::AltDelete),
    ("up", Key::Up),
    ("down", Key::Down),
    ("left", Key::Left),
    ("right", Key::Right),
    ("ctrl-up", Key::CtrlUp),
    ("ctrl-down", Key::CtrlDown),
    ("ctrl-left", Key::CtrlLeft),
    ("ctrl-right", Key::CtrlRight),
    ("alt-left", Key::AltLeft),
    ("alt-right", Key::AltRight),
    ("home", Key::Home),
    ("end", Key::End),
    ("ctrl-home", Key::CtrlHome),
    ("ctrl-end", Key::CtrlEnd),
    ("pgup", Key::PageUp),
    ("pgdn", Key::PageDown),
    ("bar", Key::Char('|')),
];

impl Key {
    /// Returns the key of this name: `j`, `G`, `ctrl-d`, `alt-b`, `pgdn`.
    pub fn from_name(name: &str) -> Option<Self> {
        if let Some(only) = only_letter(name) {
            return Some(Self::Char(only));
        }
        let known = NAMES.iter().find(|(known, _)| *known == name).map(|(_, key)| *key);
        let control = || name.strip_prefix("ctrl-").and_then(only_letter).map(Self::Ctrl);
        let alt = || name.strip_prefix("alt-").and_then(only_letter).map(Self::Alt);
        known.or_else(control).or_else(alt)
    }
}

fn only_letter(name: &str) -> Option<char> {
    let mut letters = name.chars();
    letters.next().filter(|_| letters.next().is_none())
}

/// What happened to the mouse, by column and row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mouse {
    Click { column: u16, row: u16 },
    ScrollUp,
    ScrollDown,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_names() {
        assert_eq!(Key::from_name("G"), Some(Key::Char('G')));
        assert_eq!(Key::from_name("ctrl-d"), Some(Key::Ctrl('d')));
        assert_eq!(Key::from_name("alt-b"), Some(Key::Alt('b')));
        assert_eq!(Key::from_name("alt-left"), Some(Key::AltLeft));
        assert_eq!(Key::from_name("pgdn"), Some(Key::PageDown));
        assert_eq!(Key::from_name("ctrl-"), None);
        assert_eq!(Key::from_name("alt-"), None);
        assert_eq!(Key::from_name("hyper"), None);
    }
}
