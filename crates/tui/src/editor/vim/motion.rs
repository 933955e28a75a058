//! Motions of the normal mode: where a key leads, and what an operator takes on the way there.

use crate::editor::area::TextArea;
use crate::editor::buffer::Position;
use crate::editor::motion::{CharClass, class_of};

/// What an operator takes between two places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SpanKind {
    /// Up to the place.
    Exclusive,
    /// The character at the place too.
    Inclusive,
    /// Whole lines.
    Lines,
}

/// Where a motion leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Motion {
    pub(super) to: Position,
    pub(super) kind: SpanKind,
}

/// Which words a motion knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordKind {
    /// Letters and digits, or other signs.
    Small,
    /// Everything between white space.
    Big,
}

/// A search for a character in its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CharFind {
    pub(super) wanted: char,
    pub(super) direction: LineDirection,
    pub(super) stop: FindStop,
}

/// The direction of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineDirection {
    Forward,
    Backward,
}

/// Where a search stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FindStop {
    On,
    Before,
}

impl CharFind {
    /// The same search in the other direction.
    pub(super) fn reversed(self) -> Self {
        let direction = match self.direction {
            LineDirection::Forward => LineDirection::Backward,
            LineDirection::Backward => LineDirection::Forward,
        };
        Self { direction, ..self }
    }

    /// Returns where it leads; `None` if the line has too few of the character.
    pub(super) fn run(self, area: &TextArea, from: Position, count: usize) -> Option<Motion> {
        let mut at = from;
        for _ in 0..count {
            at = self.next(area, at)?;
        }
        let kind = match self.direction {
            LineDirection::Forward => SpanKind::Inclusive,
            LineDirection::Backward => SpanKind::Exclusive,
        };
        let to = match (self.stop, self.direction) {
            (FindStop::On, _) => at,
            (FindStop::Before, LineDirection::Forward) => area.left(at),
            (FindStop::Before, LineDirection::Backward) => area.right(at),
        };
        Some(Motion { to, kind })
    }

    fn next(self, area: &TextArea, from: Position) -> Option<Position> {
        let mut at = from;
        loop {
            let next = match self.direction {
                LineDirection::Forward => area.right(at),
                LineDirection::Backward => area.left(at),
            };
            if next == at || next.line != from.line {
                return None;
            }
            at = next;
            if area.buffer.char_at(at) == Some(self.wanted) {
                return Some(at);
            }
        }
    }
}

fn class(area: &TextArea, at: Position, kind: WordKind) -> Option<CharClass> {
    let class = class_of(area.buffer.char_at(at)?);
    Some(match (kind, class) {
        (WordKind::Big, CharClass::Other) => CharClass::Word,
        _ => class,
    })
}

fn is_empty_line(area: &TextArea, at: Position) -> bool {
    area.buffer.line(at.line).is_empty()
}

/// The start of the next word.
pub(super) fn next_word(area: &TextArea, from: Position, words: WordKind) -> Position {
    let mut at = from;
    let first = class(area, at, words);
    while first != Some(CharClass::Space) && class(area, at, words) == first && at != area.right(at) {
        at = area.right(at);
    }
    while class(area, at, words) == Some(CharClass::Space) && at != area.right(at) {
        at = area.right(at);
        if is_empty_line(area, at) {
            break;
        }
    }
    at
}

/// The end of the word, or of the next one.
pub(super) fn word_end(area: &TextArea, from: Position, words: WordKind) -> Position {
    let mut at = area.right(from);
    while class(area, at, words) == Some(CharClass::Space) && at != area.right(at) {
        at = area.right(at);
    }
    let inside = class(area, at, words);
    loop {
        let right = area.right(at);
        if right == at || inside.is_none() || class(area, right, words) != inside {
            return at;
        }
        at = right;
    }
}

/// The start of the word, or of the one before.
pub(super) fn previous_word(area: &TextArea, from: Position, words: WordKind) -> Position {
    let mut at = area.left(from);
    while class(area, at, words) == Some(CharClass::Space) && at != area.left(at) && !is_empty_line(area, at)
    {
        at = area.left(at);
    }
    let inside = class(area, at, words);
    loop {
        let left = area.left(at);
        if left == at || inside == Some(CharClass::Space) || class(area, left, words) != inside {
            return at;
        }
        at = left;
    }
}

/// The first character of a line that is no white space.
pub(super) fn first_letter(area: &TextArea, line: usize) -> Position {
    let text = area.buffer.line(line);
    let byte = text.find(|letter: char| !letter.is_whitespace()).unwrap_or(text.len());
    Position::new(line, byte)
}

/// Returns where a key leads; `None` if it is no motion.
pub(super) fn motion(area: &TextArea, key: char, count: Option<usize>) -> Option<Motion> {
    let from = area.cursor;
    let times = count.unwrap_or(1);
    let repeat = |step: &dyn Fn(Position) -> Position| (0..times).fold(from, |at, _| step(at));
    let words = if key.is_uppercase() { WordKind::Big } else { WordKind::Small };
    let exclusive = |to| Motion { to, kind: SpanKind::Exclusive };
    let lines = |line: usize| Motion { to: first_letter(area, line), kind: SpanKind::Lines };
    Some(match key {
        'h' => exclusive(repeat(&|at| if at.byte == 0 { at } else { area.left(at) })),
        'l' | ' ' => {
            exclusive(repeat(&|at| if at == area.buffer.line_end(at) { at } else { area.right(at) }))
        }
        'w' | 'W' => exclusive(repeat(&|at| next_word(area, at, words))),
        'b' | 'B' => exclusive(repeat(&|at| previous_word(area, at, words))),
        'e' | 'E' => Motion { to: repeat(&|at| word_end(area, at, words)), kind: SpanKind::Inclusive },
        '0' => exclusive(Position::new(from.line, 0)),
        '^' => exclusive(first_letter(area, from.line)),
        '$' => {
            let line = (from.line + times - 1).min(area.buffer.last_line());
            exclusive(area.buffer.line_end(Position::new(line, 0)))
        }
        'j' => lines((from.line + times).min(area.buffer.last_line())),
        'k' => lines(from.line.saturating_sub(times)),
        'G' => lines(count.unwrap_or(usize::MAX).min(area.buffer.last_line() + 1).saturating_sub(1)),
        // The second letter of `gg`.
        'g' => lines(times.saturating_sub(1).min(area.buffer.last_line())),
        _ => return None,
    })
}
