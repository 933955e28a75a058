//! Secrets in what a command printed and in what a file holds, when the command or the name of the file announces them.

use std::ops::Range;

use super::Evidence;
use super::line::LineView;
use super::shape::{Shape, is_digest, shape};
use super::tokens::Token;
use super::vocabulary::PLAIN_NAMES;
use crate::redact::names;
use crate::redact::origin::TextOrigin;
use crate::redact::words::parts;

/// The most cells of a row, and the most of them that are words.
const MAX_CELLS: usize = 8;
const MAX_WORD_CELLS: usize = 2;

/// How much an origin speaks for a token, by its place.
struct Weights {
    /// Alone on its line.
    alone: Evidence,
    /// A name is set to it, or it is a later cell of a row.
    value: Evidence,
    anywhere: Evidence,
}

impl Weights {
    fn of(origin: &TextOrigin) -> Option<Self> {
        let of = |alone, value, anywhere| Some(Self { alone, value, anywhere });
        match origin {
            TextOrigin::Unknown | TextOrigin::Message(_) => None,
            TextOrigin::Topic => of(Evidence::Near, Evidence::Near, Evidence::Faint),
            TextOrigin::Users => of(Evidence::None, Evidence::Sure, Evidence::Faint),
            TextOrigin::Secrets => of(Evidence::Sure, Evidence::Sure, Evidence::Faint),
        }
    }
}

/// Whether the name of a value says that it is no secret: by its last word.
pub(in crate::redact) fn is_plain_name(name: &str) -> bool {
    let is_word = |part: &&str| part.as_bytes()[0].is_ascii_alphabetic();
    let last = parts(name).filter(is_word).last();
    names::strength(name).is_none()
        && last.is_some_and(|part| PLAIN_NAMES.contains(&part.to_ascii_lowercase()))
}

/// The secrets of a line of an output.
pub(super) fn secrets(origin: &TextOrigin, line: &LineView<'_>) -> Vec<Range<usize>> {
    let Some(weights) = Weights::of(origin) else { return Vec::new() };
    let bytes = line.text.as_bytes();
    let is_tag = |token: &&Token| token.span.start.checked_sub(1).is_some_and(|at| bytes[at] == b'<');
    let cells: Vec<&Token> = line.tokens.iter().filter(|token| !is_tag(token)).collect();
    let is_word = |token: &&&Token| line.token(token).bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_row = cells.len() <= MAX_CELLS && cells.iter().filter(is_word).count() <= MAX_WORD_CELLS;
    let is_secret = |(at, token): &(usize, &&Token)| {
        let value = line.token(token);
        let shape = shape(value);
        if shape == Shape::Plain
            || cells.len() > 1 && (line.is_in_comment(token) || line.is_code && token.quote.is_none())
        {
            return false;
        }
        let name = line.name_before(token).map(|name| &line.text[name]);
        if name.is_some_and(is_plain_name) {
            return false;
        }
        let has_place = name.is_some() || token.user.is_some() || is_row && *at > 0 && !line.is_code;
        let evidence = match () {
            () if cells.len() == 1 => weights.alone,
            () if has_place => weights.value,
            // The first cell names what the others are.
            () if is_row && !line.is_code && *origin == TextOrigin::Secrets => Evidence::Near,
            () => weights.anywhere,
        };
        let is_key = has_place && evidence >= Evidence::Near && is_digest(value);
        is_key || evidence.asks_for().is_some_and(|least| shape >= least)
    };
    let found = cells.iter().enumerate().filter(is_secret).map(|(_, token)| token.span.clone());
    found.chain(last_field(line).filter(|_| weights.value == Evidence::Sure)).collect()
}

/// `host:5432:shop:app:…`
fn last_field(line: &LineView<'_>) -> Option<Range<usize>> {
    let text = line.text[line.piece.clone()].trim();
    let is_list = text.matches(':').count() >= 2 && !text.contains([' ', '\t', '"', '{', '=', '/']);
    let (_, last) = text.rsplit_once(':').filter(|_| is_list)?;
    let end = line.piece.start + line.text[line.piece.clone()].trim_end().len();
    (shape(last) >= Shape::Possible).then(|| end - last.len()..end)
}
