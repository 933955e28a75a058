//! Changes of the normal mode: operators over a span, single keys, and the register that they fill and insert.

use super::motion::{SpanKind, first_letter};
use super::{Argument, Operator, Register, Vim, VimMode, VimOutcome};
use crate::editor::area::TextArea;
use crate::editor::buffer::Position;
use crate::editor::command::EditorCommand;
use crate::editor::undo::ChangeKind;

impl Vim {
    /// Makes a change that can be undone in one step and repeated with `.`.
    pub(super) fn change(
        &mut self,
        area: &mut TextArea,
        make: impl FnOnce(&mut Self, &mut TextArea),
    ) -> VimOutcome {
        area.undo.open_group();
        make(self, area);
        (self.count, self.operator, self.argument) = (None, None, Argument::None);
        match self.mode {
            VimMode::Insert => self.is_recording = true,
            VimMode::Normal => {
                area.undo.close_group();
                self.last_change = std::mem::take(&mut self.keys);
            }
        }
        VimOutcome::Done
    }

    /// Lets an operator work on a span.
    pub(super) fn operate(
        &mut self,
        operator: Operator,
        area: &mut TextArea,
        (from, to): (Position, Position),
        kind: SpanKind,
    ) -> VimOutcome {
        let (from, to) = match kind {
            SpanKind::Exclusive => (from, to),
            SpanKind::Inclusive => (from, if to == area.buffer.line_end(to) { to } else { area.right(to) }),
            SpanKind::Lines => (Position::new(from.line, 0), area.buffer.line_end(to)),
        };
        let is_lines = kind == SpanKind::Lines;
        self.register = Register { text: area.buffer.slice(from, to), is_lines };
        area.kills.seal();
        area.kills.push(&self.register.text, crate::editor::kill_ring::KillSide::After);
        area.kills.seal();
        if operator == Operator::Yank {
            area.cursor = if is_lines { area.cursor.min(to) } else { from };
            (self.count, self.operator) = (None, None);
            return VimOutcome::Done;
        }
        self.change(area, |vim, area| match (operator, is_lines) {
            (Operator::Delete, true) => delete_lines(area, from, to),
            (Operator::Change, _) => {
                area.replace(from, to, "", ChangeKind::Whole);
                vim.mode = VimMode::Insert;
            }
            _ => drop(area.replace(from, to, "", ChangeKind::Whole)),
        })
    }

    /// Applies a key that needs no motion.
    pub(super) fn single(&mut self, letter: char, area: &mut TextArea) -> VimOutcome {
        let count = self.count.filter(|count| *count > 0);
        let times = count.unwrap_or(1);
        let at = area.cursor;
        let line_end = area.buffer.line_end(at);
        let right = (0..times).fold(at, |at, _| if at == line_end { at } else { area.right(at) });
        let left = (0..times).fold(at, |at, _| if at.byte == 0 { at } else { area.left(at) });
        match letter {
            'x' => self.operate(Operator::Delete, area, (at, right), SpanKind::Exclusive),
            'X' => self.operate(Operator::Delete, area, (left, at), SpanKind::Exclusive),
            's' => self.operate(Operator::Change, area, (at, right), SpanKind::Exclusive),
            'D' => self.operate(Operator::Delete, area, (at, line_end), SpanKind::Exclusive),
            'C' => self.operate(Operator::Change, area, (at, line_end), SpanKind::Exclusive),
            'S' => self.operate(Operator::Change, area, (at, line_end), SpanKind::Lines),
            'Y' => self.operate(Operator::Yank, area, (at, line_end), SpanKind::Lines),
            'r' => {
                self.argument = Argument::Replace;
                VimOutcome::Done
            }
            '~' => self.change(area, |_, area| toggle_case(area, at, right)),
            'J' => self.change(area, |_, area| (0..times.max(2) - 1).for_each(|_| join_lines(area))),
            'p' => self.change(area, |vim, area| vim.put(area, Side::After, times)),
            'P' => self.change(area, |vim, area| vim.put(area, Side::Before, times)),
            'i' => self.insert_at(area, at),
            'a' => self.insert_at(area, if at == line_end { at } else { area.right(at) }),
            'I' => self.insert_at(area, first_letter(area, at.line)),
            'A' => self.insert_at(area, line_end),
            'o' => self.open_line(area, line_end, line_end.line + 1),
            'O' => self.open_line(area, Position::new(at.line, 0), at.line),
            'u' => {
                self.count = None;
                VimOutcome::Run(EditorCommand::Undo)
            }
            '.' => {
                self.count = None;
                VimOutcome::Repeat(self.last_change.clone())
            }
            _ => {
                self.count = None;
                VimOutcome::Done
            }
        }
    }

    fn insert_at(&mut self, area: &mut TextArea, at: Position) -> VimOutcome {
        self.change(area, |vim, area| {
            area.cursor = at;
            area.settle();
            vim.mode = VimMode::Insert;
        })
    }

    fn open_line(&mut self, area: &mut TextArea, at: Position, line: usize) -> VimOutcome {
        self.change(area, |vim, area| {
            area.replace(at, at, "\n", ChangeKind::Whole);
            area.cursor = Position::new(line, 0);
            vim.mode = VimMode::Insert;
        })
    }

    /// Replaces characters, if the line has enough of them.
    pub(super) fn replace_characters(&mut self, area: &mut TextArea, letter: char, times: usize) {
        let from = area.cursor;
        let line_end = area.buffer.line_end(from);
        let mut to = from;
        for _ in 0..times {
            if to == line_end {
                return;
            }
            to = area.right(to);
        }
        area.replace(from, to, &letter.to_string().repeat(times), ChangeKind::Whole);
        area.cursor = area.left(area.cursor);
    }

    /// Inserts the register.
    fn put(&self, area: &mut TextArea, side: Side, times: usize) {
        let Register { text, is_lines } = &self.register;
        let line_end = area.buffer.line_end(area.cursor);
        if *is_lines {
            let block = vec![text.as_str(); times].join("\n");
            let (at, block, line) = match side {
                Side::After => (line_end, format!("\n{block}"), line_end.line + 1),
                Side::Before => (Position::new(line_end.line, 0), format!("{block}\n"), line_end.line),
            };
            area.replace(at, at, &block, ChangeKind::Whole);
            area.cursor = first_letter(area, line);
        } else if !text.is_empty() {
            let at = match side {
                Side::After if area.cursor < line_end => area.right(area.cursor),
                _ => area.cursor,
            };
            area.replace(at, at, &text.repeat(times), ChangeKind::Whole);
            area.cursor = area.left(area.cursor);
        }
    }
}

/// On which side of the cursor a text is inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Before,
    After,
}

/// Deletes whole lines, with the break behind them, else the one before.
fn delete_lines(area: &mut TextArea, from: Position, to: Position) {
    let line = from.line;
    if to.line < area.buffer.last_line() {
        area.replace(from, Position::new(to.line + 1, 0), "", ChangeKind::Whole);
    } else if let Some(above) = line.checked_sub(1) {
        let end = area.buffer.line_end(Position::new(above, 0));
        area.replace(end, to, "", ChangeKind::Whole);
    } else {
        area.replace(from, to, "", ChangeKind::Whole);
    }
    area.cursor = first_letter(area, line.min(area.buffer.last_line()));
}

fn toggle_case(area: &mut TextArea, from: Position, to: Position) {
    let other = |letter: char| -> String {
        if letter.is_uppercase() { letter.to_lowercase().collect() } else { letter.to_uppercase().collect() }
    };
    let text: String = area.buffer.slice(from, to).chars().map(other).collect();
    area.replace(from, to, &text, ChangeKind::Whole);
}

/// Joins the line with the next one, with one space between them.
fn join_lines(area: &mut TextArea) {
    let end = area.buffer.line_end(area.cursor);
    if end.line == area.buffer.last_line() {
        return;
    }
    let next = first_letter(area, end.line + 1);
    let is_bare = area.buffer.line(end.line).is_empty()
        || area.buffer.line(end.line).ends_with(' ')
        || next == area.buffer.line_end(next);
    area.replace(end, next, if is_bare { "" } else { " " }, ChangeKind::Whole);
    area.cursor = end;
}
