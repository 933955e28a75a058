//! A JSON string as it is written, decoded on demand.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

/// Longer strings are displayed without a decoded copy.
const MAX_DECODED_AT_ONCE: usize = 64 * 1024;

/// The inside of a JSON string, between its quotes, with its escapes.
///
/// Decoding never fails: a lone surrogate escape or invalid UTF-8 reads as U+FFFD, while [`Text::raw`] still has the
/// exact bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Text<'a>(&'a [u8]);

impl<'a> Text<'a> {
    /// Wraps the bytes between the quotes of a checked string, or a part of them that does not cut an escape.
    pub fn from_raw(raw: &'a [u8]) -> Self {
        Self(raw)
    }

    /// Maps a byte offset of the decoded string to one of the raw bytes. Exact for valid UTF-8, approximate otherwise.
    pub fn raw_offset(self, decoded: usize) -> usize {
        let (mut at, mut decoded_so_far) = (0, 0);
        while decoded_so_far < decoded && at < self.0.len() {
            let plain = memchr::memchr(b'\\', &self.0[at..]).unwrap_or(self.0.len() - at);
            if decoded_so_far + plain >= decoded {
                return at + decoded - decoded_so_far;
            }
            (at, decoded_so_far) = (at + plain, decoded_so_far + plain);
            let (length, unit) = escape(&self.0[at..]);
            decoded_so_far += unit.unwrap_or(char::REPLACEMENT_CHARACTER).len_utf8();
            at += length;
        }
        at.min(self.0.len())
    }

    /// The bytes between the quotes, with their escapes.
    pub fn raw(self) -> &'a [u8] {
        self.0
    }

    /// Whether the string is empty.
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// Whether the decoded string is exactly `other`.
    pub fn is(self, other: &str) -> bool {
        // Escapes only make a string longer, at most six times, so most mismatches are seen by their length.
        let is_possible = || self.0.len() > other.len() && self.0.len() / 6 <= other.len();
        self.0 == other.as_bytes() || (is_possible() && self.has_escapes() && self.decode() == other)
    }

    pub(super) fn has_escapes(self) -> bool {
        memchr::memchr(b'\\', self.0).is_some()
    }

    /// Decodes the string; borrows if it has no escapes.
    pub fn decode(self) -> Cow<'a, str> {
        if self.has_escapes() {
            return Cow::Owned(unescape(self.0));
        }
        // Checking alone is faster than cutting into valid pieces, and nearly all text is valid.
        std::str::from_utf8(self.0).map_or_else(|_| String::from_utf8_lossy(self.0), Cow::Borrowed)
    }

    /// Decodes the string into one of its own: with one copy of it, unlike `to_string`.
    pub fn into_string(self) -> String {
        if self.0.len() <= MAX_DECODED_AT_ONCE { self.decode().into_owned() } else { self.to_string() }
    }

    /// Decodes the first `limit` characters only.
    pub fn head(self, limit: usize) -> Cow<'a, str> {
        // An escape takes at most 12 bytes (two \uXXXX) for one character, plain UTF-8 at most 4.
        let enough = limit.saturating_mul(12);
        let cut = if self.0.len() > enough { Text(&self.0[..enough]).decode() } else { self.decode() };
        match cut.char_indices().nth(limit) {
            Some((end, _)) => Cow::Owned(cut[..end].to_owned()),
            None => cut,
        }
    }
}

impl<'a> Text<'a> {
    /// Decodes as many characters as fit into `limit` bytes; what comes after them is not decoded.
    pub fn head_bytes(self, limit: usize) -> Cow<'a, str> {
        // An escape of six bytes may be one byte, and the last one may be cut.
        let enough = limit.saturating_mul(6).saturating_add(12);
        let cut = if self.0.len() > enough { Text(&self.0[..enough]).decode() } else { self.decode() };
        match cut.floor_char_boundary(limit) {
            end if end < cut.len() => Cow::Owned(cut[..end].to_owned()),
            _ => cut,
        }
    }

    /// How many bytes the decoded string has, without decoding it. Exact for valid UTF-8, approximate otherwise.
    pub fn decoded_len(self) -> usize {
        let (mut at, mut length) = (0, 0);
        while let Some(plain) = memchr::memchr(b'\\', &self.0[at..]) {
            let (taken, unit) = escape(&self.0[at + plain..]);
            length += plain + unit.unwrap_or(char::REPLACEMENT_CHARACTER).len_utf8();
            at += plain + taken;
        }
        length + self.0.len() - at
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.len() <= MAX_DECODED_AT_ONCE {
            return formatter.write_str(&self.decode());
        }
        // A long string is written in pieces, so that `to_string` holds it once.
        let mut at = 0;
        while let Some(plain) = memchr::memchr(b'\\', &self.0[at..]) {
            let (taken, unit) = escape(&self.0[at + plain..]);
            formatter.write_str(&String::from_utf8_lossy(&self.0[at..at + plain]))?;
            formatter.write_char(unit.unwrap_or(char::REPLACEMENT_CHARACTER))?;
            at += plain + taken;
        }
        formatter.write_str(&String::from_utf8_lossy(&self.0[at..]))
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.decode(), formatter)
    }
}

fn unescape(raw: &[u8]) -> String {
    let mut out: Vec<u8> = Vec::with_capacity(raw.len());
    let mut at = 0;
    while let Some(plain) = memchr::memchr(b'\\', &raw[at..]) {
        out.extend_from_slice(&raw[at..at + plain]);
        let (length, unit) = escape(&raw[at + plain..]);
        let character = unit.unwrap_or(char::REPLACEMENT_CHARACTER);
        out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        at += plain + length;
    }
    out.extend_from_slice(&raw[at..]);
    match String::from_utf8(out) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    }
}

/// Decodes the escape at the start of `raw`: how many bytes it takes and what it means.
fn escape(raw: &[u8]) -> (usize, Result<char, u16>) {
    let simple = match raw.get(1) {
        Some(b'n') => '\n',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'u') => return unicode_escape(raw),
        Some(&other) if other.is_ascii() => char::from(other),
        // Not an escape (unchecked bytes): keep the backslash.
        _ => return (1, Ok('\\')),
    };
    (2, Ok(simple))
}

fn unicode_escape(raw: &[u8]) -> (usize, Result<char, u16>) {
    let Some(first) = hex_unit(raw) else { return (2, Ok('u')) };
    let second = hex_unit(&raw[6..]);
    let mut units = char::decode_utf16([first].into_iter().chain(second));
    match units.next() {
        Some(Ok(character)) => (if character.len_utf16() == 2 { 12 } else { 6 }, Ok(character)),
        _ => (6, Err(first)),
    }
}

/// The code unit of a `\uXXXX` at the very start of `raw`.
fn hex_unit(raw: &[u8]) -> Option<u16> {
    let digits = raw.strip_prefix(b"\\u")?.get(..4)?;
    digits.iter().try_fold(0_u16, |unit, &digit| {
        let digit = char::from(digit).to_digit(16)?;
        Some(unit << 4 | digit as u16)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(raw: &str) -> Text<'_> {
        Text::from_raw(raw.as_bytes())
    }

    #[test]
    fn a_long_string_is_displayed_as_it_is_decoded() {
        let raw = ["a\\n\\u00e9", "\\ud83d\\ude00 \\ud83d x", "äöü\\\\"].concat().repeat(4_000);
        assert!(raw.len() > MAX_DECODED_AT_ONCE);
        assert_eq!(text(&raw).to_string(), text(&raw).decode());
        let damaged = [raw.as_bytes(), b"\xe2\x82\\u00e9\xff end"].concat();
        assert_eq!(Text::from_raw(&damaged).to_string(), Text::from_raw(&damaged).decode());
    }

    #[test]
    fn a_head_is_the_start_of_the_whole() {
        for raw in ["", "plain", "a\\n\\u00e9b\\ud83d\\ude00c\\ud83d", "äöü\\\\\\\"", &"\\u0041".repeat(50)]
        {
            let whole = text(raw).decode();
            assert_eq!(text(raw).decoded_len(), whole.len(), "{raw}");
            for limit in 0..whole.len() + 2 {
                assert_eq!(
                    text(raw).head_bytes(limit),
                    whole[..whole.floor_char_boundary(limit)],
                    "{raw} {limit}"
                );
            }
        }
    }

    #[test]
    fn decodes_as_javascript_does() {
        assert_eq!(text(r#"a\n\"b\"\\\/\u00e9\ud83d\ude00"#).decode(), "a\n\"b\"\\/é😀");
        assert_eq!(text(r"\ud83d!\udc00").decode(), "\u{fffd}!\u{fffd}");
        assert_eq!(Text::from_raw(b"ab\xffc").decode(), "ab\u{fffd}c");
        assert!(matches!(text("plain").decode(), Cow::Borrowed("plain")));
    }

    #[test]
    fn places_are_found_behind_escapes() {
        let raw = r#"a\n\u00e9b\ud83d\ude00c"#;
        let decoded = text(raw).decode().into_owned();
        for letter in ["a", "b", "c"] {
            let at = text(raw).raw_offset(decoded.find(letter).unwrap());
            assert!(raw[at..].starts_with(letter), "{letter}");
        }
        assert_eq!(text(raw).raw_offset(decoded.len()), raw.len());
    }

    #[test]
    fn takes_a_head_by_characters() {
        assert_eq!(text(r"\u00e9\u00e9\u00e9").head(2), "éé");
        assert_eq!(text("abc").head(10), "abc");
        assert!(text(r"caf\u00e9").is("café"));
    }
}
