//! Text objects of the normal mode: words, quotes and brackets, with or without what surrounds them.

use super::motion::WordKind;
use crate::editor::area::TextArea;
use crate::editor::buffer::Position;
use crate::editor::motion::{CharClass, class_of};

/// How much of an object is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    Inner,
    Around,
}

/// Returns the object of this key around the cursor, from its first character up to the place behind its last.
pub(super) fn object(area: &TextArea, key: char, reach: Reach) -> Option<(Position, Position)> {
    match key {
        'w' => Some(word(area, reach, WordKind::Small)),
        'W' => Some(word(area, reach, WordKind::Big)),
        '"' | '\'' | '`' => quoted(area, key, reach),
        '(' | ')' | 'b' => bracketed(area, ('(', ')'), reach),
        '{' | '}' | 'B' => bracketed(area, ('{', '}'), reach),
        '[' | ']' => bracketed(area, ('[', ']'), reach),
        '<' | '>' => bracketed(area, ('<', '>'), reach),
        _ => None,
    }
}

fn word(area: &TextArea, reach: Reach, words: WordKind) -> (Position, Position) {
    let line_end = area.buffer.line_end(area.cursor);
    let class = |at: Position| {
        let class = area.buffer.char_at(at).map_or(CharClass::Space, class_of);
        if words == WordKind::Big && class == CharClass::Other { CharClass::Word } else { class }
    };
    let run = |at: Position| {
        let mut at = at;
        let wanted = class(at);
        while at < line_end && class(at) == wanted {
            at = area.right(at);
        }
        at
    };
    let mut start = area.cursor;
    while start.byte > 0 && class(area.left(start)) == class(area.cursor) {
        start = area.left(start);
    }
    let end = run(area.cursor);
    if reach == Reach::Inner {
        return (start, end);
    }
    let is_space = class(area.cursor) == CharClass::Space;
    let behind = run(end);
    if is_space || (behind > end && class(end) == CharClass::Space) {
        return (start, behind);
    }
    // Without spaces behind it, those before it go.
    while start.byte > 0 && class(area.left(start)) == CharClass::Space {
        start = area.left(start);
    }
    (start, end)
}

fn quoted(area: &TextArea, quote: char, reach: Reach) -> Option<(Position, Position)> {
    let line = area.buffer.line(area.cursor.line);
    let quotes: Vec<usize> = line.match_indices(quote).map(|(at, _)| at).collect();
    let pair = quotes.chunks_exact(2).find(|pair| pair[1] >= area.cursor.byte)?;
    let place = |byte| Position::new(area.cursor.line, byte);
    match reach {
        Reach::Inner => Some((place(pair[0] + 1), place(pair[1]))),
        Reach::Around => {
            let behind = &line[pair[1] + 1..];
            let spaces = behind.len() - behind.trim_start().len();
            Some((place(pair[0]), place(pair[1] + 1 + spaces)))
        }
    }
}

fn bracketed(area: &TextArea, (open, close): (char, char), reach: Reach) -> Option<(Position, Position)> {
    let at = area.cursor;
    let start = match area.buffer.char_at(at) {
        Some(found) if found == open => at,
        _ => partner(area, at, (open, close), &|place| area.left(place))?,
    };
    let end = partner(area, start, (close, open), &|place| area.right(place))?;
    match reach {
        Reach::Inner => Some((area.right(start), end)),
        Reach::Around => Some((start, area.right(end))),
    }
}

/// Returns the next bracket that is not closed by another one on the way.
fn partner(
    area: &TextArea,
    from: Position,
    (wanted, other): (char, char),
    step: &dyn Fn(Position) -> Position,
) -> Option<Position> {
    let (mut at, mut depth) = (from, 0_usize);
    loop {
        let next = step(at);
        if next == at {
            return None;
        }
        at = next;
        match area.buffer.char_at(at) {
            Some(found) if found == wanted && depth == 0 => return Some(at),
            Some(found) if found == wanted => depth -= 1,
            Some(found) if found == other => depth += 1,
            _ => {}
        }
    }
}
