//! Tables: aligned columns, narrowed if they do not fit.

use pulldown_cmark::Alignment;

use super::options::Glyphs;
use super::style::{Span, StyledLine, line_width, width};
use super::wrap::wrap;

/// No column gets narrower than this.
const MIN_WIDTH: usize = 6;

/// A table being gathered; its first row is the head.
pub(super) struct Table {
    alignments: Vec<Alignment>,
    rows: Vec<Vec<StyledLine>>,
    row: Vec<StyledLine>,
}

impl Table {
    pub(super) fn new(alignments: Vec<Alignment>) -> Self {
        Self { alignments, rows: Vec::new(), row: Vec::new() }
    }

    pub(super) fn cell(&mut self, cell: StyledLine) {
        self.row.push(cell);
    }

    pub(super) fn end_row(&mut self) {
        self.rows.push(std::mem::take(&mut self.row));
    }

    /// Lays out the table in the given columns.
    pub(super) fn lines(self, room: usize, glyphs: &Glyphs) -> Vec<StyledLine> {
        let [between, crossing] = glyphs.table;
        let widths = self.widths(room, width(between));
        let mut lines = Vec::new();
        for (at, row) in self.rows.iter().enumerate() {
            let cells: Vec<Vec<StyledLine>> = widths
                .iter()
                .enumerate()
                .map(|(n, &w)| wrap(row.get(n).map_or(&[], Vec::as_slice), w))
                .collect();
            let height = cells.iter().map(Vec::len).max().unwrap_or(0);
            for part in 0..height {
                let mut line = StyledLine::new();
                for (column, &wide) in widths.iter().enumerate() {
                    if column > 0 {
                        line.push(Span::dim(between));
                    }
                    let cell = cells[column].get(part).cloned().unwrap_or_default();
                    line.extend(self.aligned(cell, wide, column));
                }
                lines.push(line);
            }
            if at == 0 {
                let rules: Vec<_> = widths.iter().map(|&wide| glyphs.rule.repeat(wide)).collect();
                lines.push(vec![Span::dim(rules.join(crossing))]);
            }
        }
        lines
    }

    fn aligned(&self, cell: StyledLine, wide: usize, column: usize) -> StyledLine {
        let free = wide.saturating_sub(line_width(&cell));
        let left = match self.alignments.get(column) {
            Some(Alignment::Right) => free,
            Some(Alignment::Center) => free / 2,
            _ => 0,
        };
        let mut line = vec![Span::plain(" ".repeat(left))];
        line.extend(cell);
        line.push(Span::plain(" ".repeat(free - left)));
        line
    }

    /// Returns the widths that the cells need; the widest shrink if they do not fit.
    fn widths(&self, room: usize, between: usize) -> Vec<usize> {
        let count = self.rows.iter().map(Vec::len).max().unwrap_or(0).max(self.alignments.len());
        let wanted =
            |column: usize| self.rows.iter().filter_map(|row| row.get(column)).map(|c| line_width(c)).max();
        let mut widths: Vec<usize> = (0..count).map(|column| wanted(column).unwrap_or(0).max(1)).collect();
        let room = room.saturating_sub(between * count.saturating_sub(1));
        // Every column up to a common limit: the highest limit that fits.
        if widths.iter().sum::<usize>() > room {
            let widest = widths.iter().copied().max().unwrap_or(0);
            let fits = |limit: usize| widths.iter().map(|&wide| wide.min(limit)).sum::<usize>() <= room;
            let limit = (MIN_WIDTH..=widest).rev().find(|&limit| fits(limit)).unwrap_or(MIN_WIDTH);
            widths.iter_mut().for_each(|wide| *wide = (*wide).min(limit));
            // The rest goes to the last column that was cut.
            let left = room.saturating_sub(widths.iter().sum());
            if let Some(cut) = (0..count).rev().find(|&column| wanted(column).unwrap_or(0) > widths[column]) {
                widths[cut] += left;
            }
        }
        widths
    }
}
