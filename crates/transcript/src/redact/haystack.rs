//! A text with its runs of characters. Each run is measured once, however many rules ask for it, so that the search is
//! linear in the text; the steps are counted, so that a test can show it.

use std::cell::{Cell, OnceCell};
use std::ops::Range;

/// A run of at least this many base64 characters is data, not a token.
const MIN_DATA_RUN: usize = 512;
/// A longer value is judged by its beginning: where many names stand in one run, the rest of it is the value of each.
const MAX_JUDGED_BYTES: usize = 160;
/// How often a judgement reads a value.
const LOOKS_OF_JUDGEMENT: usize = 4;

/// A set of characters that runs are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alphabet {
    Digits,
    Hex,
    /// `A-Z0-9`
    Capitals,
    /// `A-Za-z0-9`
    Alnum,
    /// Also `_`.
    Word,
    /// Also `-`.
    Token,
    /// Also `.`.
    Dotted,
    /// Base64, with `+ / =`.
    Base64,
    /// Base64 of both kinds, and `.~%`: what a header carries.
    Header,
    /// A value without quotes: up to white space, a quote, a comma or a semicolon.
    Bare,
    /// Up to white space or a quote: an argument of a command.
    Argument,
    /// Up to a double quote or the end of the line.
    DoubleQuoted,
    SingleQuoted,
    BackQuoted,
    /// What stands before the path of an address.
    Authority,
}

const ALPHABETS: usize = 15;
const MAX_RUNS: usize = 4;

impl Alphabet {
    const ALL: [Self; ALPHABETS] = [
        Self::Digits,
        Self::Hex,
        Self::Capitals,
        Self::Alnum,
        Self::Word,
        Self::Token,
        Self::Dotted,
        Self::Base64,
        Self::Header,
        Self::Bare,
        Self::Argument,
        Self::DoubleQuoted,
        Self::SingleQuoted,
        Self::BackQuoted,
        Self::Authority,
    ];

    pub(super) fn has(self, byte: u8) -> bool {
        TABLE[byte as usize] & (1 << self as u16) != 0
    }

    const fn is_member(self, byte: u8) -> bool {
        let signs: &[u8] = match self {
            Self::Digits => return byte.is_ascii_digit(),
            Self::Hex => return byte.is_ascii_hexdigit(),
            Self::Capitals => return byte.is_ascii_digit() || byte.is_ascii_uppercase(),
            Self::Authority => return !byte.is_ascii_whitespace() && !has_sign(b"/?#\"'`<>\\,;)]}", byte),
            Self::DoubleQuoted => return byte != b'\n' && byte != b'"',
            Self::SingleQuoted => return byte != b'\n' && byte != b'\'',
            Self::BackQuoted => return byte != b'\n' && byte != b'`',
            Self::Bare => return !byte.is_ascii_whitespace() && !has_sign(b"\"'`,;", byte),
            Self::Argument => return !byte.is_ascii_whitespace() && !has_sign(b"\"'`", byte),
            Self::Alnum => b"",
            Self::Word => b"_",
            Self::Token => b"_-",
            Self::Dotted => b"_-.",
            Self::Base64 => b"+/=",
            Self::Header => b"_-+/=.~%|:",
        };
        byte.is_ascii_alphanumeric() || has_sign(signs, byte)
    }
}

/// The alphabets of each byte, as bits.
static TABLE: [u16; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut alphabet = 0;
        while alphabet < ALPHABETS {
            if Alphabet::ALL[alphabet].is_member(byte as u8) {
                table[byte] |= 1 << Alphabet::ALL[alphabet] as u16;
            }
            alphabet += 1;
        }
        byte += 1;
    }
    table
};

const fn has_sign(signs: &[u8], byte: u8) -> bool {
    let mut at = 0;
    while at < signs.len() {
        if signs[at] == byte {
            return true;
        }
        at += 1;
    }
    false
}

/// A text to search.
#[derive(Debug)]
pub(super) struct Haystack<'t> {
    pub(super) text: &'t str,
    pub(super) bytes: &'t [u8],
    /// The last runs of each alphabet: a rule may look at several before the next rule begins with the first again.
    runs: [Cell<[(usize, usize); MAX_RUNS]>; ALPHABETS],
    data: OnceCell<Vec<Range<usize>>>,
    work: Cell<usize>,
}

impl<'t> Haystack<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let runs = [const { Cell::new([(1, 0); MAX_RUNS]) }; ALPHABETS];
        Self { text, bytes: text.as_bytes(), runs, data: OnceCell::new(), work: Cell::new(0) }
    }

    /// How many bytes were looked at.
    pub(super) fn work(&self) -> usize {
        self.work.get()
    }

    pub(super) fn count(&self, steps: usize) {
        self.work.set(self.work.get() + steps);
    }

    /// The byte at a position, or 0.
    pub(super) fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    /// The byte before a position, or 0.
    pub(super) fn before(&self, at: usize) -> u8 {
        at.checked_sub(1).map_or(0, |at| self.byte(at))
    }

    /// The end of the run of these characters that begins at a position or before it.
    pub(super) fn end(&self, at: usize, alphabet: Alphabet) -> usize {
        let cached = &self.runs[alphabet as usize];
        let mut runs = cached.get();
        if let Some(&(_, end)) = runs.iter().find(|(start, end)| *start <= at && at <= *end) {
            return end;
        }
        let rest = self.bytes.get(at..).unwrap_or_default();
        let length = rest.iter().position(|&byte| !alphabet.has(byte)).unwrap_or(rest.len());
        self.count(length + 1);
        runs.rotate_right(1);
        runs[0] = (at, at + length);
        cached.set(runs);
        at + length
    }

    /// Skips at most `limit` bytes that pass.
    pub(super) fn skip(&self, at: usize, limit: usize, passes: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        let length = rest.iter().take(limit).position(|&byte| !passes(byte)).unwrap_or(limit.min(rest.len()));
        self.count(length + 1);
        at + length
    }

    /// The start of at most `limit` bytes before a position that pass.
    pub(super) fn back(&self, at: usize, limit: usize, passes: impl Fn(u8) -> bool) -> usize {
        let length = self.bytes[..at].iter().rev().take(limit).take_while(|&&byte| passes(byte)).count();
        self.count(length + 1);
        at - length
    }

    /// The last bytes before a position, at most `limit`.
    pub(super) fn tail(&self, at: usize, limit: usize) -> &'t [u8] {
        self.count(limit);
        &self.bytes[at.saturating_sub(limit)..at]
    }

    /// What a value is judged by: all of it, or the beginning of a long one.
    pub(super) fn judged(&self, span: &Range<usize>) -> &'t str {
        let value = self.text.get(span.clone()).unwrap_or_default();
        let head = &value[..value.floor_char_boundary(MAX_JUDGED_BYTES)];
        self.count(head.len() * LOOKS_OF_JUDGEMENT);
        head
    }

    /// Whether a range is in base64 data that is much too long for a token, or in a `data:` URL.
    pub(super) fn is_data(&self, span: &Range<usize>) -> bool {
        let data = self.data.get_or_init(|| self.data_runs());
        let next = data.partition_point(|run| run.end <= span.start);
        data.get(next).is_some_and(|run| run.start <= span.start)
    }

    fn data_runs(&self) -> Vec<Range<usize>> {
        self.count(self.bytes.len());
        let mut found = Vec::new();
        let mut start = 0;
        for at in 0..=self.bytes.len() {
            if self.bytes.get(at).is_some_and(|&byte| Alphabet::Base64.has(byte)) {
                continue;
            }
            let is_url = self.bytes[..start].ends_with(b";base64,");
            if at - start >= MIN_DATA_RUN || is_url && at > start {
                found.push(start..at);
            }
            start = at + 1;
        }
        found
    }
}

/// Whether a whole string is long base64 data.
pub(super) fn is_data(text: &str) -> bool {
    text.len() >= MIN_DATA_RUN
        && text.bytes().all(|byte| Alphabet::Base64.has(byte) || byte == b'\n' || byte == b'\r')
}
