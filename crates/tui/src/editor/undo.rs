//! Undo and redo: changes in groups, each as what was removed and what was inserted.

use super::buffer::{Buffer, Position};

/// Older groups are forgotten.
const MAX_GROUPS: usize = 10_000;

/// What kind of change it is: small changes of one kind that follow each other are undone together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChangeKind {
    /// A typed character.
    Typing,
    /// A character deleted by a key.
    Erasing,
    /// Anything else; it stands alone.
    Whole,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextChange {
    pub(super) kind: ChangeKind,
    pub(super) at: Position,
    pub(super) removed: String,
    pub(super) inserted: String,
    /// The cursor before it.
    pub(super) cursor: Position,
}

/// The changes that can be undone and redone.
#[derive(Clone, Debug, Default)]
pub(super) struct UndoStack {
    done: Vec<Vec<TextChange>>,
    undone: Vec<Vec<TextChange>>,
    /// Whether further changes belong to the last group, whatever they are.
    is_group_open: bool,
    /// Whether the next change begins a group.
    is_sealed: bool,
}

impl UndoStack {
    /// Adds a change that was made.
    pub(super) fn push(&mut self, change: TextChange) {
        self.undone.clear();
        let joins = self.is_group_open || (!self.is_sealed && self.joins_last(&change));
        self.is_sealed = false;
        match self.done.last_mut().filter(|_| joins) {
            Some(group) => group.push(change),
            None => {
                if self.done.len() == MAX_GROUPS {
                    self.done.remove(0);
                }
                self.done.push(vec![change]);
            }
        }
    }

    /// A word with the spaces after it is one group, and so are characters that are deleted one after the other.
    fn joins_last(&self, change: &TextChange) -> bool {
        let Some(last) = self.done.last().and_then(|group| group.last()) else { return false };
        match (last.kind, change.kind) {
            (ChangeKind::Typing, ChangeKind::Typing) => {
                let is_next = end_of(last.at, &last.inserted) == change.at;
                let begins_word = last.inserted.ends_with(char::is_whitespace)
                    && !change.inserted.starts_with(char::is_whitespace);
                is_next && !begins_word && change.inserted != "\n"
            }
            (ChangeKind::Erasing, ChangeKind::Erasing) => {
                change.at == last.at || end_of(change.at, &change.removed) == last.at
            }
            _ => false,
        }
    }

    /// Lets the next change begin a group.
    pub(super) fn seal(&mut self) {
        self.is_sealed = true;
    }

    /// Lets all changes belong to one group, until it is closed.
    pub(super) fn open_group(&mut self) {
        if !self.is_group_open {
            self.is_group_open = true;
            self.done.push(Vec::new());
        }
    }

    pub(super) fn close_group(&mut self) {
        if std::mem::take(&mut self.is_group_open) {
            self.is_sealed = true;
            if self.done.last().is_some_and(Vec::is_empty) {
                self.done.pop();
            }
        }
    }

    /// Reverts the last group; returns where the cursor was.
    pub(super) fn undo(&mut self, buffer: &mut Buffer) -> Option<Position> {
        self.close_group();
        let group = self.done.pop()?;
        for change in group.iter().rev() {
            buffer.replace(change.at, end_of(change.at, &change.inserted), &change.removed);
        }
        let cursor = group.first().map(|change| change.cursor);
        self.undone.push(group);
        self.is_sealed = true;
        cursor
    }

    /// Makes the last reverted group again; returns where its last change ends.
    pub(super) fn redo(&mut self, buffer: &mut Buffer) -> Option<Position> {
        let group = self.undone.pop()?;
        let mut cursor = None;
        for change in &group {
            let (_, end) = buffer.replace(change.at, end_of(change.at, &change.removed), &change.inserted);
            cursor = Some(end);
        }
        self.done.push(group);
        self.is_sealed = true;
        cursor
    }
}

/// Returns where a text ends that begins at a place.
fn end_of(at: Position, text: &str) -> Position {
    match text.rfind('\n') {
        None => Position::new(at.line, at.byte + text.len()),
        Some(last) => {
            let breaks = text.bytes().filter(|byte| *byte == b'\n').count();
            Position::new(at.line + breaks, text.len() - last - 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_end_where_they_end() {
        assert_eq!(end_of(Position::new(2, 3), "ab"), Position::new(2, 5));
        assert_eq!(end_of(Position::new(2, 3), "a\n\nbc"), Position::new(4, 2));
    }

    #[test]
    fn an_empty_group_is_none() {
        let mut stack = UndoStack::default();
        stack.open_group();
        stack.close_group();
        assert_eq!(stack.undo(&mut Buffer::default()), None);
    }
}
