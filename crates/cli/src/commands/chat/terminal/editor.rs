//! The prompt while it is written: a text, a place in it, and the prompts before it.

use super::keys::Key;

/// What a key did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Edited {
    /// It is for the editor, and perhaps something changed.
    Taken,
    /// A prompt is done.
    Sent(String),
    /// The key is not for the editor.
    NotMine,
}

/// A text that is being written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Editor {
    text: String,
    /// In bytes, between two characters.
    cursor: usize,
    /// Earlier prompts, oldest first.
    history: Vec<String>,
    /// Which of them is shown.
    shown: Option<usize>,
    /// What was written before one of them was asked for.
    kept: String,
}

impl Editor {
    /// One that knows earlier prompts, oldest first.
    pub(super) fn with_history(history: Vec<String>) -> Self {
        Self { history, ..Self::default() }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The text before the cursor.
    pub(super) fn before(&self) -> &str {
        &self.text[..self.cursor]
    }

    /// Puts a text in, the cursor behind it.
    pub(super) fn set(&mut self, text: &str) {
        self.text = text.to_owned();
        self.cursor = self.text.len();
        self.shown = None;
    }

    /// Takes the text out.
    pub(super) fn take(&mut self) -> String {
        self.shown = None;
        self.cursor = 0;
        std::mem::take(&mut self.text)
    }

    /// Remembers a prompt.
    pub(super) fn remember(&mut self, prompt: &str) {
        if self.history.last().is_none_or(|last| last != prompt) {
            self.history.push(prompt.to_owned());
        }
    }

    /// A key.
    pub(super) fn press(&mut self, key: &Key) -> Edited {
        match key {
            Key::Letter(letter) => self.insert(&letter.to_string()),
            Key::Paste(text) => self.insert(text),
            Key::Break => self.insert("\n"),
            Key::Enter => {
                // A line that ends in a backslash goes on.
                if self.before().ends_with('\\') && self.cursor == self.text.len() {
                    self.cut(self.cursor - 1, self.cursor);
                    self.insert("\n");
                } else {
                    return Edited::Sent(self.take());
                }
            }
            Key::Backspace => self.cut(self.left_of(self.cursor), self.cursor),
            Key::Delete => self.cut(self.cursor, self.right_of(self.cursor)),
            Key::Left => self.cursor = self.left_of(self.cursor),
            Key::Right => self.cursor = self.right_of(self.cursor),
            Key::WordLeft => self.cursor = self.word_left(),
            Key::WordRight => self.cursor = self.word_right(),
            Key::Home => self.cursor = self.line_start(),
            Key::End => self.cursor = self.line_end(),
            Key::CutAfter => {
                // At the end of a line, the line break goes.
                let end = self.line_end();
                self.cut(self.cursor, if end == self.cursor { self.right_of(end) } else { end });
            }
            Key::CutBefore => self.cut(self.line_start(), self.cursor),
            Key::CutWord => self.cut(self.word_left(), self.cursor),
            Key::Up => self.up(),
            Key::Down => self.down(),
            _ => return Edited::NotMine,
        }
        Edited::Taken
    }

    fn insert(&mut self, text: &str) {
        self.text.insert_str(self.cursor, text);
        self.cursor += text.len();
    }

    fn cut(&mut self, from: usize, to: usize) {
        self.text.replace_range(from..to, "");
        self.cursor = from;
    }

    fn left_of(&self, at: usize) -> usize {
        self.text[..at].char_indices().next_back().map_or(0, |(place, _)| place)
    }

    fn right_of(&self, at: usize) -> usize {
        self.text[at..].chars().next().map_or(at, |letter| at + letter.len_utf8())
    }

    fn word_left(&self) -> usize {
        let trimmed = self.before().trim_end_matches(|letter: char| !letter.is_alphanumeric());
        trimmed.trim_end_matches(char::is_alphanumeric).len()
    }

    fn word_right(&self) -> usize {
        let rest = &self.text[self.cursor..];
        let after = rest.trim_start_matches(|letter: char| !letter.is_alphanumeric());
        self.text.len() - after.trim_start_matches(char::is_alphanumeric).len()
    }

    fn line_start(&self) -> usize {
        self.before().rfind('\n').map_or(0, |at| at + 1)
    }

    fn line_end(&self) -> usize {
        self.text[self.cursor..].find('\n').map_or(self.text.len(), |at| self.cursor + at)
    }

    /// The line above, or the prompt before.
    fn up(&mut self) {
        let start = self.line_start();
        if start > 0 {
            let column = self.text[start..self.cursor].chars().count();
            self.cursor = start - 1;
            self.move_to_column(column);
            return;
        }
        let next = self.shown.unwrap_or(self.history.len()).checked_sub(1);
        let Some(next) = next else { return };
        if self.shown.is_none() {
            self.kept = self.text.clone();
        }
        let prompt = self.history[next].clone();
        self.set(&prompt);
        self.shown = Some(next);
    }

    /// The line below, or the prompt after.
    fn down(&mut self) {
        let end = self.line_end();
        if end < self.text.len() {
            let column = self.text[self.line_start()..self.cursor].chars().count();
            self.cursor = end + 1;
            self.move_to_column(column);
            return;
        }
        let Some(shown) = self.shown else { return };
        let (text, next) = match self.history.get(shown + 1) {
            Some(prompt) => (prompt.clone(), Some(shown + 1)),
            None => (std::mem::take(&mut self.kept), None),
        };
        self.set(&text);
        self.shown = next;
    }

    /// This column of the line that the cursor is in, or its end.
    fn move_to_column(&mut self, column: usize) {
        let (start, end) = (self.line_start(), self.line_end());
        let place = self.text[start..end].char_indices().nth(column).map_or(end, |(at, _)| start + at);
        self.cursor = place;
    }
}

#[cfg(test)]
mod tests {
    use super::super::keys::{Breaks, Decoder};
    use super::*;

    fn typed(editor: &mut Editor, bytes: &str) -> Vec<String> {
        let keys = Decoder::new(Breaks::Return).feed(bytes.as_bytes());
        let sent = keys.iter().map(|key| editor.press(key));
        sent.filter_map(|edited| if let Edited::Sent(text) = edited { Some(text) } else { None }).collect()
    }

    #[test]
    fn a_text_is_edited_in_the_usual_ways() {
        let cases = [
            ("hello\r", "hello"),
            ("helo\x1b[Dl\r", "hello"),
            ("ello\x01h\r", "hello"),
            ("日本\x7f本\x1b[D語\r", "日語本"),
            ("one two three\x17\x17x\r", "one x"),
            ("one two\x1bb\x0bx\r", "one x"),
            ("one two\x1b[1;5D\x15x\r", "xtwo"),
            ("one\x01\x1bf!\r", "one!"),
            ("a\\\rb\r", "a\nb"),
            ("\x1b[200~p\nq\x1b[201~!\r", "p\nq!"),
            ("ab\ncd\x1b[A\x1b[D_\r", "a_b\ncd"),
            ("ab\x01\x1b[3~\r", "b"),
        ];
        for (keys, expected) in cases {
            assert_eq!(typed(&mut Editor::default(), keys), [expected], "{keys:?}");
        }
    }

    #[test]
    fn earlier_prompts_come_back_and_what_was_written_is_kept() {
        let mut editor = Editor::with_history(vec!["old".into(), "new".into()]);
        assert_eq!(typed(&mut editor, "draft\x1b[A\x1b[A\x1b[A\r"), ["old"]);
        assert_eq!(typed(&mut editor, "draft\x1b[A\x1b[B\r"), ["draft"]);
        editor.remember("newest");
        editor.remember("newest");
        assert_eq!(typed(&mut editor, "\x1b[A\x1b[A\r"), ["new"]);
    }
}
