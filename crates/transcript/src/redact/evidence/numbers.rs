//! Digits alone are a secret only where nothing else can be meant: "the PIN is …", "Your one-time code: …".

use std::ops::Range;

use super::line::LineView;
use super::vocabulary::{CODE_WORDS, LINKS};
use crate::redact::languages::code_phrases;

const MIN_DIGITS: usize = 4;
const MAX_DIGITS: usize = 8;
/// How far the digits are from the word.
const MAX_DISTANCE: usize = 48;

/// The numbers that words for codes announce.
pub(super) fn secret_numbers(line: &LineView<'_>) -> Vec<Range<usize>> {
    let text = &line.text[line.piece.clone()];
    let lower = text.to_ascii_lowercase();
    let is_word = |at: usize, word: &str| {
        let letter = |at: Option<usize>| {
            at.and_then(|at| lower.as_bytes().get(at)).is_some_and(u8::is_ascii_alphanumeric)
        };
        !letter(at.checked_sub(1)) && !letter(Some(at + word.len()))
    };
    let places = CODE_WORDS.iter().copied().chain(code_phrases()).filter_map(|word| {
        let at = lower.find(word).filter(|at| is_word(*at, word))?;
        Some(at + word.len())
    });
    places.filter_map(|start| number_after(line, start)).chain(number_before(line, &lower)).collect()
}

/// The number behind a word.
fn number_after(line: &LineView<'_>, start: usize) -> Option<Range<usize>> {
    let rest = &line.text[line.piece.clone()][start..];
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

/// "… is your code"
fn number_before(line: &LineView<'_>, lower: &str) -> Option<Range<usize>> {
    let end = lower.find(" is your ")?;
    let digits = lower[..end].bytes().rev().take_while(u8::is_ascii_digit).count();
    let is_whole =
        !lower[..end - digits].ends_with(|letter: char| letter.is_alphanumeric() || "-/:.".contains(letter));
    let is_code =
        lower[end..].contains("code") || lower[end..].contains("otp") || lower[end..].contains(" pin");
    let end = line.piece.start + end;
    (is_whole && is_code && (MIN_DIGITS..=MAX_DIGITS).contains(&digits)).then(|| end - digits..end)
}
