//! Vim's insert and normal mode: counts, operators with motions and text objects, registers, and `.`.
//!
//! | module | owns |
//! |---|---|
//! | `motion` | where keys lead |
//! | `object` | words, quotes and brackets |
//! | `change` | what operators and single keys do to the text |

mod change;
mod motion;
mod object;

#[cfg(test)]
mod tests;

use self::motion::{CharFind, FindStop, LineDirection, Motion, SpanKind, motion, word_end};
use self::object::{Reach, object};
use super::area::TextArea;
use super::command::EditorCommand;
use crate::key::Key;

/// Larger counts mean as much.
const MAX_COUNT: usize = 999;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum VimMode {
    #[default]
    Insert,
    Normal,
}

/// What waits for a motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Delete,
    Change,
    Yank,
}

/// What waits for a character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Argument {
    #[default]
    None,
    Find(LineDirection, FindStop),
    Replace,
    Object(Reach),
    /// The second letter of `gg`.
    Go,
}

/// A text that was deleted or yanked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Register {
    text: String,
    /// Whether it is whole lines.
    is_lines: bool,
}

/// What a key of the normal mode did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum VimOutcome {
    /// It is done, or more keys are needed.
    Done,
    /// The editor does the rest.
    Run(EditorCommand),
    /// The editor presses these keys again.
    Repeat(Vec<Key>),
    /// The key means nothing here.
    Ignored,
}

/// The state of vim's modes.
#[derive(Clone, Debug, Default)]
pub(super) struct Vim {
    pub(super) mode: VimMode,
    count: Option<usize>,
    operator: Option<(Operator, Option<usize>)>,
    argument: Argument,
    last_find: Option<CharFind>,
    register: Register,
    /// The keys of the command that is being typed, and of the insertion after it.
    keys: Vec<Key>,
    /// The keys of the last change.
    last_change: Vec<Key>,
    /// Whether the insertion belongs to a change that is recorded.
    is_recording: bool,
}

impl Vim {
    /// Returns what was typed of a command, for people.
    pub(super) fn pending(&self) -> String {
        if !self.is_pending() {
            return String::new();
        }
        let letter = |key: &Key| if let Key::Char(letter) = key { Some(*letter) } else { None };
        self.keys.iter().filter_map(letter).collect()
    }

    fn is_pending(&self) -> bool {
        self.count.is_some() || self.operator.is_some() || self.argument != Argument::None
    }

    /// Notes a key of the insert mode, for `.`.
    pub(super) fn record(&mut self, key: Key) {
        if self.is_recording {
            self.keys.push(key);
        }
    }

    /// Leaves the insert mode.
    pub(super) fn enter_normal(&mut self, area: &mut TextArea) {
        self.mode = VimMode::Normal;
        if std::mem::take(&mut self.is_recording) {
            self.keys.push(Key::Escape);
            self.last_change = std::mem::take(&mut self.keys);
        }
        area.undo.close_group();
        if area.cursor.byte > 0 {
            area.cursor = area.left(area.cursor);
        }
        area.settle();
    }

    /// Goes back to the insert mode, as after a prompt was sent.
    pub(super) fn reset(&mut self) {
        self.mode = VimMode::Insert;
        self.is_recording = false;
        self.clear_pending();
    }

    fn clear_pending(&mut self) {
        (self.count, self.operator, self.argument) = (None, None, Argument::None);
        self.keys.clear();
    }

    /// Applies a key of the normal mode.
    pub(super) fn press(&mut self, key: Key, area: &mut TextArea) -> VimOutcome {
        let letter = match key {
            Key::Char(letter) => letter,
            Key::Escape if self.is_pending() => {
                self.clear_pending();
                return VimOutcome::Done;
            }
            Key::Ctrl('r') => return VimOutcome::Run(EditorCommand::Redo),
            Key::Backspace => return VimOutcome::Run(EditorCommand::Left),
            _ => {
                self.clear_pending();
                return VimOutcome::Ignored;
            }
        };
        self.keys.push(key);
        let outcome = self.letter(letter, area);
        if !self.is_pending() && self.mode == VimMode::Normal {
            self.keys.clear();
            keep_on_character(area);
        }
        outcome
    }

    fn letter(&mut self, letter: char, area: &mut TextArea) -> VimOutcome {
        match std::mem::take(&mut self.argument) {
            Argument::None => {}
            Argument::Find(direction, stop) => {
                let find = CharFind { wanted: letter, direction, stop };
                self.last_find = Some(find);
                return self.run_find(find, area);
            }
            Argument::Replace => {
                let times = self.take_count().unwrap_or(1);
                return self.change(area, |vim, area| vim.replace_characters(area, letter, times));
            }
            Argument::Object(reach) => {
                let Some((operator, _)) = self.operator.take() else { return VimOutcome::Done };
                self.count = None;
                return match object(area, letter, reach) {
                    Some((from, to)) => self.operate(operator, area, (from, to), SpanKind::Exclusive),
                    None => VimOutcome::Done,
                };
            }
            Argument::Go if letter == 'g' => return self.move_by(motion(area, 'g', self.count), area),
            Argument::Go => {
                self.clear_pending();
                return VimOutcome::Done;
            }
        }
        match letter {
            '0' if self.count.is_none() => self.move_by(motion(area, '0', None), area),
            '0'..='9' => {
                let digit = letter.to_digit(10).map_or(0, |digit| digit as usize);
                self.count = Some((self.count.unwrap_or(0) * 10 + digit).min(MAX_COUNT));
                VimOutcome::Done
            }
            'f' | 't' | 'F' | 'T' => {
                let direction =
                    if letter.is_lowercase() { LineDirection::Forward } else { LineDirection::Backward };
                let stop = if letter.eq_ignore_ascii_case(&'f') { FindStop::On } else { FindStop::Before };
                self.argument = Argument::Find(direction, stop);
                VimOutcome::Done
            }
            ';' | ',' => match self.last_find {
                Some(find) if letter == ';' => self.run_find(find, area),
                Some(find) => self.run_find(find.reversed(), area),
                None => self.give_up(),
            },
            'g' => {
                self.argument = Argument::Go;
                VimOutcome::Done
            }
            'd' | 'c' | 'y' => self.operator_key(letter, area),
            'i' | 'a' if self.operator.is_some() => {
                self.argument = Argument::Object(if letter == 'i' { Reach::Inner } else { Reach::Around });
                VimOutcome::Done
            }
            'j' | 'k' if self.operator.is_none() => {
                self.count = None;
                VimOutcome::Run(if letter == 'j' { EditorCommand::Down } else { EditorCommand::Up })
            }
            _ => match motion(area, letter, self.total_count()) {
                Some(found) => self.move_by(Some(self.adjusted(letter, found, area)), area),
                None if self.operator.is_some() => self.give_up(),
                None => self.single(letter, area),
            },
        }
    }

    /// `cw` on a word ends with it, and `dw` does not take the break of the line.
    fn adjusted(&self, letter: char, found: Motion, area: &TextArea) -> Motion {
        let Some((operator, _)) = self.operator else { return found };
        if !matches!(letter, 'w' | 'W') {
            return found;
        }
        let is_on_space = area.buffer.char_at(area.cursor).is_none_or(char::is_whitespace);
        if operator == Operator::Change && !is_on_space {
            let key = if letter == 'w' { 'e' } else { 'E' };
            // The end of a word of one character is where the cursor is.
            let is_end = word_end(area, area.left(area.cursor), words_of(letter)) == area.cursor;
            return match self.total_count() {
                None | Some(1) if is_end && area.cursor.byte > 0 || is_single(area, letter) => {
                    Motion { to: area.cursor, kind: SpanKind::Inclusive }
                }
                count => motion(area, key, count).unwrap_or(found),
            };
        }
        let end = area.buffer.line_end(area.cursor);
        Motion { to: if found.to.line > end.line { end } else { found.to }, ..found }
    }

    fn give_up(&mut self) -> VimOutcome {
        self.clear_pending();
        VimOutcome::Done
    }

    fn take_count(&mut self) -> Option<usize> {
        self.count.take().filter(|count| *count > 0)
    }

    /// The count before the operator times the one behind it.
    fn total_count(&self) -> Option<usize> {
        let before = self.operator.and_then(|(_, count)| count);
        match (before, self.count) {
            (Some(before), Some(count)) => Some((before * count).clamp(1, MAX_COUNT)),
            (count, None) | (None, count) => count.filter(|count| *count > 0),
        }
    }

    fn run_find(&mut self, find: CharFind, area: &mut TextArea) -> VimOutcome {
        let count = self.total_count().unwrap_or(1);
        self.move_by(find.run(area, area.cursor, count), area)
    }

    /// Moves, or lets the operator work on the way.
    fn move_by(&mut self, found: Option<Motion>, area: &mut TextArea) -> VimOutcome {
        let Some(Motion { to, kind }) = found else { return self.give_up() };
        self.count = None;
        match self.operator.take() {
            None => {
                area.cursor = to;
                area.settle();
                VimOutcome::Done
            }
            Some((operator, _)) => {
                let span = (to.min(area.cursor), to.max(area.cursor));
                self.operate(operator, area, span, kind)
            }
        }
    }

    fn operator_key(&mut self, letter: char, area: &mut TextArea) -> VimOutcome {
        let operator = match letter {
            'd' => Operator::Delete,
            'c' => Operator::Change,
            _ => Operator::Yank,
        };
        match self.operator {
            None => {
                self.operator = Some((operator, self.take_count()));
                VimOutcome::Done
            }
            Some((waiting, _)) if waiting == operator => {
                let lines = self.total_count().unwrap_or(1) - 1;
                let last = (area.cursor.line + lines).min(area.buffer.last_line());
                let to = area.buffer.line_end(super::buffer::Position::new(last, 0));
                (self.operator, self.count) = (None, None);
                self.operate(operator, area, (area.cursor, to), SpanKind::Lines)
            }
            Some(_) => self.give_up(),
        }
    }
}

fn words_of(letter: char) -> motion::WordKind {
    if letter.is_uppercase() { motion::WordKind::Big } else { motion::WordKind::Small }
}

/// Whether the word under the cursor has one character.
fn is_single(area: &TextArea, letter: char) -> bool {
    let word = object(area, letter, Reach::Inner);
    word.is_some_and(|(from, to)| from == area.cursor && to == area.right(from))
}

/// In normal mode the cursor stands on a character, never behind the last one of a line.
pub(super) fn keep_on_character(area: &mut TextArea) {
    if area.cursor.byte > 0 && area.cursor == area.buffer.line_end(area.cursor) {
        area.cursor = area.left(area.cursor);
    }
}
