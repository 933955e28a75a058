//! The line editor of the prompt: a text, the cursor in it, and the earlier prompts.

use super::key::Key;
use crate::grapheme;

/// The effect of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditOutcome {
    /// The editor handled it.
    Handled,
    /// The text was sent; the editor is empty.
    Submitted(String),
    /// The key means nothing to the editor.
    Ignored,
}

/// A text that is being edited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Editor {
    text: String,
    /// In bytes, between two characters as people see them.
    cursor: usize,
    /// Earlier prompts, oldest first.
    history: Vec<String>,
    /// The one that is shown.
    recalled: Option<usize>,
    /// The text from before an earlier prompt was recalled.
    draft: String,
}

impl Editor {
    /// Creates an editor with earlier prompts, oldest first.
    pub fn with_history(history: Vec<String>) -> Self {
        Self { history, ..Self::default() }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text before the cursor.
    pub fn before(&self) -> &str {
        &self.text[..self.cursor]
    }

    /// Replaces the text, and puts the cursor at its end.
    pub fn set(&mut self, text: &str) {
        self.text = text.to_owned();
        self.cursor = self.text.len();
        self.recalled = None;
    }

    /// Empties the editor, and returns the text.
    pub fn take(&mut self) -> String {
        self.recalled = None;
        self.cursor = 0;
        std::mem::take(&mut self.text)
    }

    /// Adds a prompt to the history, unless it is the last one.
    pub fn remember(&mut self, prompt: &str) {
        if self.history.last().is_none_or(|last| last != prompt) {
            self.history.push(prompt.to_owned());
        }
    }

    /// Applies a key.
    pub fn press(&mut self, key: &Key) -> EditOutcome {
        match key {
            Key::Char(character) => self.insert(&character.to_string()),
            Key::Paste(text) => self.insert(text),
            Key::LineBreak => self.insert("\n"),
            Key::Enter => {
                // A backslash at the end of the line continues it.
                if self.before().ends_with('\\') && self.cursor == self.text.len() {
                    self.delete(self.cursor - 1, self.cursor);
                    self.insert("\n");
                } else {
                    return EditOutcome::Submitted(self.take());
                }
            }
            Key::Backspace => self.delete(self.left_of(self.cursor), self.cursor),
            Key::Delete => self.delete(self.cursor, self.right_of(self.cursor)),
            Key::Left => self.cursor = self.left_of(self.cursor),
            Key::Right => self.cursor = self.right_of(self.cursor),
            Key::WordLeft => self.cursor = self.word_left(),
            Key::WordRight => self.cursor = self.word_right(),
            Key::Home => self.cursor = self.line_start(),
            Key::End => self.cursor = self.line_end(),
            Key::DeleteToEnd => {
                // At the end of a line, this deletes the line break.
                let end = self.line_end();
                self.delete(self.cursor, if end == self.cursor { self.right_of(end) } else { end });
            }
            Key::DeleteToStart => self.delete(self.line_start(), self.cursor),
            Key::DeleteWord => self.delete(self.word_left(), self.cursor),
            Key::Up => self.up(),
            Key::Down => self.down(),
            _ => return EditOutcome::Ignored,
        }
        EditOutcome::Handled
    }

    fn insert(&mut self, text: &str) {
        self.text.insert_str(self.cursor, text);
        self.cursor += text.len();
    }

    fn delete(&mut self, from: usize, to: usize) {
        self.text.replace_range(from..to, "");
        self.cursor = from;
    }

    fn left_of(&self, at: usize) -> usize {
        grapheme::previous(&self.text, at)
    }

    fn right_of(&self, at: usize) -> usize {
        grapheme::next(&self.text, at)
    }

    fn word_left(&self) -> usize {
        let trimmed = self.before().trim_end_matches(|character: char| !character.is_alphanumeric());
        trimmed.trim_end_matches(char::is_alphanumeric).len()
    }

    fn word_right(&self) -> usize {
        let rest = &self.text[self.cursor..];
        let after = rest.trim_start_matches(|character: char| !character.is_alphanumeric());
        self.text.len() - after.trim_start_matches(char::is_alphanumeric).len()
    }

    fn line_start(&self) -> usize {
        self.before().rfind('\n').map_or(0, |at| at + 1)
    }

    fn line_end(&self) -> usize {
        self.text[self.cursor..].find('\n').map_or(self.text.len(), |at| self.cursor + at)
    }

    /// Moves a line up, or recalls the previous prompt.
    fn up(&mut self) {
        let start = self.line_start();
        if start > 0 {
            let column = grapheme::count(&self.text[start..self.cursor]);
            self.cursor = start - 1;
            self.move_to_column(column);
            return;
        }
        let next = self.recalled.unwrap_or(self.history.len()).checked_sub(1);
        let Some(next) = next else { return };
        if self.recalled.is_none() {
            self.draft = self.text.clone();
        }
        let prompt = self.history[next].clone();
        self.set(&prompt);
        self.recalled = Some(next);
    }

    /// Moves a line down, or recalls the next prompt.
    fn down(&mut self) {
        let end = self.line_end();
        if end < self.text.len() {
            let column = grapheme::count(&self.text[self.line_start()..self.cursor]);
            self.cursor = end + 1;
            self.move_to_column(column);
            return;
        }
        let Some(recalled) = self.recalled else { return };
        let (text, next) = match self.history.get(recalled + 1) {
            Some(prompt) => (prompt.clone(), Some(recalled + 1)),
            None => (std::mem::take(&mut self.draft), None),
        };
        self.set(&text);
        self.recalled = next;
    }

    /// Moves to this column of the current line, or to its end.
    fn move_to_column(&mut self, column: usize) {
        let (start, end) = (self.line_start(), self.line_end());
        self.cursor = start + grapheme::nth(&self.text[start..end], column);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Presses keys: characters as they are, other keys by their name in braces.
    fn typed(editor: &mut Editor, keys: &str) -> Vec<String> {
        let mut sent = Vec::new();
        let mut rest = keys;
        while let Some(first) = rest.chars().next() {
            let (key, length) = match rest.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
                Some((name, _)) => (named(name), name.len() + 2),
                None => (Key::Char(first), first.len_utf8()),
            };
            rest = &rest[length..];
            if let EditOutcome::Submitted(text) = editor.press(&key) {
                sent.push(text);
            }
        }
        sent
    }

    fn named(name: &str) -> Key {
        match name {
            "enter" => Key::Enter,
            "break" => Key::LineBreak,
            "left" => Key::Left,
            "right" => Key::Right,
            "up" => Key::Up,
            "down" => Key::Down,
            "home" => Key::Home,
            "backspace" => Key::Backspace,
            "delete" => Key::Delete,
            "word left" => Key::WordLeft,
            "word right" => Key::WordRight,
            "to end" => Key::DeleteToEnd,
            "to start" => Key::DeleteToStart,
            "delete word" => Key::DeleteWord,
            pasted => Key::Paste(pasted.to_owned()),
        }
    }

    #[test]
    fn a_text_is_edited_in_the_usual_ways() {
        let cases = [
            ("hello{enter}", "hello"),
            ("helo{left}l{enter}", "hello"),
            ("ello{home}h{enter}", "hello"),
            ("日本{backspace}本{left}語{enter}", "日語本"),
            ("one two three{delete word}{delete word}x{enter}", "one x"),
            ("one two{word left}{to end}x{enter}", "one x"),
            ("one two{word left}{to start}x{enter}", "xtwo"),
            ("one{home}{word right}!{enter}", "one!"),
            ("a\\{enter}b{enter}", "a\nb"),
            ("{p\nq}!{enter}", "p\nq!"),
            ("ab{break}cd{up}{left}_{enter}", "a_b\ncd"),
            ("ab{home}{delete}{enter}", "b"),
            ("👨‍👩‍👧b{home}{right}a{enter}", "👨‍👩‍👧ab"),
            ("a👨‍👩‍👧{left}b{enter}", "ab👨‍👩‍👧"),
            ("ae\u{301}{backspace}b{enter}", "ab"),
            ("🇩🇪b{home}{delete}{enter}", "b"),
            ("👍🏽a{break}xy{up}{left}b{enter}", "👍🏽ba\nxy"),
        ];
        for (keys, expected) in cases {
            assert_eq!(typed(&mut Editor::default(), keys), [expected], "{keys:?}");
        }
    }

    #[test]
    fn earlier_prompts_come_back_and_what_was_written_is_kept() {
        let mut editor = Editor::with_history(vec!["old".into(), "new".into()]);
        assert_eq!(typed(&mut editor, "draft{up}{up}{up}{enter}"), ["old"]);
        assert_eq!(typed(&mut editor, "draft{up}{down}{enter}"), ["draft"]);
        editor.remember("newest");
        editor.remember("newest");
        assert_eq!(typed(&mut editor, "{up}{up}{enter}"), ["new"]);
    }
}
