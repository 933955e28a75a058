//! Passwords of several words without quotes: "the passphrase is …". Sentences about passwords have words that no such list has.

use std::ops::Range;

use super::clues::ClueKind;
use super::line::LineView;
use super::vocabulary::{LINKS, SENTENCE_WORDS};
use crate::redact::names::Strength;

const MIN_WORDS: usize = 3;
const MAX_WORDS: usize = 8;
const MAX_BYTES: usize = 100;
/// How many words say which password is meant.
const MAX_NAME_WORDS: usize = 5;
/// How many letters the words of a passphrase have.
const WORD_LETTERS: std::ops::RangeInclusive<usize> = 3..=9;
/// Endings of verbs and of what is made of them.
const ENDINGS: [&str; 6] = ["ed", "ing", "ly", "tion", "able", "ment"];

/// The passphrase that the name of a password announces.
pub(super) fn phrase(line: &LineView<'_>) -> Option<Range<usize>> {
    if line.is_code && line.text[line.piece.clone()].contains(['=', ';', '{', '"']) {
        return None;
    }
    let names = line.clues.iter().filter(|clue| clue.kind == ClueKind::Name(Strength::Password));
    names.filter_map(|clue| phrase_after(line, clue.span.end)).next()
}

fn phrase_after(line: &LineView<'_>, name_end: usize) -> Option<Range<usize>> {
    let rest = line.text.get(name_end..line.piece.end)?;
    let bare = rest.trim_start();
    let value = match bare.strip_prefix([':', '=']) {
        Some(value) => value,
        None => match bare.split_once(' ').filter(|(verb, _)| LINKS.contains(verb)) {
            Some((_, value)) => value,
            // "passphrase for the new key: …"
            None => bare.split_once(": ").filter(|(what, _)| what.split(' ').count() <= MAX_NAME_WORDS)?.1,
        },
    };
    let start = line.piece.end - value.trim_start_matches([' ', ':', '"', '\'', '`']).len();
    let limit = line.text.floor_char_boundary(line.piece.end.min(start + MAX_BYTES));
    let value = line.text[start..limit].trim_end();
    let end = value.find(['.', ',', ';', '(', '"', '\'', '`']).unwrap_or(value.len());
    let phrase = value[..end].trim_end();
    let is_word = |word: &str| {
        WORD_LETTERS.contains(&word.len())
            && word.bytes().all(|byte| byte.is_ascii_lowercase())
            && !SENTENCE_WORDS.contains(word)
            && !ENDINGS.iter().any(|ending| word.ends_with(ending))
    };
    let is_phrase = (MIN_WORDS..=MAX_WORDS).contains(&phrase.split(' ').count());
    (is_phrase && phrase.split(' ').all(is_word)).then(|| start..start + phrase.len())
}
