//! Tables: columns kept aligned, narrowed where they do not fit.

use pulldown_cmark::Alignment;

use super::look::Ornaments;
use super::style::{Line, Span, line_width, width};
use super::wrap::wrap;

/// No column gets narrower than this.
const NARROWEST: usize = 6;

/// A table being gathered; its first row is the head.
pub(super) struct Table {
    alignments: Vec<Alignment>,
    rows: Vec<Vec<Line>>,
    row: Vec<Line>,
}

impl Table {
    pub(super) fn new(alignments: Vec<Alignment>) -> Self {
        Self { alignments, rows: Vec::new(), row: Vec::new() }
    }

    pub(super) fn cell(&mut self, cell: Line) {
        self.row.push(cell);
    }

    pub(super) fn end_row(&mut self) {
        self.rows.push(std::mem::take(&mut self.row));
    }

    /// The table in so many columns.
    pub(super) fn lines(self, room: usize, ornaments: &Ornaments) -> Vec<Line> {
        let [between, crossing] = ornaments.table;
        let widths = self.widths(room, width(between));
        let mut lines = Vec::new();
        for (at, row) in self.rows.iter().enumerate() {
            let cells: Vec<Vec<Line>> = widths
                .iter()
                .enumerate()
                .map(|(n, &w)| wrap(row.get(n).map_or(&[], Vec::as_slice), w))
                .collect();
            let height = cells.iter().map(Vec::len).max().unwrap_or(0);
            for part in 0..height {
                let mut line = Line::new();
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
                let rules: Vec<_> = widths.iter().map(|&wide| ornaments.rule.repeat(wide)).collect();
                lines.push(vec![Span::dim(rules.join(crossing))]);
            }
        }
        lines
    }

    fn aligned(&self, cell: Line, wide: usize, column: usize) -> Line {
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

    /// As wide as the cells want to be; the widest give way where there is no room.
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
            let limit = (NARROWEST..=widest).rev().find(|&limit| fits(limit)).unwrap_or(NARROWEST);
            widths.iter_mut().for_each(|wide| *wide = (*wide).min(limit));
            // What is left over goes to the last column that was cut.
            let left = room.saturating_sub(widths.iter().sum());
            if let Some(cut) = (0..count).rev().find(|&column| wanted(column).unwrap_or(0) > widths[column]) {
                widths[cut] += left;
            }
        }
        widths
    }
}
