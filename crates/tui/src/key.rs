//! Keys and the mouse, as the viewer knows them: independent of the library that reads the terminal.

/// A key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names of the keys say it all")]
pub enum Key {
    Char(char),
    Ctrl(char),
    Enter,
    Escape,
    Tab,
    BackTab,
    Backspace,
    Delete,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
}

/// Keys with a name of more than one character.
const NAMES: [(&str, Key); 16] = [
    ("space", Key::Char(' ')),
    ("enter", Key::Enter),
    ("esc", Key::Escape),
    ("tab", Key::Tab),
    ("shift-tab", Key::BackTab),
    ("backspace", Key::Backspace),
    ("delete", Key::Delete),
    ("up", Key::Up),
    ("down", Key::Down),
    ("left", Key::Left),
    ("right", Key::Right),
    ("home", Key::Home),
    ("end", Key::End),
    ("pgup", Key::PageUp),
    ("pgdn", Key::PageDown),
    ("bar", Key::Char('|')),
];

impl Key {
    /// Returns the key of this name: `j`, `G`, `ctrl-d`, `pgdn`.
    pub fn from_name(name: &str) -> Option<Self> {
        let mut letters = name.chars();
        if let (Some(only), None) = (letters.next(), letters.next()) {
            return Some(Self::Char(only));
        }
        if let Some(letter) = name.strip_prefix("ctrl-") {
            let mut letters = letter.chars();
            return letters.next().filter(|_| letters.next().is_none()).map(Self::Ctrl);
        }
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, key)| *key)
    }
}

/// What happened to the mouse, by column and row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it all")]
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
        assert_eq!(Key::from_name("pgdn"), Some(Key::PageDown));
        assert_eq!(Key::from_name("ctrl-"), None);
        assert_eq!(Key::from_name("hyper"), None);
    }
}
