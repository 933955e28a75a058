//! A session on the screen: a document of foldable entries, a cursor, and a window that lays out only what it shows.

mod document;
mod entry_text;
mod find;
mod folds;
mod layout;
mod motion;
mod outline;
mod pages;
mod thread;

pub use document::Document;
pub(crate) use document::EntryKind;
pub(crate) use find::{FindDirection, FindProgress, line_text, pattern};
pub(crate) use folds::ToolDetail;
pub(crate) use layout::DisplayOptions;
pub(crate) use outline::{OutlineKind, OutlineLine};

use find::Find;

/// A line of the document: an entry, and one of its lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LinePosition {
    pub(crate) entry: usize,
    pub(crate) line: usize,
}

/// A document with a cursor.
#[derive(Debug)]
pub(crate) struct Reader {
    pub(crate) document: Document,
    pub(crate) cursor: LinePosition,
    /// The first line on the screen.
    pub(crate) top: LinePosition,
    /// Lines on the screen.
    pub(crate) height: usize,
    pub(crate) find: Option<Find>,
    /// Whether it is only the beginning of a session, and the whole is still to come.
    pub(crate) is_beginning: bool,
    /// Whether the end is wanted, which a beginning does not have.
    pub(crate) is_end_wanted: bool,
}

impl Reader {
    pub(crate) fn new(document: Document, height: usize) -> Self {
        let mut reader = Self {
            document,
            cursor: LinePosition::default(),
            top: LinePosition::default(),
            height,
            find: None,
            is_beginning: false,
            is_end_wanted: false,
        };
        reader.first();
        reader
    }

    /// Takes over what the file has become: the cursor stays where it is, or at the end if it was there.
    pub(crate) fn replace(&mut self, document: Document) {
        let was_beginning = std::mem::take(&mut self.is_beginning);
        let is_at_end = if was_beginning { self.is_end_wanted } else { self.is_at_end() };
        let anchor = self.document.key(self.cursor.entry);
        let above = self.rows_above_cursor();
        let old = std::mem::replace(&mut self.document, document);
        self.document.take_folds(old);
        if is_at_end {
            self.last();
            return self.find_in_whole(was_beginning);
        }
        let entry = anchor.and_then(|key| self.document.entry_of(key));
        let entry = entry.unwrap_or(self.cursor.entry).min(self.document.len().saturating_sub(1));
        self.cursor = LinePosition { entry, line: self.cursor.line };
        self.clamp();
        self.top = self.step(self.cursor, -(above as isize));
        self.settle();
        self.find_in_whole(was_beginning);
    }

    /// Opens or closes what is under the cursor.
    pub(crate) fn toggle(&mut self) {
        let above = self.rows_above_cursor();
        self.document.toggle(self.cursor.entry);
        self.keep_cursor(above);
    }

    pub(crate) fn next_detail(&mut self) {
        let above = self.rows_above_cursor();
        self.document.next_detail();
        self.keep_cursor(above);
    }

    pub(crate) fn toggle_thinking(&mut self) {
        let above = self.rows_above_cursor();
        self.document.toggle_thinking();
        self.keep_cursor(above);
    }

    pub(crate) fn resize(&mut self, options: DisplayOptions, height: usize) {
        let above = self.rows_above_cursor();
        self.height = height;
        if self.document.set_options(options) {
            self.keep_cursor(above.min(height.saturating_sub(1)));
        }
        self.settle();
    }

    /// After lines changed their number: the cursor stays on its entry and on its row of the screen.
    fn keep_cursor(&mut self, above: usize) {
        self.clamp();
        self.top = self.step(self.cursor, -(above as isize));
        self.settle();
    }

    /// The record that a fork branches off: that under the cursor, or the call of a sub-agent.
    pub(crate) fn record(&self) -> Option<String> {
        self.document.record(self.cursor.entry)
    }

    /// The text under the cursor, as the file has it.
    pub(crate) fn text(&self) -> String {
        self.document.text(self.cursor.entry)
    }

    /// The number of the turn under the cursor, from 1, and how many there are.
    pub(crate) fn turn(&self) -> (usize, usize) {
        let turns = self.document.turns();
        (turns.partition_point(|&entry| entry <= self.cursor.entry), turns.len())
    }

    pub(crate) fn next_turn(&mut self) {
        let next = self.document.turns().iter().copied().find(|&entry| entry > self.cursor.entry);
        match next {
            Some(entry) => self.show_at_top(entry),
            None => self.last(),
        }
    }

    pub(crate) fn previous_turn(&mut self) {
        let before = |&&entry: &&usize| entry < self.cursor.entry;
        match self.document.turns().iter().rev().find(before).copied() {
            Some(entry) => self.show_at_top(entry),
            None => self.first(),
        }
    }

    /// Goes to an item, or to the head of its thread, opening whatever it is in.
    pub(crate) fn go_to(&mut self, thread: usize, item: Option<usize>) {
        self.document.reveal(thread);
        if let Some(entry) = self.document.entry_of_item(thread, item) {
            self.show_at_top(entry);
        }
    }

    /// Goes to what a line of the session's file belongs to.
    pub(crate) fn go_to_line(&mut self, line: usize) {
        if let Some(item) = self.document.item_at_line(line) {
            self.go_to(0, Some(item));
        }
    }
}
