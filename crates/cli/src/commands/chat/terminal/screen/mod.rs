//! What stands on the terminal: lines that were said and stay, and below them, where the cursor can be moved, what is being
//! done and what is being typed. Everything that is printed goes through here, and nothing of it can move the cursor but
//! what stands in this room.

mod ink;
mod said;

use std::io::{self, Write};

use super::tty::Skill;
pub(super) use ink::{Color, Ink, Styled, clipped, width_of};

/// What stands below what was said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Foot {
    /// Its lines, none wider than the terminal.
    pub(super) lines: Vec<Styled>,
    /// Row and column of the cursor.
    pub(super) cursor: (usize, usize),
}

/// The terminal, as far as it was written to.
pub(super) struct Screen<W> {
    out: W,
    /// What is to be written at once.
    batch: String,
    skill: Skill,
    color: Color,
    columns: usize,
    rows: usize,
    /// Where the last line that was said ends.
    column: usize,
    /// How far what follows in the same line is moved in, when it is broken.
    indent: usize,
    /// A word that may go on.
    word: String,
    drawn: Option<Foot>,
}

impl<W: Write> Screen<W> {
    pub(super) fn new(out: W, skill: Skill, color: Color, (columns, rows): (usize, usize)) -> Self {
        Self {
            out,
            batch: String::new(),
            skill,
            color,
            columns,
            rows,
            column: 0,
            indent: 0,
            word: String::new(),
            drawn: None,
        }
    }

    pub(super) fn skill(&self) -> Skill {
        self.skill
    }

    /// How wide a line may be: the last column is left free, since terminals differ in what happens there.
    pub(super) fn width(&self) -> usize {
        self.columns.saturating_sub(1).max(1)
    }

    pub(super) fn size(&self) -> (usize, usize) {
        (self.columns, self.rows)
    }

    /// The terminal has another size. Terminals break lines anew that have become too wide.
    pub(super) fn resize(&mut self, (columns, rows): (usize, usize)) {
        if let Some(foot) = &mut self.drawn
            && columns < self.columns
        {
            let rows_of = |line: &Styled| width_of(line).div_ceil(columns).max(1);
            let above: usize = foot.lines.iter().take(foot.cursor.0).map(rows_of).sum();
            foot.cursor = (above + foot.cursor.1 / columns, foot.cursor.1 % columns);
        }
        (self.columns, self.rows) = (columns, rows);
        if self.column > 0 {
            self.column = (self.column - 1) % columns + 1;
        }
    }

    fn paint(&mut self, ink: Ink, text: &str) {
        match ink.paint().filter(|_| self.color == Color::Yes && !text.is_empty()) {
            Some(paint) => self.batch.push_str(&paint.over(text)),
            None => self.batch.push_str(text),
        }
    }

    /// Takes away what stands below.
    fn erase(&mut self) {
        let Some(foot) = self.drawn.take() else { return };
        if self.skill == Skill::Lines {
            // What was asked stays where it is.
            self.batch.push('\n');
            return;
        }
        if foot.cursor.0 > 0 {
            self.batch.push_str(&format!("\x1b[{}A", foot.cursor.0));
        }
        self.batch.push_str("\r\x1b[J");
        if self.column > 0 {
            self.batch.push_str(&format!("\x1b[A\x1b[{}G", self.column + 1));
        }
    }

    /// Draws what stands below, where it has changed, and writes everything out.
    pub(super) fn show(&mut self, foot: Option<&Foot>) -> io::Result<()> {
        if self.drawn.as_ref() != foot {
            match (self.skill, foot) {
                (Skill::Moving, _) => {
                    self.erase();
                    if let Some(foot) = foot {
                        self.draw(foot);
                    }
                }
                // Only the mark before what is typed, once: the terminal shows the rest.
                (Skill::Lines, Some(foot)) if self.drawn.is_none() => {
                    self.end_line();
                    let mark = foot.lines.last().and_then(|line| line.first()).cloned();
                    self.batch.push_str(&mark.map_or_else(String::new, |(_, text)| text));
                    self.drawn = Some(foot.clone());
                }
                (Skill::Lines, _) => {}
            }
        }
        self.write_out()
    }

    /// The person ended the line that the terminal edits.
    pub(super) fn answered(&mut self) {
        if self.skill == Skill::Lines {
            self.drawn = None;
        }
    }

    fn draw(&mut self, foot: &Foot) {
        if self.column > 0 {
            self.batch.push('\n');
        }
        for (number, line) in foot.lines.iter().enumerate() {
            if number > 0 {
                self.batch.push('\n');
            }
            for (ink, text) in line {
                self.paint(*ink, text);
            }
        }
        let up = foot.lines.len().saturating_sub(1).saturating_sub(foot.cursor.0);
        if up > 0 {
            self.batch.push_str(&format!("\x1b[{up}A"));
        }
        self.batch.push_str(&format!("\x1b[{}G", foot.cursor.1 + 1));
        self.drawn = Some(foot.clone());
    }

    /// Forgets what was drawn: somebody else wrote to the terminal.
    pub(super) fn forget(&mut self) {
        self.drawn = None;
        self.column = 0;
    }

    /// Begins at the top of an empty terminal.
    pub(super) fn clear(&mut self) {
        if self.skill == Skill::Moving {
            self.batch.push_str("\x1b[H\x1b[2J");
            self.forget();
        }
    }

    fn write_out(&mut self) -> io::Result<()> {
        if !self.batch.is_empty() {
            self.out.write_all(self.batch.as_bytes())?;
            self.batch.clear();
            self.out.flush()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn screen(columns: usize) -> Screen<Vec<u8>> {
        Screen::new(Vec::new(), Skill::Moving, Color::No, (columns, 10))
    }

    fn written(screen: &mut Screen<Vec<u8>>) -> String {
        screen.show(None).unwrap();
        String::from_utf8(std::mem::take(&mut screen.out)).unwrap()
    }

    #[test]
    fn words_go_to_the_next_line_whole() {
        let mut screen = screen(11);
        for piece in ["one t", "wo thr", "ee", " x"] {
            screen.stream(piece);
        }
        screen.end_line();
        assert_eq!(written(&mut screen), "one two \nthree x\n");
        screen.line(2, &[(Ink::Plain, "abcdefghijklmnop 日本語日本")]);
        assert_eq!(written(&mut screen), "abcdefghij\n  klmnop \n  日本語日\n  本\n");
    }

    #[test]
    fn nothing_that_is_said_moves_the_cursor() {
        let mut screen = screen(60);
        screen.say(Ink::Plain, "a\x1b[2J\x1b]0;title\x07b\r\u{202e}c\x1b");
        screen.stream("\x1b");
        screen.stream("[31mred ");
        let out = written(&mut screen);
        assert!(!out.contains('\x1b') && !out.contains('\r') && !out.contains('\u{202e}'), "{out:?}");
    }

    #[test]
    fn what_stands_below_is_taken_away_and_comes_back() {
        let mut screen = screen(40);
        let foot = Foot {
            lines: vec![vec![(Ink::Dim, "busy".into())], vec![(Ink::Plain, "> hi".into())]],
            cursor: (1, 4),
        };
        screen.stream("some ");
        screen.show(Some(&foot)).unwrap();
        screen.show(Some(&foot)).unwrap();
        screen.stream("more ");
        screen.show(Some(&foot)).unwrap();
        let out = String::from_utf8(screen.out).unwrap();
        let drawn = "\nbusy\n> hi\x1b[5G";
        assert_eq!(out, format!("some {drawn}\x1b[1A\r\x1b[J\x1b[A\x1b[6Gmore {drawn}"));
    }
}
