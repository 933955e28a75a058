//! Printing lines that stay, none wider than the terminal.

use unicode_width::UnicodeWidthChar;

use super::screen::{Screen, TermCaps};
use crate::clean::clean;
use crate::terminal::{Span, Style, StyledLine, width, write_line, write_span};
use crate::terminal_text::TerminalText;

/// A word is held back until it is complete, unless it is longer than this.
const MAX_WORD: usize = 64;

impl Screen {
    /// Prints a line; rows that continue it are indented by this much.
    pub fn line(&mut self, indent: usize, spans: &[Span]) {
        self.end_line();
        self.indent = indent;
        for span in spans {
            self.flush_word();
            self.put(span.style, &span.text);
            self.flush_word();
        }
        self.new_line();
        self.indent = 0;
    }

    /// Prints lines, all indented by this much.
    pub fn lines(&mut self, indent: usize, lines: &[StyledLine]) {
        let blank = Span::plain(" ".repeat(indent));
        for line in lines {
            let spans: Vec<Span> = std::iter::once(&blank).chain(line).cloned().collect();
            self.line(indent + 2, &spans);
        }
    }

    /// Prints lines that are already laid out for this width.
    pub fn rendered(&mut self, lines: &[StyledLine]) {
        self.end_line();
        for line in lines {
            self.erase();
            write_line(line, self.color, &mut self.output);
            self.new_line();
        }
    }

    /// Prints a page drawn by [`LivePage`](crate::terminal::LivePage) for this width.
    pub fn page(&mut self, page: &TerminalText) {
        if !page.is_empty() {
            self.end_line();
            self.erase();
            self.output.push_str(page.as_str());
        }
    }

    /// Prints a blank line.
    pub fn gap(&mut self) {
        self.end_line();
        self.new_line();
    }

    /// Prints text that arrives in pieces; a word that may continue waits.
    pub fn stream(&mut self, text: &str) {
        self.put(Style::PLAIN, text);
    }

    /// Ends the line, unless it is empty.
    pub fn end_line(&mut self) {
        self.flush_word();
        if self.column > 0 {
            self.new_line();
        }
    }

    fn put(&mut self, style: Style, text: &str) {
        let text = clean(text);
        for (number, line) in text.split('\n').enumerate() {
            if number > 0 {
                self.flush_word_in(style);
                self.break_line();
            }
            for character in line.chars() {
                if character == ' ' {
                    self.flush_word_in(style);
                    self.place(style, " ");
                } else {
                    self.word.push(character);
                    if self.word.len() >= MAX_WORD {
                        self.flush_word_in(style);
                    }
                }
            }
        }
        if style != Style::PLAIN {
            self.flush_word_in(style);
        }
    }

    fn flush_word(&mut self) {
        self.flush_word_in(Style::PLAIN);
    }

    fn flush_word_in(&mut self, style: Style) {
        let word = std::mem::take(&mut self.word);
        self.place(style, &word);
    }

    fn write(&mut self, style: Style, text: &str) {
        write_span(text, style, self.color, &mut self.output);
    }

    /// Puts a word into the line, or into the next one.
    fn place(&mut self, style: Style, word: &str) {
        if word.is_empty() {
            return;
        }
        self.erase();
        let limit = if self.caps == TermCaps::Lines { usize::MAX } else { self.width() };
        let wide = width(word);
        if self.column.saturating_add(wide) > limit && self.column > self.indent {
            self.break_line();
            if word == " " {
                return;
            }
        }
        let mut piece = String::new();
        for character in word.chars() {
            let wide = character.width().unwrap_or(0);
            if self.column + wide > limit && self.column > 0 {
                self.write(style, &std::mem::take(&mut piece));
                self.break_line();
            }
            piece.push(character);
            self.column += wide;
        }
        self.write(style, &piece);
    }

    /// Continues the line on the next row.
    fn break_line(&mut self) {
        self.new_line();
        self.output.push_str(&" ".repeat(self.indent));
        self.column = self.indent;
    }

    fn new_line(&mut self) {
        self.erase();
        self.output.push('\n');
        self.column = 0;
    }
}
