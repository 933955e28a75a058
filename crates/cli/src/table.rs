//! Text tables. Into files and pipes every cell is written whole. On a terminal the table is made to fit: first long texts are
//! cut, then columns are left out that the table can do without, and only then what identifies a row.

use std::path::Path;

use annals_ui::TerminalText;
pub(crate) use annals_ui::one_line;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::output::{Output, Paint};
use crate::stores::Stores;

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

pub(crate) struct Table {
    heads: Vec<(String, Align)>,
    /// The cells, each on one line.
    rows: Vec<Vec<String>>,
    paints: Vec<Option<Paint>>,
    /// Columns that may be left out, the first of them first.
    optional: Vec<usize>,
    /// Columns that are not cut as long as there is anything else to cut.
    keys: Vec<usize>,
    /// What each column is cut down to before another is left out.
    least: Vec<usize>,
    /// Columns of which the end says most: paths.
    tails: Vec<usize>,
    /// The column that a row is about; it may be twice as wide as the others.
    subject: usize,
}

/// A text is cut down to this before a column is left out.
const MIN_TEXT: usize = 20;

/// And to this when no more columns can be left out.
const MIN_COLUMN: usize = 8;

/// The space between columns.
const GAP: usize = 2;

impl Table {
    pub(crate) fn new(heads: &[(&str, Align)]) -> Self {
        let named = heads.iter().map(|(name, align)| ((*name).to_owned(), *align)).collect();
        let (paints, least) = (vec![None; heads.len()], vec![MIN_TEXT; heads.len()]);
        Self {
            heads: named,
            rows: Vec::new(),
            paints,
            optional: Vec::new(),
            keys: vec![0],
            least,
            tails: Vec::new(),
            subject: heads.len().saturating_sub(1),
        }
    }

    /// Names the columns that a narrow terminal can do without, the first to go first.
    pub(crate) fn optional(mut self, columns: &[usize]) -> Self {
        self.optional = columns.to_vec();
        self
    }

    /// Names the columns that identify a row; by default the first.
    pub(crate) fn keys(mut self, columns: &[usize]) -> Self {
        self.keys = columns.to_vec();
        self
    }

    /// Says what a column is cut down to before another is left out.
    pub(crate) fn at_least(mut self, column: usize, width: usize) -> Self {
        self.least[column] = width;
        self
    }

    /// Cuts a column at its start.
    pub(crate) fn cut_at_start(mut self, column: usize) -> Self {
        self.tails.push(column);
        self
    }

    /// Gives a column a color.
    pub(crate) fn paint(mut self, column: usize, paint: Paint) -> Self {
        self.paints[column] = Some(paint);
        self
    }

    pub(crate) fn row(&mut self, mut cells: Vec<String>) {
        for cell in &mut cells {
            *cell = if cell.len() > MAX_CELL_BYTES { one_line(&clip(cell)) } else { one_line(cell) };
        }
        self.rows.push(cells);
    }

    /// Adds a column that names the store of each row's file, if there are several stores.
    pub(crate) fn add_stores<'p>(&mut self, stores: &Stores, files: impl IntoIterator<Item = &'p Path>) {
        if !stores.are_several() {
            return;
        }
        self.add_column("store", files.into_iter().map(|file| stores.label_of(file)));
    }

    /// Adds a column of which the end says most to a table that has its rows.
    fn add_column(&mut self, head: &str, cells: impl Iterator<Item = String>) {
        self.tails.push(self.heads.len());
        self.heads.push((head.to_owned(), Align::Left));
        self.paints.push(Some(Paint::Dim));
        self.least.push(MIN_COLUMN);
        for (row, cell) in self.rows.iter_mut().zip(cells) {
            row.push(one_line(&cell));
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether nothing would be cut or left out.
    pub(crate) fn fits(&self, available: Option<usize>) -> bool {
        let widths: Vec<_> = self.natural_widths().into_iter().map(Some).collect();
        available.is_none_or(|available| total(&widths) <= available)
    }

    /// Whether the last column is there in this width.
    pub(crate) fn shows_last(&self, available: Option<usize>) -> bool {
        let widths = available.map(|available| self.fit(self.natural_widths(), available));
        widths.is_none_or(|widths| widths.last().is_some_and(Option::is_some))
    }

    pub(crate) fn draw(&self, out: &mut Output) -> std::io::Result<()> {
        let widths = match out.table_width {
            Some(available) => self.fit(self.natural_widths(), available),
            None => self.natural_widths().into_iter().map(Some).collect(),
        };
        let heads: Vec<_> = self.heads.iter().map(|(head, _)| (*head).to_owned()).collect();
        let head = self.render(&heads, &widths, out, Some(Paint::Dim));
        out.line(head.trim_end())?;
        for row in &self.rows {
            let line = self.render(row, &widths, out, None);
            out.line(line.trim_end())?;
        }
        Ok(())
    }

    fn natural_widths(&self) -> Vec<usize> {
        let mut widths: Vec<usize> = self.heads.iter().map(|(head, _)| head.width()).collect();
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.width());
            }
        }
        widths
    }

    /// The widths of the columns on a terminal; `None` for one that is left out.
    fn fit(&self, natural: Vec<usize>, available: usize) -> Vec<Option<usize>> {
        let is_text = |at: usize| self.heads[at].1 == Align::Left;
        let is_key = |at: usize| self.keys.contains(&at);
        let mut widths: Vec<Option<usize>> = natural.iter().copied().map(Some).collect();
        let narrow = |widths: &mut [Option<usize>], least: &[usize], can_narrow: &dyn Fn(usize) -> bool| {
            while let Some(at) = self.widest(widths, available, least, can_narrow) {
                widths[at] = widths[at].map(|width| width - 1);
            }
        };
        narrow(&mut widths, &self.least, &|at| is_text(at) && !is_key(at));
        for &column in &self.optional {
            if total(&widths) <= available {
                break;
            }
            // What was cut for nothing gets its width back.
            for (at, width) in widths.iter_mut().enumerate().filter(|(_, width)| width.is_some()) {
                *width = Some(natural[at]).filter(|_| at != column);
            }
            narrow(&mut widths, &self.least, &|at| is_text(at) && !is_key(at));
        }
        let least = vec![MIN_COLUMN; natural.len()];
        narrow(&mut widths, &least, &|at| is_text(at) && !is_key(at));
        narrow(&mut widths, &least, &is_text);
        widths
    }

    /// The widest of the columns that can be narrowed and are above their least widths, if not all columns fit.
    fn widest(
        &self,
        widths: &[Option<usize>],
        available: usize,
        least: &[usize],
        can_narrow: &dyn Fn(usize) -> bool,
    ) -> Option<usize> {
        if total(widths) <= available {
            return None;
        }
        let columns = widths.iter().enumerate().filter_map(|(at, width)| Some((at, (*width)?)));
        let texts = columns.filter(|(at, width)| can_narrow(*at) && *width > least[*at]);
        let weight = |(at, width): &(usize, usize)| if *at == self.subject { width / 2 } else { *width };
        texts.max_by_key(weight).map(|(at, _)| at)
    }

    fn render(
        &self,
        cells: &[String],
        widths: &[Option<usize>],
        out: &Output,
        whole: Option<Paint>,
    ) -> TerminalText {
        let mut line = TerminalText::default();
        let last = widths.iter().rposition(Option::is_some);
        for (at, (cell, width)) in cells.iter().zip(widths).enumerate() {
            let Some(width) = *width else { continue };
            let cut = if self.tails.contains(&at) { cut_start } else { cut };
            let text = cut(cell, width, out.unicode);
            let space = " ".repeat(width - text.width().min(width));
            let painted = match whole.or(self.paints[at]) {
                Some(paint) => out.paint(paint, text),
                None => text.into(),
            };
            let is_last = Some(at) == last;
            match self.heads[at].1 {
                Align::Right => line.push(TerminalText::from(space) + painted),
                Align::Left if is_last => line.push(painted),
                Align::Left => line.push(painted + space),
            }
            if !is_last {
                line.push(" ".repeat(GAP));
            }
        }
        line
    }
}

fn total(widths: &[Option<usize>]) -> usize {
    let shown = widths.iter().flatten();
    shown.clone().sum::<usize>() + GAP * shown.count().saturating_sub(1)
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

/// Cuts the start of a text, with an ellipsis before the rest.
fn cut_start(text: &str, width: usize, unicode: bool) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let (mark, mark_width) = if unicode { ("…", 1) } else { ("..", 2) };
    let room = width.saturating_sub(mark_width);
    let starts = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    let start = starts.into_iter().find(|at| text[*at..].width() <= room).unwrap_or(text.len());
    format!("{mark}{}", &text[start..])
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
        assert_eq!(table.rows[1][0], "short");
    }

    #[test]
    fn cuts_by_columns_not_characters() {
        assert_eq!(cut("日本語です", 6, true), "日本…");
        assert_eq!(cut("plain", 5, true), "plain");
        assert_eq!(cut("plainer", 5, false), "pla..");
        assert_eq!(cut_start("src/日本語.rs", 8, true), "…本語.rs");
        assert_eq!(cut_start("plainer", 5, false), "..ner");
        assert_eq!(one_line("a\x1b[31m\n b"), "a b");
    }

    #[test]
    fn what_identifies_a_row_is_cut_last() {
        let heads =
            [("model", Align::Left), ("title", Align::Left), ("cost", Align::Right), ("", Align::Left)];
        let mut table = Table::new(&heads).optional(&[3, 2]);
        table.row(vec!["claude-opus-4-20250514".into(), "t".repeat(60), "$12.00".into(), "#".repeat(10)]);
        let fit = |available| {
            let widths = table.fit(table.natural_widths(), available);
            assert!(total(&widths) <= available, "{available}: {widths:?}");
            widths
        };
        assert_eq!(fit(200), [Some(22), Some(60), Some(6), Some(10)]);
        assert_eq!(fit(80), [Some(22), Some(36), Some(6), Some(10)]);
        assert_eq!(fit(60), [Some(22), Some(28), Some(6), None]);
        assert_eq!(fit(46), [Some(22), Some(22), None, None]);
        assert_eq!(fit(40), [Some(22), Some(16), None, None]);
        assert_eq!(fit(30), [Some(20), Some(8), None, None]);
        let mut table = Table::new(&[("id", Align::Left), ("project", Align::Left), ("title", Align::Left)]);
        table.row(vec!["12345678".into(), "p".repeat(40), "t".repeat(80)]);
        assert_eq!(table.fit(table.natural_widths(), 72), [Some(8), Some(20), Some(40)]);
        table.add_column("store", ["/home/mira/.claude".to_owned()].into_iter());
        assert_eq!(table.fit(table.natural_widths(), 140), [Some(8), Some(36), Some(72), Some(18)]);
        assert_eq!(table.fit(table.natural_widths(), 60), [Some(8), Some(18), Some(20), Some(8)]);
    }
}
