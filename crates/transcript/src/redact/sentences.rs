//! Verbs between the word for a secret and its value: "the password for staging is …", `name: PASSWORD` and `value: …` below it.

use super::assign::MAX_GAP_BYTES;
use super::haystack::Haystack;
use super::languages::VERBS;
use super::signs::{is_blank, is_quote};

/// How far a verb may be from the word "password".
const MAX_SENTENCE_BYTES: usize = 48;

/// Where the value may begin in "password for the staging database is value", in order.
pub(super) fn after_words(hay: &Haystack<'_>, at: usize) -> Vec<usize> {
    let line = hay.skip(at, MAX_SENTENCE_BYTES, |byte| byte != b'\n' && byte != b',');
    let end = memchr::memmem::find(&hay.bytes[at..line], b". ").map_or(line, |stop| at + stop);
    let sentence = &hay.bytes[at..end];
    let verbs = [&b" is "[..], b" was ", b": ", b" ist ", b" = ", b" to "];
    let places =
        verbs.iter().filter_map(|verb| memchr::memmem::find(sentence, verb).map(|place| place + verb.len()));
    let mut places: Vec<usize> =
        places.map(|place| hay.skip(at + place, 8, |byte| is_blank(byte) || byte == b':')).collect();
    places.sort_unstable();
    places
}

/// Where the value begins in `password is value`, and in `name: PASSWORD` with `value: …` after it.
pub(super) fn after_verb(hay: &Haystack<'_>, at: usize) -> Option<usize> {
    let word_start =
        hay.skip(at, MAX_GAP_BYTES, |byte| byte.is_ascii_whitespace() || b"\",'-+".contains(&byte));
    let word_end = hay.skip(word_start, 16, |byte| byte.is_ascii_alphabetic() || byte >= 0x80);
    let word = hay.text.get(word_start..word_end)?.to_lowercase();
    if word == "value" {
        let closed = hay.skip(word_end, 2, |byte| is_quote(byte) || byte == b' ');
        let sign = hay.skip(closed, 1, |byte| byte == b':' || byte == b'=');
        let start = hay.skip(sign, MAX_GAP_BYTES, |byte| byte == b' ');
        return (sign > closed).then_some(start);
    }
    let is_verb = VERBS.contains(&word.as_str()) && matches!(hay.byte(word_end), b' ' | b':');
    let start = hay.skip(word_end, MAX_GAP_BYTES, |byte| byte == b' ' || byte == b':');
    (is_verb && at > 0 && hay.before(at) == b' ').then_some(start)
}
