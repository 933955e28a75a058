//! The inline layout: what is finished is printed once and scrolls away with the terminal; the rows below it are written again
//! where they change.

use std::fmt::Write;

use ratatui_core::buffer::Buffer;

use super::draw::FinishedRows;
use crate::cells::{CellFormat, write_row};

/// The rows that are on the terminal below the scrollback.
#[derive(Debug, Default)]
pub(crate) struct InlineRows {
    shown: Vec<String>,
    /// How wide each is.
    widths: Vec<usize>,
    /// The row of the cursor, and its column there.
    cursor: usize,
    column: usize,
    /// The columns of the terminal, if they have changed since: rows that have become too wide are wrapped.
    columns: Option<usize>,
    /// Whether the rows must be written again, whatever they are.
    is_stale: bool,
}

impl InlineRows {
    /// Follows a new width of the terminal. Of several, only the last one counts: what one has wrapped, the next one joins.
    pub(crate) fn resize(&mut self, columns: u16) {
        self.columns = Some(usize::from(columns).max(1));
        self.is_stale = true;
    }

    /// The rows of the terminal between the first one and the cursor.
    fn rows_above_cursor(&self) -> usize {
        let Some(columns) = self.columns else { return self.cursor };
        let rows_of = |wide: &usize| wide.div_ceil(columns).max(1);
        self.widths.iter().take(self.cursor).map(rows_of).sum::<usize>() + self.column / columns
    }

    /// Forgets the rows: something else was written, and they are drawn below it.
    pub(crate) fn forget(&mut self) {
        *self = Self { is_stale: true, ..Self::default() };
    }

    /// Writes the sequences that print finished rows and bring the rows below them up to date.
    pub(crate) fn write(
        &mut self,
        finished: &FinishedRows,
        cells: &Buffer,
        cursor: Option<(usize, usize)>,
        format: CellFormat<'_>,
        out: &mut String,
    ) {
        let row = |buffer: &Buffer, y: u16| {
            let mut text = String::new();
            let wide = write_row(buffer, y, format, &mut text);
            (text, wide)
        };
        let (rows, widths): (Vec<String>, Vec<usize>) = (0..cells.area.height).map(|y| row(cells, y)).unzip();
        let mut at = self.rows_above_cursor();
        let is_whole = self.is_stale || finished.cells.area.height > 0 || rows.len() != self.shown.len();
        if is_whole {
            up(at, out);
            out.push('\r');
            finished.write(format, out);
            for (number, text) in rows.iter().enumerate() {
                if number > 0 {
                    out.push_str("\r\n");
                }
                out.push_str(text);
                out.push_str("\u{1b}[K");
            }
            out.push_str("\u{1b}[J");
            at = rows.len().saturating_sub(1);
        } else {
            let changes = rows.iter().zip(&self.shown).enumerate().filter(|(_, (new, old))| new != old);
            for (number, (text, _)) in changes {
                go(at, number, out);
                out.push('\r');
                out.push_str(text);
                out.push_str("\u{1b}[K");
                at = number;
            }
        }
        let (column, line) = cursor.unwrap_or((0, rows.len().saturating_sub(1)));
        go(at, line, out);
        let _ = write!(out, "\u{1b}[{}G", column + 1);
        *self = Self { shown: rows, widths, cursor: line, column, ..Self::default() };
    }

    /// Writes the sequences that remove the rows.
    pub(crate) fn erase(&mut self, out: &mut String) {
        up(self.rows_above_cursor(), out);
        out.push_str("\r\u{1b}[J");
        *self = Self::default();
    }
}

impl FinishedRows {
    /// Writes the rows, each ended by a break, and the pictures over theirs once these are on the terminal.
    pub(crate) fn write(&self, format: CellFormat<'_>, out: &mut String) {
        for y in 0..self.cells.area.height {
            write_row(&self.cells, y, format, out);
            out.push_str("\u{1b}[K\r\n");
            let ended = self.pictures.iter().filter(|(first, picture)| first + picture.rows == y + 1);
            for (_, picture) in ended {
                // Terminals differ in where a picture leaves the cursor.
                up(usize::from(picture.rows), out);
                let _ = write!(out, "\u{1b}[3G\u{1b}7{}\u{1b}8\r", picture.sequence);
                go(0, usize::from(picture.rows), out);
            }
        }
    }
}

fn up(rows: usize, out: &mut String) {
    if rows > 0 {
        let _ = write!(out, "\u{1b}[{rows}A");
    }
}

fn go(from: usize, to: usize, out: &mut String) {
    if to > from {
        let _ = write!(out, "\u{1b}[{}B", to - from);
    } else {
        up(from - to, out);
    }
}

#[cfg(test)]
mod tests {
    use annals_testkit::terminal::Screen;
    use annals_ui::terminal::ColorMode;
    use ratatui_core::layout::Rect;
    use ratatui_core::style::Style;

    use super::*;
    use crate::picture::Picture;

    const PLAIN: CellFormat<'_> = CellFormat { mode: ColorMode::Plain, links: &[] };

    fn rows(columns: u16, lines: &[&str]) -> Buffer {
        let mut buffer = Buffer::empty(Rect::new(0, 0, columns, u16::try_from(lines.len()).unwrap()));
        for (y, line) in lines.iter().enumerate() {
            buffer.set_string(0, u16::try_from(y).unwrap(), line, Style::new());
        }
        buffer
    }

    fn show(inline: &mut InlineRows, screen: &mut Screen, finished: &[&str], live: &[&str]) -> usize {
        let mut out = String::new();
        let cursor = Some((2, live.len() - 2));
        let finished = FinishedRows { cells: rows(20, finished), pictures: Vec::new() };
        inline.write(&finished, &rows(20, live), cursor, PLAIN, &mut out);
        screen.feed(out.as_bytes());
        out.len()
    }

    #[test]
    fn a_picture_is_written_over_its_rows_and_the_cursor_is_below_it() {
        let picture = Picture {
            columns: 4,
            rows: 3,
            sequence: "\u{1b}_Ga=T;AAAA\u{1b}\\".to_owned(),
            number: None,
            is_overlay: false,
        };
        // Whether it is on the screen already or everything scrolls up for it.
        for height in [12, 6] {
            let (mut inline, mut screen) = (InlineRows::default(), Screen::new(20, height));
            show(&mut inline, &mut screen, &["header"], &["> a", "foot"]);
            let cells = rows(20, &["look", "", "", "", "after"]);
            let finished = FinishedRows { cells, pictures: vec![(1, picture.clone())] };
            let mut out = String::new();
            inline.write(&finished, &rows(20, &["> b", "foot"]), Some((2, 0)), PLAIN, &mut out);
            // What stands for the picture shows where it is.
            screen.feed(out.replace("\u{1b}_Ga=T;AAAA\u{1b}\\", "xxx\u{1b}[B\u{8}\u{8}yy").as_bytes());
            show(&mut inline, &mut screen, &["last"], &["> c", "foot"]);
            let expected = "header\nlook\n  xxx\n   yy\n\nafter\nlast\n> c\nfoot";
            assert_eq!(screen.text().trim_end(), expected, "{height}: {out:?}");
        }
    }

    #[test]
    fn finished_rows_stay_and_live_rows_are_replaced() {
        let (mut inline, mut screen) = (InlineRows::default(), Screen::new(20, 6));
        show(&mut inline, &mut screen, &["header"], &["> a", "foot"]);
        show(&mut inline, &mut screen, &[], &["busy", "> a日本", "foot"]);
        let expected = ["header", "busy", "> a日本", "foot"];
        assert_eq!(screen.text().trim_end(), expected.join("\n"));
        let printed: Vec<String> = (1..=9).map(|line| format!("line {line}")).collect();
        for line in &printed {
            show(&mut inline, &mut screen, &[line], &["busy", "> a日本", "foot"]);
        }
        show(&mut inline, &mut screen, &[], &["> ", "end"]);
        let mut expected = vec!["header".to_owned()];
        expected.extend(printed);
        expected.extend(["> ".trim_end().to_owned(), "end".to_owned()]);
        assert_eq!(screen.text().trim_end(), expected.join("\n"));
        let mut out = String::new();
        inline.erase(&mut out);
        screen.feed(out.as_bytes());
        assert!(screen.text().trim_end().ends_with("line 9"), "{}", screen.text());
    }

    #[test]
    fn what_does_not_change_is_not_written_again() {
        let (mut inline, mut screen) = (InlineRows::default(), Screen::new(20, 6));
        let whole = show(&mut inline, &mut screen, &[], &["a long row of text", "> x", "foot"]);
        let change = show(&mut inline, &mut screen, &[], &["a long row of text", "> y", "foot"]);
        assert!(change < whole / 2, "{change} of {whole}");
        assert!(show(&mut inline, &mut screen, &[], &["a long row of text", "> y", "foot"]) < 6);
    }

    #[test]
    fn of_several_sizes_only_the_last_one_counts() {
        let (mut inline, mut screen) = (InlineRows::default(), Screen::new(20, 12));
        show(&mut inline, &mut screen, &["first", "second"], &["a long row of text", "> text", "foot"]);
        // In a narrow terminal, the row was wrapped; it is not, any more.
        [5, 3, 20].into_iter().for_each(|columns| inline.resize(columns));
        show(&mut inline, &mut screen, &[], &["a long row of text", "> text", "foot"]);
        assert_eq!(screen.text().trim_end(), "first\nsecond\na long row of text\n> text\nfoot");
    }

    #[test]
    fn a_storm_of_sizes_leaves_one_copy_of_the_live_rows() {
        let (mut inline, mut screen) = (InlineRows::default(), Screen::new(20, 12));
        show(&mut inline, &mut screen, &["first"], &["rule", "> text", "foot"]);
        for columns in (8..20).chain((8..30).rev()) {
            screen.resize(columns, 12);
            inline.resize(columns);
            show(&mut inline, &mut screen, &[], &["rule", "> text", "foot"]);
        }
        let text = screen.text();
        for row in ["first", "rule", "> text", "foot"] {
            assert_eq!(text.matches(row).count(), 1, "{text}");
        }
    }
}
