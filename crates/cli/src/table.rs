//! Text tables: columns as wide as their content; text columns are cut to fit the terminal.

use annals_ui::TerminalText;
pub(crate) use annals_ui::one_line;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::output::{Output, Paint};

/// No more of a cell is kept; no terminal shows as much on one line, and a prompt may be hundreds of megabytes long.
const MAX_CELL_BYTES: usize = 16 * 1024;

/// As much of a text as a cell can show.
pub(crate) fn clip(text: &str) -> String {
    let text = if text.len() > MAX_CELL_BYTES { text.trim_start() } else { text };
    text[..text.floor_char_boundary(MAX_CELL_BYTES)].to_owned()
}

/// The alignment of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// A table.
pub(crate) struct Table {
    heads: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
    paints: Vec<Option<Paint>>,
}

impl Table {
    pub(crate) fn new(heads: &[(&str, Align)]) -> Self {
        let named = heads.iter().map(|(name, align)| ((*name).to_owned(), *align)).collect();
        Self { heads: named, rows: Vec::new(), paints: vec![None; heads.len()] }
    }

    /// Gives a column a color.
    pub(crate) fn paint(mut self, column: usize, paint: Paint) -> Self {
        self.paints[column] = Some(paint);
        self
    }

    pub(crate) fn row(&mut self, mut cells: Vec<String>) {
        for cell in cells.iter_mut().filter(|cell| cell.len() > MAX_CELL_BYTES) {
            *cell = clip(cell);
        }
        self.rows.push(cells);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(crate) fn draw(&self, out: &mut Output) -> std::io::Result<()> {
        let mut widths: Vec<usize> = self.heads.iter().map(|(head, _)| head.width()).collect();
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(one_line(cell).width());
            }
        }
        self.fit(&mut widths, out.width);
        let heads: Vec<_> = self.heads.iter().map(|(head, _)| (*head).to_owned()).collect();
        let head = self.render(&heads, &widths, out, Some(Paint::Dim));
        out.line(head.trim_end())?;
        for row in &self.rows {
            let line = self.render(row, &widths, out, None);
            out.line(line.trim_end())?;
        }
        Ok(())
    }

    /// Narrows the widest left-aligned columns until the table fits.
    fn fit(&self, widths: &mut [usize], available: usize) {
        let gaps = 2 * widths.len().saturating_sub(1);
        loop {
            let total: usize = widths.iter().sum::<usize>() + gaps;
            let candidates = widths.iter().enumerate().filter(|(at, _)| self.heads[*at].1 == Align::Left);
            let Some((at, widest)) =
                candidates.max_by_key(|(_, width)| **width).map(|(at, width)| (at, *width))
            else {
                return;
            };
            if total <= available || widest <= 8 {
                return;
            }
            widths[at] = widest - (total - available).min(widest - 8).max(1);
        }
    }

    fn render(&self, cells: &[String], widths: &[usize], out: &Output, whole: Option<Paint>) -> TerminalText {
        let mut line = TerminalText::default();
        for (at, (cell, &width)) in cells.iter().zip(widths).enumerate() {
            let text = cut(&one_line(cell), width, out.unicode);
            let space = " ".repeat(width - text.width().min(width));
            let painted = match whole.or(self.paints[at]) {
                Some(paint) => out.paint(paint, text),
                None => text.into(),
            };
            let is_last = at + 1 == widths.len();
            match self.heads[at].1 {
                Align::Right => line.push(TerminalText::from(space) + painted),
                Align::Left if is_last => line.push(painted),
                Align::Left => line.push(painted + space),
            }
            if !is_last {
                line.push("  ");
            }
        }
        line
    }
}

/// Cuts a text to `width` columns, with an ellipsis.
pub(crate) fn cut(text: &str, width: usize, unicode: bool) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let (mark, mark_width) = if unicode { ("…", 1) } else { ("..", 2) };
    let mut kept = String::new();
    let mut used = 0;
    for character in text.chars() {
        let next = character.width().unwrap_or(0);
        if used + next + mark_width > width {
            break;
        }
        kept.push(character);
        used += next;
    }
    kept + mark
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_holds_more_than_can_be_shown() {
        let mut table = Table::new(&[("text", Align::Left)]);
        table.row(vec!["\n".repeat(MAX_CELL_BYTES) + &"é".repeat(MAX_CELL_BYTES)]);
        assert!(table.rows[0][0].starts_with('é') && table.rows[0][0].len() == MAX_CELL_BYTES);
        table.row(vec!["  short ".to_owned()]);
        assert_eq!(table.rows[1][0], "  short ");
    }

    #[test]
    fn cuts_by_columns_not_characters() {
        assert_eq!(cut("日本語です", 6, true), "日本…");
        assert_eq!(cut("plain", 5, true), "plain");
        assert_eq!(cut("plainer", 5, false), "pla..");
        assert_eq!(one_line("a\x1b[31m\n b"), "a b");
    }
}
