//! Digits alone are a secret only where nothing else can be meant: "the PIN is …", "Your one-time code: …".

use std::ops::Range;

use super::line::LineView;
use super::vocabulary::{CODE_WORDS, LINKS};

const MIN_DIGITS: usize = 4;
const MAX_DIGITS: usize = 8;
/// How far the digits are from the word.
const MAX_DISTANCE: usize = 48;

/// The number that a word for a code announces.
pub(super) fn secret_number(line: &LineView<'_>) -> Option<Range<usize>> {
    let text = &line.text[line.piece.clone()];
    let lower = text.to_ascii_lowercase();
    let is_word = |at: usize, word: &str| {
        let letter = |at: Option<usize>| {
            at.and_then(|at| lower.as_bytes().get(at)).is_some_and(u8::is_ascii_alphanumeric)
        };
        !letter(at.checked_sub(1)) && !letter(Some(at + word.len()))
    };
    let (at, word) = CODE_WORDS.iter().find_map(|word| {
        let at = lower.find(word).filter(|at| is_word(*at, word))?;
        Some((at, word))
    })?;
    let start = at + word.len();
    let rest = &text[start..];
    let first = rest.find(|letter: char| letter.is_ascii_digit()).filter(|first| *first <= MAX_DISTANCE)?;
    let length = rest[first..].bytes().take_while(u8::is_ascii_digit).count();
    let between = &rest[..first];
    let last = between.split_whitespace().next_back().unwrap_or_default();
    let is_linked = between.trim_end_matches([' ', '"', '\'']).ends_with([':', '='])
        || LINKS.contains(&last.to_lowercase());
    let follows = rest[first + length..].chars().next();
    let is_whole = !follows.is_some_and(|next| next.is_alphanumeric() || "-/:%".contains(next));
    let is_quoted = between.ends_with(['"', '\'']);
    let is_secret = (MIN_DIGITS..=MAX_DIGITS).contains(&length) && is_linked && is_whole;
    let start = line.piece.start + start + first;
    (is_secret && (!line.is_code || is_quoted)).then(|| start..start + length)
}
