//! Finds secrets by their format: one pass over the text finds the prefixes, and each is followed by a bounded look at what
//! comes after it.

mod services;
mod table;
mod unprefixed;

#[cfg(test)]
mod random_tests;

use std::cmp::Ordering;
use std::ops::Range;

use aho_corasick::{AhoCorasick, BuildError, MatchKind};

use super::haystack::{Alphabet, Haystack};
use super::kind::SecretKind;
use super::rules::Finding;
use super::values::{is_sample, is_varied, switches};
use super::words::random_bits;
use super::wraps::{starts_log_or_list_line, starts_with_date_or_setting};
use services::SERVICE_FORMATS;
use table::FORMATS;

/// A token is broken over at most this many lines.
const MAX_WRAPS: usize = 12;
/// A line break counts as part of a token only after this many of its characters.
const MIN_WRAPPED: usize = 8;
/// Prefixes of the ids of keys of AWS. Sixteen capital letters follow, which may read like a word by chance.
const AWS_IDS: [&str; 4] = ["AKIA", "ASIA", "ABIA", "ACCA"];
/// Random bits per character of a tail; that of words is near 0, that of hexadecimal digits near 3.5.
const MIN_TAIL_BITS: f64 = 1.6;

/// A part of what follows a prefix.
#[derive(Clone, Copy, Debug)]
enum FormatPart {
    /// This text.
    Lit(&'static str),
    /// Characters of an alphabet.
    Run { alphabet: Alphabet, min: usize, max: usize },
}

/// The format of a key.
#[derive(Clone, Copy, Debug)]
struct Format {
    kind: SecretKind,
    prefix: &'static str,
    tail: &'static [FormatPart],
}

impl Format {
    /// Whether it has one length: then letters with a digit among them are no words.
    fn is_fixed(&self) -> bool {
        self.prefix.len() >= 4 && matches!(self.tail, [FormatPart::Run { min, max, .. }] if min == max)
    }
}

/// The formats, ready to be searched for.
#[derive(Clone, Debug)]
pub(super) struct FormatRules {
    prefixes: AhoCorasick,
    /// For each prefix the formats that begin with it or with a part of it, the longest first.
    candidates: Vec<Vec<&'static Format>>,
}

impl FormatRules {
    pub(super) fn new() -> Result<Self, BuildError> {
        let formats = || FORMATS.iter().chain(SERVICE_FORMATS);
        let mut prefixes: Vec<&str> = formats().map(|format| format.prefix).collect();
        prefixes.sort_unstable();
        prefixes.dedup();
        let of_prefix = |prefix: &&str| {
            let mut all: Vec<_> = formats().filter(|format| prefix.starts_with(format.prefix)).collect();
            all.sort_by_key(|format| std::cmp::Reverse(format.prefix.len()));
            all
        };
        let candidates = prefixes.iter().map(of_prefix).collect();
        let prefixes = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&prefixes)?;
        Ok(Self { prefixes, candidates })
    }

    /// Finds all secrets of a known format.
    pub(super) fn find(&self, hay: &Haystack<'_>, found: &mut Vec<Finding>) {
        hay.count(hay.bytes.len());
        let mut done = 0;
        for hit in self.prefixes.find_iter(hay.text) {
            if hit.start() < done || is_joined(hay, hit.range()) {
                continue;
            }
            let candidates = self.candidates[hit.pattern().as_usize()].iter();
            let matched = candidates.filter_map(|format| matched(hay, hit.start(), format)).next();
            if let Some(finding) = matched.filter(|finding| !hay.is_data(&finding.span)) {
                done = finding.span.end;
                found.push(finding);
            }
        }
        unprefixed::find(hay, found);
    }
}

pub(super) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether a prefix is a part of a longer word: `cache-key-` is no `key-`.
fn is_joined(hay: &Haystack<'_>, prefix: Range<usize>) -> bool {
    let before = hay.before(prefix.start);
    // `dump-ghp_…`: nothing else ends with `_` or is the id of a key of AWS.
    let is_distinct = hay.before(prefix.end) == b'_' || AWS_IDS.contains(&&hay.text[prefix.clone()]);
    let is_compound =
        before == b'-' && prefix.len() < 5 && !is_distinct && is_word_byte(hay.before(prefix.start - 1));
    is_word_byte(before) || is_compound
}

/// The secret of a format at a position.
fn matched(hay: &Haystack<'_>, start: usize, format: &Format) -> Option<Finding> {
    let mut at = start + format.prefix.len();
    if !hay.text[start..].starts_with(format.prefix) {
        return None;
    }
    for segment in format.tail {
        at = match *segment {
            FormatPart::Lit(text) => {
                let here = if at - start < MIN_WRAPPED { at } else { after_break(hay, at) };
                hay.bytes[here..].starts_with(text.as_bytes()).then(|| here + text.len())?
            }
            FormatPart::Run { alphabet, min, max } => run_end(hay, start, at, alphabet, min..max)?,
        };
    }
    // A token does not end with a hyphen or a full stop, but a sentence may.
    let end = start + hay.text[start..at].trim_end_matches(['-', '.']).len();
    let tail = &hay.text[start + format.prefix.len()..end];
    let is_fixed = AWS_IDS.contains(&format.prefix)
        || format.is_fixed() && tail.bytes().any(|byte| byte.is_ascii_digit());
    let is_key = match is_fixed {
        true => is_varied(tail) && !is_sample(tail),
        false => is_random_tail(hay, tail),
    };
    (is_key && !is_word_byte(hay.byte(at))).then_some(Finding { kind: format.kind, span: start..end })
}

/// The next character, on the next line if this one ends here, and in the next string if a program joins two.
fn after_break(hay: &Haystack<'_>, at: usize) -> usize {
    match hay.byte(at) {
        b'\n' | b'\r' => hay.skip(at, 64, |byte| byte.is_ascii_whitespace()),
        quote @ (b'"' | b'\'') => {
            let next = hay.skip(at + 1, 64, |byte| byte.is_ascii_whitespace() || b"+.\\".contains(&byte));
            let is_joined = hay.bytes[at..next].iter().any(|byte| b"+.\n".contains(byte));
            if is_joined && hay.byte(next) == quote { next + 1 } else { at }
        }
        _ => at,
    }
}

/// The end of a run of at least and at most this many characters, which may be broken over lines.
fn run_end(
    hay: &Haystack<'_>,
    start: usize,
    at: usize,
    alphabet: Alphabet,
    counts: Range<usize>,
) -> Option<usize> {
    let (min, max) = (counts.start, counts.end);
    let mut end = hay.end(at, alphabet).min(at + max);
    let mut count = end - at;
    for _ in 0..MAX_WRAPS {
        if end - start < MIN_WRAPPED || count >= max {
            break;
        }
        let next = after_break(hay, end);
        if next == end {
            break;
        }
        let next_end = hay.skip(next, max - count, |byte| alphabet.has(byte));
        let piece = &hay.text[next..next_end];
        // What has the length of its format is complete. What is longer ends with its line, unless the next one is more of it.
        let rest = &hay.bytes[next..];
        let is_more = match count.cmp(&min) {
            Ordering::Less => !starts_with_date_or_setting(rest),
            Ordering::Equal => false,
            Ordering::Greater => is_piece(hay, next..next_end) && !starts_log_or_list_line(rest),
        };
        if piece.is_empty() || !is_more || begins_token(rest) {
            break;
        }
        (count, end) = (count + piece.len(), next_end);
    }
    (count >= min).then_some(end)
}

/// Whether the start of a line looks like the rest of a token: random, and nothing but a mixture of letters and digits if a word follows.
fn is_piece(hay: &Haystack<'_>, span: Range<usize>) -> bool {
    let piece = &hay.text[span.clone()];
    let has = |test: fn(&u8) -> bool| piece.as_bytes().iter().any(test);
    let is_mixed = || has(u8::is_ascii_digit) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
    let is_last = !matches!(hay.byte(span.end), b' ' | b'\t');
    piece.len() >= 6 && random_bits(piece) >= piece.len() as f64 * 2.5 && (is_last || is_mixed())
}

/// Whether a line begins with a token of its own.
fn begins_token(line: &[u8]) -> bool {
    FORMATS.iter().any(|format| format.prefix.len() >= 4 && line.starts_with(format.prefix.as_bytes()))
}

/// Whether what follows a prefix is random: neither a sample nor words.
fn is_random_tail(hay: &Haystack<'_>, tail: &str) -> bool {
    let head = &tail[..tail.floor_char_boundary(96)];
    hay.count(head.len() * 3);
    let has = |test: fn(&u8) -> bool| head.as_bytes().iter().any(test);
    // Letters of both cases with digits among them are no words, even if some read like one by chance.
    let is_mixed = has(u8::is_ascii_digit)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && switches(head) * 10 >= head.len() * 4;
    is_varied(head)
        && !is_sample(head)
        && (is_mixed || random_bits(head) >= head.len() as f64 * MIN_TAIL_BITS)
}

pub(super) use unprefixed::{find_in_joined, find_marks, marks};
