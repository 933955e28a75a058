//! The screen: printed lines that stay, and below them a footer that is redrawn. Everything that is printed goes through here,
//! and no content of it can move the cursor.

use crate::terminal::{ColorMode, Style, StyledLine, line_width, write_line, write_span};
use crate::terminal_text::TerminalText;

/// What a terminal can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermCaps {
    /// The cursor can be moved: the input box is drawn below the printed lines.
    Cursor,
    /// Lines follow lines, and the terminal itself edits them.
    Lines,
}

/// The part below the printed lines, which is redrawn whenever it changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footer {
    /// Its lines, none wider than the screen.
    pub lines: Vec<StyledLine>,
    /// Row and column of the cursor, from 0.
    pub cursor: (usize, usize),
}

/// The state of a terminal, and the pending output.
#[derive(Clone, Debug)]
pub struct Screen {
    /// The pending output.
    pub(super) output: String,
    pub(super) caps: TermCaps,
    pub(super) color: ColorMode,
    columns: usize,
    rows: usize,
    /// The column where the last printed line ends.
    pub(super) column: usize,
    /// The indentation of rows that continue a line.
    pub(super) indent: usize,
    /// A word that may continue.
    pub(super) word: String,
    drawn: Option<Footer>,
}

impl Screen {
    /// Creates an empty screen of the given columns and rows.
    pub fn new(caps: TermCaps, color: ColorMode, (columns, rows): (usize, usize)) -> Self {
        Self {
            output: String::new(),
            caps,
            color,
            columns,
            rows,
            column: 0,
            indent: 0,
            word: String::new(),
            drawn: None,
        }
    }

    /// Returns what the terminal can do.
    pub fn caps(&self) -> TermCaps {
        self.caps
    }

    /// Returns how wide a line may be. The last column stays free, since terminals differ in what happens there.
    pub fn width(&self) -> usize {
        self.columns.saturating_sub(1).max(1)
    }

    /// Returns the columns and rows.
    pub fn size(&self) -> (usize, usize) {
        (self.columns, self.rows)
    }

    /// Follows a new size of the terminal, which rewraps lines that have become too wide.
    pub fn resize(&mut self, (columns, rows): (usize, usize)) {
        if let Some(footer) = &mut self.drawn
            && columns < self.columns
        {
            let rows_of = |line: &StyledLine| line_width(line).div_ceil(columns).max(1);
            let above: usize = footer.lines.iter().take(footer.cursor.0).map(rows_of).sum();
            footer.cursor = (above + footer.cursor.1 / columns, footer.cursor.1 % columns);
        }
        (self.columns, self.rows) = (columns, rows);
        if self.column > 0 {
            self.column = (self.column - 1) % columns + 1;
        }
    }

    /// Erases the footer.
    pub(super) fn erase(&mut self) {
        let Some(footer) = self.drawn.take() else { return };
        if self.caps == TermCaps::Lines {
            // The input line keeps its position.
            self.output.push('\n');
            return;
        }
        if footer.cursor.0 > 0 {
            self.output.push_str(&format!("\x1b[{}A", footer.cursor.0));
        }
        self.output.push_str("\r\x1b[J");
        if self.column > 0 {
            self.output.push_str(&format!("\x1b[A\x1b[{}G", self.column + 1));
        }
    }

    /// Draws the footer, if it has changed.
    pub fn set_footer(&mut self, footer: Option<&Footer>) {
        if self.drawn.as_ref() != footer {
            match (self.caps, footer) {
                (TermCaps::Cursor, _) => {
                    self.erase();
                    if let Some(footer) = footer {
                        self.draw(footer);
                    }
                }
                // Only the mark of the input line, once: the terminal shows the rest.
                (TermCaps::Lines, Some(footer)) if self.drawn.is_none() => {
                    self.end_line();
                    let mark = footer.lines.last().and_then(|line| line.first());
                    if let Some(mark) = mark {
                        write_span(&mark.text, Style::PLAIN, ColorMode::Plain, &mut self.output);
                    }
                    self.drawn = Some(footer.clone());
                }
                (TermCaps::Lines, _) => {}
            }
        }
    }

    /// Notes that the person sent the line that the terminal edits.
    pub fn line_submitted(&mut self) {
        if self.caps == TermCaps::Lines {
            self.drawn = None;
        }
    }

    fn draw(&mut self, footer: &Footer) {
        if self.column > 0 {
            self.output.push('\n');
        }
        for (number, line) in footer.lines.iter().enumerate() {
            if number > 0 {
                self.output.push('\n');
            }
            write_line(line, self.color, &mut self.output);
        }
        let up = footer.lines.len().saturating_sub(1).saturating_sub(footer.cursor.0);
        if up > 0 {
            self.output.push_str(&format!("\x1b[{up}A"));
        }
        self.output.push_str(&format!("\x1b[{}G", footer.cursor.1 + 1));
        self.drawn = Some(footer.clone());
    }

    /// Forgets the drawn state, after another program wrote to the terminal.
    pub fn forget(&mut self) {
        self.drawn = None;
        self.column = 0;
    }

    /// Clears the terminal.
    pub fn clear(&mut self) {
        if self.caps == TermCaps::Cursor {
            self.output.push_str("\x1b[H\x1b[2J");
            self.forget();
        }
    }

    /// Takes the pending output.
    pub fn take_output(&mut self) -> TerminalText {
        let mut text = TerminalText::default();
        *text.drawing() = std::mem::take(&mut self.output);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::Span;

    fn screen(columns: usize) -> Screen {
        Screen::new(TermCaps::Cursor, ColorMode::Plain, (columns, 10))
    }

    fn written(screen: &mut Screen) -> String {
        screen.set_footer(None);
        screen.take_output().as_str().to_owned()
    }

    #[test]
    fn words_go_to_the_next_line_whole() {
        let mut screen = screen(11);
        for piece in ["one t", "wo thr", "ee", " x"] {
            screen.stream(piece);
        }
        screen.end_line();
        assert_eq!(written(&mut screen), "one two \nthree x\n");
        screen.line(2, &[Span::plain("abcdefghijklmnop 日本語日本")]);
        assert_eq!(written(&mut screen), "abcdefghij\n  klmnop \n  日本語日\n  本\n");
    }

    #[test]
    fn no_content_moves_the_cursor() {
        let mut screen = screen(60);
        screen.line(0, &[Span::plain("a\x1b[2J\x1b]0;title\x07b\r\u{202e}c\x1b")]);
        screen.stream("\x1b");
        screen.stream("[31mred ");
        screen.rendered(&[vec![Span::plain("a\x1b[2Jb")]]);
        let out = written(&mut screen);
        assert!(!out.contains('\x1b') && !out.contains('\r') && !out.contains('\u{202e}'), "{out:?}");
    }

    #[test]
    fn the_footer_is_erased_and_drawn_again() {
        let mut screen = screen(40);
        let footer =
            Footer { lines: vec![vec![Span::dim("busy")], vec![Span::plain("> hi")]], cursor: (1, 4) };
        screen.stream("some ");
        screen.set_footer(Some(&footer));
        screen.set_footer(Some(&footer));
        screen.stream("more ");
        screen.set_footer(Some(&footer));
        let drawn = "\nbusy\n> hi\x1b[5G";
        let out = screen.take_output();
        assert_eq!(out.as_str(), format!("some {drawn}\x1b[1A\r\x1b[J\x1b[A\x1b[6Gmore {drawn}"));
    }
}
