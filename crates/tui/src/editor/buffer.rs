//! The text that is being edited, as lines: a change costs as much as its line, however long the text is.

use annals_ui::grapheme;

/// A place between two characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Position {
    pub(super) line: usize,
    pub(super) byte: usize,
}

impl Position {
    pub(super) const START: Self = Self { line: 0, byte: 0 };

    pub(super) fn new(line: usize, byte: usize) -> Self {
        Self { line, byte }
    }
}

/// Lines without their breaks; there is at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Buffer {
    lines: Vec<String>,
}

impl Default for Buffer {
    fn default() -> Self {
        Self { lines: vec![String::new()] }
    }
}

impl Buffer {
    pub(super) fn line(&self, number: usize) -> &str {
        self.lines.get(number).map_or("", String::as_str)
    }

    pub(super) fn last_line(&self) -> usize {
        self.lines.len() - 1
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.len() == 1 && self.lines[0].is_empty()
    }

    pub(super) fn end(&self) -> Position {
        let line = self.last_line();
        Position::new(line, self.lines[line].len())
    }

    pub(super) fn line_end(&self, at: Position) -> Position {
        Position::new(at.line, self.line(at.line).len())
    }

    pub(super) fn text(&self) -> String {
        self.lines.join("\n")
    }

    /// Returns the text between two places.
    pub(super) fn slice(&self, from: Position, to: Position) -> String {
        if from.line == to.line {
            return self.lines[from.line][from.byte..to.byte].to_owned();
        }
        let mut text = self.lines[from.line][from.byte..].to_owned();
        for line in &self.lines[from.line + 1..to.line] {
            text.push('\n');
            text.push_str(line);
        }
        text.push('\n');
        text.push_str(&self.lines[to.line][..to.byte]);
        text
    }

    /// Replaces what is between two places; returns what was there, and where the new text ends.
    pub(super) fn replace(&mut self, from: Position, to: Position, text: &str) -> (String, Position) {
        let removed = self.slice(from, to);
        if from.line == to.line && !text.contains('\n') {
            // A key in a very long line copies none of it.
            self.lines[from.line].replace_range(from.byte..to.byte, text);
            return (removed, Position::new(from.line, from.byte + text.len()));
        }
        let tail = self.lines[to.line][to.byte..].to_owned();
        self.lines[from.line].truncate(from.byte);
        let mut pieces = text.split('\n');
        self.lines[from.line].push_str(pieces.next().unwrap_or_default());
        let added: Vec<String> = pieces.map(str::to_owned).collect();
        let end_line = from.line + added.len();
        self.lines.splice(from.line + 1..=to.line, added);
        let end = Position::new(end_line, self.lines[end_line].len());
        self.lines[end_line].push_str(&tail);
        (removed, end)
    }

    /// Returns the character before a place; a line break is one.
    pub(super) fn left_of(&self, at: Position) -> Option<Position> {
        match (at.byte, at.line.checked_sub(1)) {
            (0, above) => above.map(|line| Position::new(line, self.line(line).len())),
            (byte, _) => Some(Position::new(at.line, grapheme::previous(self.line(at.line), byte))),
        }
    }

    /// Returns the place after the next character; a line break is one.
    pub(super) fn right_of(&self, at: Position) -> Option<Position> {
        let line = self.line(at.line);
        if at.byte < line.len() {
            return Some(Position::new(at.line, grapheme::next(line, at.byte)));
        }
        (at.line < self.last_line()).then(|| Position::new(at.line + 1, 0))
    }

    /// Returns the first code point after a place.
    pub(super) fn char_at(&self, at: Position) -> Option<char> {
        let in_line = self.line(at.line)[at.byte..].chars().next();
        in_line.or_else(|| (at.line < self.last_line()).then_some('\n'))
    }

    /// Returns the first code point of the character before a place.
    pub(super) fn char_before(&self, at: Position) -> Option<char> {
        self.left_of(at).and_then(|left| self.char_at(left))
    }

    /// Moves a place to the start of the character that it stands in, and into the text.
    pub(super) fn snap(&self, at: Position) -> Position {
        let line = at.line.min(self.last_line());
        let text = self.line(line);
        if at.line > line || at.byte >= text.len() {
            return Position::new(line, text.len());
        }
        let mut byte = at.byte;
        while !text.is_char_boundary(byte) {
            byte -= 1;
        }
        let start = grapheme::previous(text, byte);
        let is_start = byte == 0 || grapheme::next(text, start) == byte;
        Position::new(line, if is_start { byte } else { start })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Buffer {
        let mut buffer = Buffer::default();
        buffer.replace(Position::START, Position::START, text);
        buffer
    }

    #[test]
    fn a_text_is_replaced_across_lines() {
        let mut buffer = of("one\ntwo\nthree");
        let (removed, end) = buffer.replace(Position::new(0, 1), Position::new(2, 2), "X\nY");
        assert_eq!((removed.as_str(), end), ("ne\ntwo\nth", Position::new(1, 1)));
        assert_eq!(buffer.text(), "oX\nYree");
        buffer.replace(Position::START, buffer.end(), "");
        assert!(buffer.is_empty());
        assert_eq!(of("a\n").text(), "a\n");
    }

    #[test]
    fn places_are_between_characters() {
        let buffer = of("e\u{301}👨‍👩‍👧\nx");
        let after_e = buffer.right_of(Position::START).unwrap();
        assert_eq!(after_e, Position::new(0, 3));
        let family = buffer.right_of(after_e).unwrap();
        assert_eq!(buffer.right_of(family), Some(Position::new(1, 0)));
        assert_eq!(buffer.left_of(Position::new(1, 0)), Some(family));
        assert_eq!(buffer.snap(Position::new(0, 5)), after_e);
        assert_eq!(buffer.snap(Position::new(0, 2)), Position::START);
        assert_eq!(buffer.snap(Position::new(7, 7)), Position::new(1, 1));
        assert_eq!((buffer.left_of(Position::START), buffer.right_of(buffer.end())), (None, None));
    }
}
