//! Searchable text: adds the parts of camelCase names, separates characters of scripts without spaces, and cuts very long
//! words.

use std::collections::HashSet;
use std::fmt::Write as _;

/// Longer runs of letters and digits are cut to this length.
pub(crate) const MAX_WORD_BYTES: usize = 64;

/// Classes of bytes.
const OTHER: u8 = 0;
const SMALL: u8 = 1;
const LARGE: u8 = 2;
const DIGIT: u8 = 4;
const FOREIGN: u8 = 8;

/// Every byte of every text is classified; a table is fastest.
const CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut classes = [OTHER; 256];
    let mut byte: usize = 0;
    while byte < 256 {
        let one = byte as u8;
        classes[byte] = match one {
            b'a'..=b'z' => SMALL,
            b'A'..=b'Z' => LARGE,
            b'0'..=b'9' => DIGIT,
            0x80.. => FOREIGN,
            _ => OTHER,
        };
        byte += 1;
    }
    classes
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum RunKind {
    Word,
    Gap,
}

/// The end of a run of bytes that are, or are not, letters and digits, and the classes that occur in it.
fn run(bytes: &[u8], from: usize, kind: RunKind) -> (usize, u8) {
    let (mut at, mut seen) = (from, 0);
    while let Some(class) = bytes.get(at).map(|byte| CLASS[usize::from(*byte)]) {
        if (class & (SMALL | LARGE | DIGIT) != 0) != (kind == RunKind::Word) {
            break;
        }
        seen |= class;
        at += 1;
    }
    (at, seen)
}

/// The text that goes into the index.
pub(crate) fn searchable(text: &str) -> String {
    let mut parts = NameParts::default();
    let mut out = plain(text, |name| parts.of(name));
    if !parts.text.is_empty() {
        out.push('\n');
        out.push_str(&parts.text);
    }
    out
}

/// A text as the index has it, without the added name parts: queries are normalized the same way.
pub(crate) fn as_indexed(text: &str) -> String {
    plain(text, |_| ())
}

/// A text with long words cut and lone characters separated; calls `name` for each word that may be a camelCase name.
fn plain(text: &str, mut name: impl FnMut(&str)) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len() + 64);
    // Most text is copied unchanged, in long runs.
    let (mut copied, mut at) = (0, 0);
    while at < bytes.len() {
        let (end, seen) = run(bytes, at, RunKind::Word);
        let length = end - at;
        if length > MAX_WORD_BYTES {
            out.push_str(&text[copied..at + MAX_WORD_BYTES]);
            copied = end;
        } else if length >= 3 && seen & (SMALL | LARGE) == SMALL | LARGE {
            name(&text[at..end]);
        }
        let (next, seen) = run(bytes, end, RunKind::Gap);
        if seen & FOREIGN != 0 {
            out.push_str(&text[copied..end]);
            spaced(&text[end..next], &mut out);
            copied = next;
        }
        at = next;
    }
    out.push_str(&text[copied..]);
    out
}

/// Puts spaces around characters that are words by themselves.
fn spaced(text: &str, out: &mut String) {
    for letter in text.chars() {
        match is_word_by_itself(letter) {
            true => drop(write!(out, " {letter} ")),
            false => out.push(letter),
        }
    }
}

/// Whether a script has no spaces between words: Chinese, Japanese, Thai and similar.
fn is_word_by_itself(letter: char) -> bool {
    matches!(letter as u32, 0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3040..=0x30FF
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

/// The parts of camelCase names in order, so that a phrase of parts finds the name. Each name is added once.
#[derive(Default)]
struct NameParts {
    seen: HashSet<u64>,
    text: String,
}

impl NameParts {
    fn of(&mut self, name: &str) {
        // Most words with an upper-case letter have it first and have no parts.
        if !is_camel_case(name) || !self.seen.insert(hash(name.as_bytes())) {
            return;
        }
        for part in parts_of(name) {
            self.text.push_str(part);
            self.text.push(' ');
        }
    }
}

/// Whether a word of ASCII letters and digits has several camelCase parts.
pub(crate) fn is_camel_case(word: &str) -> bool {
    let bytes = word.as_bytes();
    // The check that most words fail comes first.
    bytes.get(1..).is_some_and(|rest| rest.iter().any(u8::is_ascii_uppercase))
        && (1..bytes.len()).any(|at| starts_part(bytes, at))
}

/// The parts of a camelCase name in order; texts and queries are split by this rule.
pub(crate) fn parts_of(name: &str) -> impl Iterator<Item = &str> {
    let mut start = 0;
    (1..=name.len()).filter_map(move |at| {
        let is_end = at == name.len() || starts_part(name.as_bytes(), at);
        is_end.then(|| &name[std::mem::replace(&mut start, at)..at])
    })
}

/// Whether a part begins here: `aB`, or the `B` of `AABb`.
fn starts_part(bytes: &[u8], at: usize) -> bool {
    let is_upper = bytes[at].is_ascii_uppercase();
    let follows_lower = !bytes[at - 1].is_ascii_uppercase();
    let before_lower = bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
    is_upper && (follows_lower || before_lower)
}

/// Names with the same parts have one hash, whatever their case.
fn hash(name: &[u8]) -> u64 {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    name.iter().enumerate().fold(0xcbf2_9ce4_8422_2325, |hash, (at, byte)| {
        let hash = if at > 0 && starts_part(name, at) { mix(hash, b' ') } else { hash };
        mix(hash, byte.to_ascii_lowercase())
    })
}

#[cfg(test)]
mod tests {
    use super::{as_indexed, searchable};

    #[test]
    fn parts_of_names_stand_behind_the_text() {
        assert_eq!(searchable("plain words, no humps"), "plain words, no humps");
        assert_eq!(searchable("getUserName(x)"), "getUserName(x)\nget User Name ");
        assert_eq!(searchable("HTTPServer HTTP httpServer"), "HTTPServer HTTP httpServer\nHTTP Server ");
        assert_eq!(searchable("USA UsA UsA usA"), "USA UsA UsA usA\nUs A ");
        assert_eq!(searchable("ABcd AbCd"), "ABcd AbCd\nA Bcd Ab Cd ");
        assert_eq!(searchable("über größeGanz"), "über größeGanz\ne Ganz ");
        assert_eq!(searchable("日本x"), " 日  本 x");
        assert_eq!(searchable(&"a".repeat(100)), "a".repeat(64));
        assert_eq!(
            searchable(&format!("x {} y 本", "a".repeat(100))),
            format!("x {} y  本 ", "a".repeat(64))
        );
        assert_eq!(searchable(""), "");
        assert_eq!(searchable("é本Ab"), "é 本 Ab");
    }

    #[test]
    fn the_parts_of_each_name_stand_together() {
        let text = "getUserId, then getUserName, and getUserId again";
        assert_eq!(searchable(text), format!("{text}\nget User Id get User Name "));
    }

    #[test]
    fn a_query_is_cut_and_spaced_as_a_text_is() {
        let long = format!("k{}é本", "x7".repeat(50));
        assert_eq!(as_indexed(&long), searchable(&long));
        assert_eq!(as_indexed("getUserName"), "getUserName");
    }
}
