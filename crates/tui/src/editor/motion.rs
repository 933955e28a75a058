//! Moves of the cursor: by characters, words and lines, and by rows as they are shown. A chip is one character.

use super::area::TextArea;
use super::buffer::Position;
use super::layout::{columns_of, place_at, row_of, rows, segment};

/// What a character is for moves by words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CharClass {
    Space,
    Word,
    Other,
}

/// Returns the class of a character.
pub(super) fn class_of(character: char) -> CharClass {
    match character {
        _ if character.is_whitespace() => CharClass::Space,
        '_' => CharClass::Word,
        _ if character.is_alphanumeric() => CharClass::Word,
        _ => CharClass::Other,
    }
}

impl TextArea {
    /// Returns the place before the character on the left; the same place at the start.
    pub(super) fn left(&self, at: Position) -> Position {
        let line = self.buffer.line(at.line);
        match self.chips.mark_ending_at(line, at.byte) {
            Some(mark) => Position::new(at.line, mark.start),
            None => self.buffer.left_of(at).unwrap_or(at),
        }
    }

    /// Returns the place after the character on the right; the same place at the end.
    pub(super) fn right(&self, at: Position) -> Position {
        let line = self.buffer.line(at.line);
        match self.chips.mark_starting_at(line, at.byte) {
            Some(mark) => Position::new(at.line, mark.end),
            None => self.buffer.right_of(at).unwrap_or(at),
        }
    }

    /// Moves a place out of a chip, to its start.
    pub(super) fn outside_chip(&self, at: Position) -> Position {
        match self.chips.mark_around(self.buffer.line(at.line), at.byte) {
            Some(mark) => Position::new(at.line, mark.start),
            None => at,
        }
    }

    fn is_word_at(&self, at: Position) -> bool {
        let line = self.buffer.line(at.line);
        let is_chip = || self.chips.mark_starting_at(line, at.byte).is_some();
        is_chip() || self.buffer.char_at(at).is_some_and(|found| class_of(found) == CharClass::Word)
    }

    /// Returns the start of the word on the left.
    pub(super) fn word_left(&self, from: Position) -> Position {
        let mut at = from;
        let mut is_in_word = false;
        loop {
            let left = self.left(at);
            if left == at || (is_in_word && !self.is_word_at(left)) {
                return at;
            }
            is_in_word = self.is_word_at(left);
            at = left;
        }
    }

    /// Returns the end of the word on the right.
    pub(super) fn word_right(&self, from: Position) -> Position {
        let mut at = from;
        let mut is_in_word = false;
        loop {
            let right = self.right(at);
            if right == at || (is_in_word && !self.is_word_at(at)) {
                return at;
            }
            is_in_word = self.is_word_at(at);
            at = right;
        }
    }

    /// Moves the cursor a row up or down, in rows of this many columns; whether there is one.
    pub(super) fn move_row(&mut self, direction: RowDirection, max: usize) -> bool {
        let (line, at) = (self.cursor.line, self.cursor.byte);
        let text = self.buffer.line(line);
        let part = segment(text, at);
        let in_part = &text[part.clone()];
        let laid = rows(in_part, max);
        let row = row_of(&laid, at - part.start);
        let start = laid[row].start;
        let column = self.goal.unwrap_or_else(|| columns_of(&in_part[start..at - part.start]));
        let inside = match direction {
            RowDirection::Up => row.checked_sub(1),
            RowDirection::Down => Some(row + 1).filter(|next| *next < laid.len()),
        };
        let target = match inside {
            Some(next) => Some((line, part, next)),
            None => self.row_beside(line, &part, direction, max),
        };
        let Some((line, part, row)) = target else { return false };
        let in_part = &self.buffer.line(line)[part.clone()];
        let laid = rows(in_part, max);
        let mut byte = part.start + place_at(in_part, &laid[row], column);
        // The end of a row is the start of the next one, unless it is the last.
        if byte == part.start + laid[row].end && row + 1 < laid.len() {
            byte = self.left(Position::new(line, byte)).byte.max(part.start + laid[row].start);
        }
        self.cursor = self.outside_chip(Position::new(line, byte));
        self.goal = Some(column);
        true
    }

    /// Returns line, segment and row above or below a segment.
    fn row_beside(
        &self,
        line: usize,
        part: &std::ops::Range<usize>,
        direction: RowDirection,
        max: usize,
    ) -> Option<(usize, std::ops::Range<usize>, usize)> {
        let (line, at) = match direction {
            RowDirection::Up if part.start > 0 => (line, part.start - 1),
            RowDirection::Up => {
                let above = line.checked_sub(1)?;
                (above, self.buffer.line(above).len())
            }
            RowDirection::Down if part.end < self.buffer.line(line).len() => (line, part.end),
            RowDirection::Down => (Some(line + 1).filter(|below| *below <= self.buffer.last_line())?, 0),
        };
        let text = self.buffer.line(line);
        let part = segment(text, at);
        let row = match direction {
            RowDirection::Up => rows(&text[part.clone()], max).len() - 1,
            RowDirection::Down => 0,
        };
        Some((line, part, row))
    }
}

/// The direction of a move by rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowDirection {
    Up,
    Down,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(text: &str, cursor: (usize, usize)) -> TextArea {
        let mut area = TextArea::default();
        area.set_text(text);
        area.cursor = Position::new(cursor.0, cursor.1);
        area
    }

    #[test]
    fn words_are_letters_digits_and_underscores() {
        let area = area("one two_3, (été)\nnext", (0, 0));
        let right = |at| area.word_right(at);
        let ends = [Position::new(0, 3), Position::new(0, 9), Position::new(0, 17), Position::new(1, 4)];
        let mut at = Position::START;
        for end in ends {
            at = right(at);
            assert_eq!(at, end);
        }
        assert_eq!(right(at), at);
        for start in [(1, 0), (0, 12), (0, 4), (0, 0), (0, 0)] {
            at = area.word_left(at);
            assert_eq!(at, Position::new(start.0, start.1));
        }
    }

    #[test]
    fn a_chip_is_one_character_and_one_word() {
        let mut area = area("a ", (0, 2));
        area.paste("1\n2\n3");
        let end = area.cursor;
        assert_eq!(area.left(end), Position::new(0, 2));
        assert_eq!(area.word_left(end), Position::new(0, 2));
        assert_eq!(area.right(Position::new(0, 2)), end);
        assert_eq!(area.word_right(Position::new(0, 2)), end);
    }

    #[test]
    fn rows_are_those_that_are_shown_and_the_column_is_kept() {
        let mut area = area("abcdefghij\nx\nABCDEF", (2, 5));
        assert!(area.move_row(RowDirection::Up, 6));
        assert_eq!(area.cursor, Position::new(1, 1));
        assert!(area.move_row(RowDirection::Up, 6));
        assert_eq!(area.cursor, Position::new(0, 10), "the second row of the first line");
        assert!(area.move_row(RowDirection::Up, 6));
        assert_eq!(area.cursor, Position::new(0, 5));
        assert!(!area.move_row(RowDirection::Up, 6));
        for place in [(0, 10), (1, 1), (2, 5)] {
            assert!(area.move_row(RowDirection::Down, 6));
            assert_eq!(area.cursor, Position::new(place.0, place.1));
        }
        assert!(!area.move_row(RowDirection::Down, 6));
    }
}
