//! One line of typed text with a cursor.

use crate::key::Key;

/// Longer input is not taken: nobody types it, and every key would be slower.
const MAX_CHARS: usize = 500;

/// A line that is being typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LineInput {
    text: String,
    /// An offset in bytes.
    cursor: usize,
}

impl LineInput {
    /// Starts with a text, the cursor behind it.
    pub(crate) fn new(text: &str) -> Self {
        let text = annals_ui::one_line(text);
        Self { cursor: text.len(), text }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// What is before the cursor.
    pub(crate) fn head(&self) -> &str {
        &self.text[..self.cursor]
    }

    /// What is behind the cursor.
    pub(crate) fn tail(&self) -> &str {
        &self.text[self.cursor..]
    }

    /// Inserts a text, on one line.
    pub(crate) fn insert(&mut self, text: &str) {
        let free = MAX_CHARS.saturating_sub(self.text.chars().count());
        let is_break = |character: char| character == '\n' || character == '\r' || character == '\t';
        let spaces = |character: char| if is_break(character) { ' ' } else { character };
        let text: String =
            text.chars().map(spaces).filter(|character| !character.is_control()).take(free).collect();
        self.text.insert_str(self.cursor, &text);
        self.cursor += text.len();
    }

    /// Edits the line; whether the key meant something.
    pub(crate) fn edit(&mut self, key: Key) -> bool {
        match key {
            Key::Char(character) => self.insert(character.encode_utf8(&mut [0; 4])),
            Key::Backspace | Key::Ctrl('h') => self.remove_back_to(self.before()),
            Key::Ctrl('w') => self.remove_back_to(self.word_start()),
            Key::Ctrl('u') => self.remove_back_to(0),
            Key::Delete => drop(self.text.drain(self.cursor..self.after())),
            Key::Ctrl('k') => self.text.truncate(self.cursor),
            Key::Left | Key::Ctrl('b') => self.cursor = self.before(),
            Key::Right | Key::Ctrl('f') => self.cursor = self.after(),
            Key::Home | Key::Ctrl('a') => self.cursor = 0,
            Key::End | Key::Ctrl('e') => self.cursor = self.text.len(),
            _ => return false,
        }
        true
    }

    fn before(&self) -> usize {
        self.head().char_indices().next_back().map_or(0, |(at, _)| at)
    }

    fn after(&self) -> usize {
        self.text[self.cursor..].chars().next().map_or(self.cursor, |next| self.cursor + next.len_utf8())
    }

    fn word_start(&self) -> usize {
        let head = self.head().trim_end();
        head.rfind(char::is_whitespace).map_or(0, |at| at + 1)
    }

    fn remove_back_to(&mut self, start: usize) {
        self.text.drain(start..self.cursor);
        self.cursor = start;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_edited_as_in_a_shell() {
        let mut line = LineInput::new("one\ntwo");
        assert_eq!(line.text(), "one two");
        for key in [Key::Left, Key::Backspace, Key::Char('é'), Key::Home, Key::Delete, Key::Char('O')] {
            assert!(line.edit(key));
        }
        assert_eq!((line.text(), line.head()), ("One téo", "O"));
        line.edit(Key::End);
        line.edit(Key::Ctrl('w'));
        assert_eq!(line.text(), "One ");
        line.edit(Key::Ctrl('u'));
        line.insert("a\r\n\u{1b}[2Jb");
        assert_eq!(line.text(), "a  [2Jb");
        assert!(!line.edit(Key::Tab));
        line.insert(&"x".repeat(10_000));
        assert_eq!(line.text().chars().count(), MAX_CHARS);
    }
}
