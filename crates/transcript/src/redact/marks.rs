//! Secrets after a text that only announces secrets: `IDENTIFIED BY '…'`, `::add-mask::…`, "seed phrase: …".

use std::ops::Range;

use aho_corasick::{AhoCorasick, BuildError, MatchKind};

use super::calls;
use super::evidence::is_possible;
use super::formats::is_word_byte;
use super::haystack::{Alphabet, Haystack};
use super::kind::SecretKind;
use super::mark_table::{MARKS, Mark};
use super::names::Strength;
use super::rules::Finding;
use super::values::{Notation, is_likely, is_placeholder, is_sample, is_secret_value};
use super::words::{WordList, random_bits};

/// How far the first word of a wallet may be from its mark.
const MAX_DISTANCE: usize = 96;
/// Maximum bytes between a mark and its quotes.
const MAX_GAP_BYTES: usize = 48;
const MAX_VALUE_BYTES: usize = 512;
/// The fewest and the most words of a wallet.
const MIN_WALLET_WORDS: usize = 12;
const MAX_WALLET_WORDS: usize = 24;
/// Words of every sentence, which no wallet has.
static SENTENCE_WORDS: WordList = WordList::new(
    "the and for are you not was but has its our they been were than them then there these those which while \
     would could should must also does into only such when where who why how his her him had did may might",
);

/// The marks, ready to be searched for.
#[derive(Clone, Debug)]
pub(super) struct MarkRules(AhoCorasick);

impl MarkRules {
    pub(super) fn new() -> Result<Self, BuildError> {
        let builder = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::LeftmostLongest)
            .build(MARKS.iter().map(|(text, _)| text));
        Ok(Self(builder?))
    }

    /// Finds what follows the marks.
    pub(super) fn find(&self, hay: &Haystack<'_>, found: &mut Vec<Finding>) {
        hay.count(hay.bytes.len());
        let mut done = 0;
        for hit in self.0.find_iter(hay.text) {
            if hit.start() < done {
                continue;
            }
            let mark = MARKS.get(hit.pattern().as_usize()).map_or(Mark::Value, |(_, mark)| *mark);
            let span = match mark {
                Mark::Line => line(hay, hit.end()),
                Mark::Quoted => quoted(hay, hit.end()),
                Mark::Equals => {
                    let sign = hay.skip(hit.end(), MAX_DISTANCE, |byte| !b"=\n".contains(&byte));
                    quoted(hay, sign).filter(|_| hay.byte(sign) == b'=')
                }
                Mark::Sql => after_by(hay, hit.range())
                    .and_then(|at| quoted(hay, at))
                    .filter(|span| random_bits(&hay.text[span.clone()]) >= 3.0),
                Mark::Pair => pair(hay, hit.end()),
                Mark::Argument => argument(hay, hit.end()),
                Mark::Value => value(hay, hit.end()),
                Mark::Cookie => cookie(hay, hit.end()),
                Mark::Words => words(hay, hit.end()),
                Mark::Third => calls::third(hay, hit.end()),
                Mark::Default => calls::default(hay, hit.end()),
                // The quotation mark is a part of some marks.
                Mark::Sent => calls::sent(hay, hit.end() - usize::from(hay.before(hit.end()) == b'"')),
                Mark::Field => calls::field(hay, hit.end()),
                Mark::UserKey => calls::key_of_user(hay, hit.end()),
                Mark::Stored => calls::stored(hay, hit.end()),
                Mark::Braces => calls::in_braces(hay, hit.end()),
                Mark::Random => calls::random_word(hay, hit.end()),
                Mark::Before => calls::word_before(hay, hit.start()),
                Mark::Constant => calls::constant(hay, hit.end()),
                Mark::Fourth => calls::fourth(hay, hit.end()),
                Mark::First => calls::first(hay, hit.end()),
                Mark::Fallback => calls::fallback(hay, hit.end() - 1),
                Mark::UserFlag => calls::beside_user(hay, hit.range()),
                Mark::HereString => calls::here_string(hay, hit.range()),
                Mark::Id => calls::id_word(hay, hit.end()),
                Mark::AppPassword => calls::app_password(hay, hit.end()),
                Mark::UserPair => calls::user_pair(hay, hit.end()),
            };
            if let Some(span) = span {
                done = span.end;
                found.push(Finding { kind: SecretKind::Assignment, span });
            }
        }
    }
}

fn line(hay: &Haystack<'_>, start: usize) -> Option<Range<usize>> {
    let end = hay.skip(start, MAX_VALUE_BYTES, |byte| !b"\n\r\"'`".contains(&byte));
    let value = hay.text.get(start..end)?.trim_end();
    (value.len() >= 4 && !is_placeholder(value)).then(|| start..start + value.len())
}

/// The first string in quotes, on the same line.
fn quoted(hay: &Haystack<'_>, at: usize) -> Option<Range<usize>> {
    let opening = hay.skip(at, MAX_GAP_BYTES, |byte| !b"\n'\"".contains(&byte));
    let alphabet = match hay.byte(opening) {
        b'"' => Alphabet::DoubleQuoted,
        b'\'' => Alphabet::SingleQuoted,
        _ => return None,
    };
    let span = opening + 1..hay.end(opening + 1, alphabet);
    let value = hay.text.get(span.clone())?;
    let is_secret = hay.byte(span.end) == hay.byte(opening)
        && (4..=MAX_VALUE_BYTES).contains(&value.len())
        && !value.contains(' ')
        && !is_placeholder(value);
    is_secret.then_some(span)
}

/// The second of two strings right after a mark.
fn pair(hay: &Haystack<'_>, at: usize) -> Option<Range<usize>> {
    let start = hay.skip(at, 16, |byte| byte.is_ascii_whitespace());
    let user = hay.skip(start + 1, MAX_DISTANCE, |byte| !b"\n'\"".contains(&byte));
    let next = hay.skip(user + 1, 16, |byte| byte == b',' || byte.is_ascii_whitespace());
    let is_pair = matches!(hay.byte(start), b'"' | b'\'')
        && hay.byte(user) == hay.byte(start)
        && matches!(hay.byte(next), b'"' | b'\'');
    let span = quoted(hay, next).filter(|_| is_pair)?;
    let value = &hay.text[span.clone()];
    let is_secret = is_secret_value(value, Strength::Password, Notation::Quoted) || is_possible(value);
    is_secret.then_some(span)
}

/// A string in quotes right after a mark.
fn argument(hay: &Haystack<'_>, at: usize) -> Option<Range<usize>> {
    let is_here = matches!(hay.byte(at), b'"' | b'\'');
    quoted(hay, at).filter(|span| is_here && is_possible(&hay.text[span.clone()]))
}

/// The word after a mark, and at most two words before it: `: …`, ` est …`, ` bob …`.
fn value(hay: &Haystack<'_>, mark: usize) -> Option<Range<usize>> {
    let is_gap = |byte: u8| b" \t:=\"'`".contains(&byte) || byte >= 0x80;
    let mut at = mark;
    for _ in 0..3 {
        let start = hay.skip(at, 32, is_gap);
        let end = hay.skip(start, 64, |byte| byte.is_ascii_graphic() && !b"\"'`,;<".contains(&byte));
        let word = hay.text.get(start..end)?.trim_end_matches(['.', ')']);
        if is_likely(word) {
            return Some(start..start + word.len());
        }
        at = end;
    }
    None
}

/// The value in `"NAME=value"`.
fn cookie(hay: &Haystack<'_>, at: usize) -> Option<Range<usize>> {
    let sign = hay.skip(at, MAX_GAP_BYTES, |byte| byte.is_ascii_graphic() && byte != b'=');
    let end = hay.skip(sign + 1, MAX_VALUE_BYTES, |byte| byte.is_ascii_graphic() && !b"\"';".contains(&byte));
    let value = hay.text.get(sign + 1..end).filter(|_| hay.byte(sign) == b'=')?;
    (value.len() >= 8 && random_bits(value) >= 25.0 && !is_placeholder(value)).then_some(sign + 1..end)
}

/// Where the string begins in `IDENTIFIED BY '…'` and `IDENTIFIED WITH plugin BY '…'`; prose has other words there.
fn after_by(hay: &Haystack<'_>, mark: Range<usize>) -> Option<usize> {
    let is_space = |byte: u8| byte.is_ascii_whitespace();
    let mut at = hay.skip(mark.end, 8, is_space);
    if hay.before(mark.end).eq_ignore_ascii_case(&b'h') {
        let plugin = hay.skip(at, MAX_GAP_BYTES, |byte| is_word_byte(byte) || b"'\"".contains(&byte));
        let word = hay.skip(plugin, 8, is_space);
        let is_by = hay
            .bytes
            .get(word..word + 3)
            .is_some_and(|word| word.eq_ignore_ascii_case(b"by ") || word.eq_ignore_ascii_case(b"as "));
        at = is_by.then_some(word + 3)?;
    }
    matches!(hay.byte(at), b'\'' | b'"').then_some(at)
}

/// Twelve words or more in a row that are no sentence; they may be numbered, and stand on lines of their own.
fn words(hay: &Haystack<'_>, mark: usize) -> Option<Range<usize>> {
    let limit = hay.bytes.len().min(mark + MAX_DISTANCE);
    let is_gap = |byte: u8| byte.is_ascii_whitespace() || b"\"'`:=".contains(&byte);
    let mut at = mark;
    while at < limit {
        let (count, span) = row(hay, at);
        if count >= MIN_WALLET_WORDS && !is_sample(&hay.text[span.clone()]) {
            return Some(span);
        }
        // Past the word that ended this row.
        let next = hay.skip(at.max(span.end), 64, |byte| !is_gap(byte));
        at = hay.skip(next, 8, is_gap).max(at + 1);
    }
    None
}

/// The words from a position on that a wallet may have: how many, and where they stand.
fn row(hay: &Haystack<'_>, at: usize) -> (usize, Range<usize>) {
    let between =
        |byte: u8| byte.is_ascii_whitespace() || byte.is_ascii_digit() || b".,)\"'[]|-+".contains(&byte);
    let first = hay.skip(at, 16, between);
    let (mut count, mut start, mut end) = (0, first, first);
    while count < MAX_WALLET_WORDS {
        let word_end = hay.skip(start, 10, |byte| byte.is_ascii_lowercase());
        let word = hay.text.get(start..word_end).unwrap_or_default();
        let is_whole = (3..=8).contains(&word.len()) && !is_word_byte(hay.byte(word_end));
        if !is_whole || SENTENCE_WORDS.contains(word) {
            break;
        }
        (count, end) = (count + 1, word_end);
        start = hay.skip(word_end, 16, between);
        if start == word_end {
            break;
        }
    }
    (count, first..end)
}
