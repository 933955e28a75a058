//! What was said and stays: words into lines, none wider than the terminal.

use std::io::Write;

use annals_ui::harmless;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::super::tty::Skill;
use super::{Ink, Screen, Styled};

/// A word is held back until it is whole, unless it is longer than this.
const LONGEST_WORD: usize = 64;

impl<W: Write> Screen<W> {
    /// Says something that stays. Line ends in it end lines.
    pub(in super::super) fn say(&mut self, ink: Ink, text: &str) {
        self.flush_word();
        self.put(ink, text);
        self.flush_word();
    }

    /// A whole line; what does not fit goes on below, moved in by this much.
    pub(in super::super) fn line(&mut self, indent: usize, parts: &[(Ink, &str)]) {
        self.end_line();
        self.indent = indent;
        for (ink, text) in parts {
            self.say(*ink, text);
        }
        self.new_line();
        self.indent = 0;
    }

    /// Whole lines, all moved in by this much.
    pub(in super::super) fn lines(&mut self, indent: usize, lines: &[Styled]) {
        let blank = " ".repeat(indent);
        for line in lines {
            let parts = line.iter().map(|(ink, text)| (*ink, text.as_str()));
            let parts: Vec<(Ink, &str)> = [(Ink::Plain, blank.as_str())].into_iter().chain(parts).collect();
            self.line(indent + 2, &parts);
        }
    }

    /// An empty line, so that what follows stands apart.
    pub(in super::super) fn gap(&mut self) {
        self.end_line();
        self.new_line();
    }

    /// Something that comes in pieces: a word that may go on waits.
    pub(in super::super) fn stream(&mut self, text: &str) {
        self.put(Ink::Plain, text);
    }

    /// Ends the line, unless it is empty.
    pub(in super::super) fn end_line(&mut self) {
        self.flush_word();
        if self.column > 0 {
            self.new_line();
        }
    }

    fn put(&mut self, ink: Ink, text: &str) {
        let text = harmless(text);
        for (number, line) in text.split('\n').enumerate() {
            if number > 0 {
                self.flush_word_in(ink);
                self.break_line();
            }
            for letter in line.chars() {
                if letter == ' ' {
                    self.flush_word_in(ink);
                    self.place(ink, " ");
                } else {
                    self.word.push(letter);
                    if self.word.len() >= LONGEST_WORD {
                        self.flush_word_in(ink);
                    }
                }
            }
        }
        if ink != Ink::Plain {
            self.flush_word_in(ink);
        }
    }

    fn flush_word(&mut self) {
        self.flush_word_in(Ink::Plain);
    }

    fn flush_word_in(&mut self, ink: Ink) {
        let word = std::mem::take(&mut self.word);
        self.place(ink, &word);
    }

    /// Puts a word into the line, or into the next one.
    fn place(&mut self, ink: Ink, word: &str) {
        if word.is_empty() {
            return;
        }
        self.erase();
        let limit = if self.skill == Skill::Lines { usize::MAX } else { self.width() };
        let width = word.width();
        if self.column.saturating_add(width) > limit && self.column > self.indent {
            self.break_line();
            if word == " " {
                return;
            }
        }
        let mut piece = String::new();
        for letter in word.chars() {
            let wide = letter.width().unwrap_or(0);
            if self.column + wide > limit && self.column > 0 {
                self.paint(ink, &std::mem::take(&mut piece));
                self.break_line();
            }
            piece.push(letter);
            self.column += wide;
        }
        self.paint(ink, &piece);
    }

    /// The line goes on below.
    fn break_line(&mut self) {
        self.new_line();
        self.batch.push_str(&" ".repeat(self.indent));
        self.column = self.indent;
    }

    fn new_line(&mut self) {
        self.erase();
        self.batch.push('\n');
        self.column = 0;
    }
}
