//! Moves the cursor and the window. Only entries that are passed or shown are laid out.

use super::{LinePosition, Reader};

impl Reader {
    fn height_of(&self, entry: usize) -> usize {
        self.document.lines(entry).len()
    }

    /// The place this many lines further, or as far as there are lines. Entries without lines are passed over.
    pub(super) fn step(&self, from: LinePosition, lines: isize) -> LinePosition {
        let mut place = from;
        let mut left = lines.unsigned_abs();
        while left > 0 {
            let next = if lines > 0 { self.line_after(place) } else { self.line_before(place) };
            let Some(next) = next else { break };
            place = next;
            left -= 1;
        }
        place
    }

    fn line_after(&self, place: LinePosition) -> Option<LinePosition> {
        if place.line + 1 < self.height_of(place.entry) {
            return Some(LinePosition { line: place.line + 1, ..place });
        }
        let entry = (place.entry + 1..self.document.len()).find(|&entry| self.height_of(entry) > 0)?;
        Some(LinePosition { entry, line: 0 })
    }

    fn line_before(&self, place: LinePosition) -> Option<LinePosition> {
        if place.line > 0 {
            return Some(LinePosition { line: place.line - 1, ..place });
        }
        let entry = (0..place.entry).rev().find(|&entry| self.height_of(entry) > 0)?;
        Some(LinePosition { entry, line: self.height_of(entry) - 1 })
    }

    /// How many rows the cursor is below the top, at most the height of the screen.
    pub(super) fn rows_above_cursor(&self) -> usize {
        let mut place = self.top;
        let mut rows = 0;
        while place < self.cursor && rows < self.height {
            match self.line_after(place) {
                Some(next) => place = next,
                None => break,
            }
            rows += 1;
        }
        rows
    }

    /// The lines on the screen.
    pub(crate) fn visible(&self) -> Vec<LinePosition> {
        let first =
            (self.height_of(self.top.entry) > 0).then_some(self.top).or_else(|| self.line_after(self.top));
        std::iter::successors(first, |&place| self.line_after(place)).take(self.height).collect()
    }

    /// Puts the cursor on an existing line.
    pub(super) fn clamp(&mut self) {
        self.cursor.entry = self.cursor.entry.min(self.document.len().saturating_sub(1));
        let height = self.height_of(self.cursor.entry);
        self.cursor.line = self.cursor.line.min(height.saturating_sub(1));
        if height == 0 {
            let other = self.line_after(self.cursor).or_else(|| self.line_before(self.cursor));
            self.cursor = other.unwrap_or_default();
        }
    }

    /// Scrolls so that the cursor is on the screen, and the screen is not emptier than it must be.
    pub(super) fn settle(&mut self) {
        self.clamp();
        self.top.entry = self.top.entry.min(self.document.len().saturating_sub(1));
        self.top.line = self.top.line.min(self.height_of(self.top.entry).saturating_sub(1));
        let below = self.height.saturating_sub(1);
        if self.cursor < self.top {
            self.top = self.cursor;
        } else if self.rows_above_cursor() > below {
            self.top = self.step(self.cursor, -(below as isize));
        }
        let shown = self.visible();
        if shown.len() < self.height {
            let missing = self.height - shown.len();
            self.top = self.step(self.top, -(missing as isize));
        }
    }

    pub(crate) fn move_by(&mut self, lines: isize) {
        self.cursor = self.step(self.cursor, lines);
        self.settle();
    }

    /// Scrolls by pages: the window moves, and the cursor with it.
    pub(crate) fn scroll(&mut self, lines: isize) {
        self.top = self.step(self.top, lines);
        self.cursor = self.step(self.cursor, lines);
        self.settle();
    }

    pub(crate) fn first(&mut self) {
        (self.cursor, self.top) = (LinePosition::default(), LinePosition::default());
        self.settle();
    }

    pub(crate) fn last(&mut self) {
        let entry = self.document.len().saturating_sub(1);
        self.cursor = LinePosition { entry, line: usize::MAX };
        self.cursor.line = self.height_of(entry).saturating_sub(1);
        if self.height_of(entry) == 0 {
            self.cursor = self.line_before(LinePosition { entry, line: 0 }).unwrap_or_default();
        }
        self.settle();
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.line_after(self.cursor).is_none()
    }

    /// Puts an entry at the top of the screen, and the cursor on its first line with text.
    pub(super) fn show_at_top(&mut self, entry: usize) {
        let lines = self.document.lines(entry);
        let has_text =
            |line: &Vec<annals_ui::terminal::Span>| line.iter().any(|span| !span.text.trim().is_empty());
        let line = lines.iter().position(has_text).unwrap_or(0);
        self.cursor = LinePosition { entry, line };
        self.top = self.cursor;
        self.settle();
    }

    /// Puts a line in the upper part of the screen.
    pub(super) fn show(&mut self, place: LinePosition) {
        self.cursor = place;
        let is_visible = self.top <= place && self.rows_above_cursor() < self.height;
        if !is_visible {
            self.top = self.step(place, -((self.height / 3) as isize));
        }
        self.settle();
    }

    /// Puts the cursor on a row of the screen; whether there is a line.
    pub(crate) fn click(&mut self, row: usize) -> bool {
        let place = self.visible().get(row).copied();
        self.cursor = place.unwrap_or(self.cursor);
        place.is_some()
    }
}
