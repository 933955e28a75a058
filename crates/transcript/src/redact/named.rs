//! Finds secrets by what precedes them: a header, a secret name, a word nearby.

use std::ops::Range;

use regex::Regex;

use super::base64::is_in_data;
use super::kind::SecretKind;
use super::plausible::{NameStyle, is_name, is_placeholder, is_random, is_secret_value};
use super::rules::Finding;

/// Words that announce a secret.
const SECRET_WORDS: &str = "(?i-u:passw(?:or)?d|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|\
     auth[_-]?key|signing[_-]?key|encryption[_-]?key|credential|bearer|authorization)";

/// Parts of names that are not names of secrets.
const HARMLESS_PARTS: [&str; 22] = [
    "tokens", "count", "limit", "max", "min", "type", "name", "path", "file", "url", "uri", "length",
    "usage", "expire", "public", "hash", "budget", "rotation", "version", "policy", "_id", "window",
];

/// A random string counts if it begins within this many bytes of the word.
const MAX_DISTANCE: usize = 48;
/// And has at least this many bytes.
const MIN_RANDOM_BYTES: usize = 20;

/// The expression that finds the words.
pub(super) fn expression() -> Result<Regex, regex::Error> {
    Regex::new(SECRET_WORDS)
}

/// Finds all announced secrets.
pub(super) fn find(words: &Regex, text: &str, found: &mut Vec<Finding>) {
    let mut done = 0;
    for word in words.find_iter(text).map(|hit| hit.range()) {
        if word.start < done {
            continue;
        }
        let announced =
            header(text, &word).or_else(|| assignment(text, &word)).or_else(|| nearby(text, &word));
        if let Some(finding) = announced.filter(|finding| !is_in_data(text, &finding.span)) {
            done = finding.span.end;
            found.push(finding);
        }
    }
}

/// Returns the value of a field with a secret name.
pub(super) fn of_field(words: &Regex, name: &str, value: &str) -> Option<Finding> {
    let word = words.find(name)?.range();
    let is_whole = !continues_word(name, word.end) && !is_harmless(name);
    let is_secret = is_whole && is_secret_value(value, name_style(name));
    is_secret.then_some(Finding { kind: SecretKind::Assignment, span: 0..value.len() })
}

/// `Bearer …`, `Authorization: Basic …`.
fn header(text: &str, word: &Range<usize>) -> Option<Finding> {
    let is = |name: &str| text[word.clone()].eq_ignore_ascii_case(name);
    let mut at = word.end;
    if is("authorization") {
        at = skip(text, at, |byte| byte == b'"' || byte == b'\'' || byte == b'\\');
        at = skip(text, at, |byte| byte == b' ');
        if !matches!(text.as_bytes().get(at), Some(b':' | b'=')) {
            return None;
        }
        at = skip(text, at + 1, |byte| byte == b' ' || byte == b'"' || byte == b'\'' || byte == b'\\');
        let scheme_end = skip(text, at, |byte| byte.is_ascii_alphabetic());
        let scheme = text[at..scheme_end].to_ascii_lowercase();
        if ["basic", "bearer", "token", "digest", "apikey"].contains(&scheme.as_str()) {
            at = scheme_end;
        }
    } else if !is("bearer") {
        return None;
    }
    let start = skip(text, at, |byte| byte == b' ');
    if is("bearer") && start == at {
        return None;
    }
    let end = skip(text, start, |byte| byte.is_ascii_alphanumeric() || b"._~+/=-".contains(&byte));
    let value = &text[start..end];
    let is_secret = value.len() >= 12
        && !is_placeholder(value)
        && !is_name(value)
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().any(|byte| byte.is_ascii_alphabetic());
    is_secret.then_some(Finding { kind: SecretKind::Authorization, span: start..end })
}

/// `NAME=value`, `"name": "value"`, `--name value`.
fn assignment(text: &str, word: &Range<usize>) -> Option<Finding> {
    if continues_word(text, word.end) {
        return None;
    }
    let in_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    let before = text.as_bytes()[..word.start].iter().rev().take_while(|&&byte| in_name(byte)).count();
    let name_end = skip(text, word.end, in_name);
    let name = &text[word.start - before..name_end];
    if name.len() > 64 || is_harmless(name) {
        return None;
    }
    let quoted_end = skip(text, name_end, |byte| byte == b'"' || byte == b'\'' || byte == b'\\');
    let gap_end = skip(text, quoted_end, |byte| byte == b' ' || byte == b'\t');
    let separator = skip(text, gap_end, |byte| b":=>".contains(&byte));
    let value_start = match separator - gap_end {
        1 | 2 => skip(text, separator, |byte| byte == b' ' || byte == b'\t'),
        0 if name.starts_with("--") && gap_end > name_end => gap_end,
        _ => return None,
    };
    let (span, is_quoted) = value(text, value_start);
    let value = &text[span.clone()];
    // `==` compares, and what follows without quotes is an expression.
    let is_comparison = text[gap_end..separator].starts_with("==") && !is_quoted;
    let is_secret = !is_comparison && is_secret_value(value, name_style(name));
    is_secret.then_some(Finding { kind: SecretKind::Assignment, span })
}

/// A random string near the word, on the same line.
fn nearby(text: &str, word: &Range<usize>) -> Option<Finding> {
    if continues_word(text, word.end) {
        return None;
    }
    let bytes = text.as_bytes();
    let in_token = |byte: u8| byte.is_ascii_alphanumeric() || b"+/_=-.".contains(&byte);
    let limit = bytes.len().min(word.end + MAX_DISTANCE);
    let mut at = skip(text, word.end, in_token);
    while at < limit && bytes[at] != b'\n' {
        let end = skip(text, at, in_token);
        let token = text.get(at..end).unwrap_or_default().trim_end_matches('.');
        if token.len() >= MIN_RANDOM_BYTES && is_random(token) {
            return Some(Finding { kind: SecretKind::Entropy, span: at..at + token.len() });
        }
        at = end.max(at + 1);
    }
    None
}

/// The value at a position, and whether it is quoted.
fn value(text: &str, start: usize) -> (Range<usize>, bool) {
    let bytes = text.as_bytes();
    let opening = skip(text, start, |byte| byte == b'\\');
    if let Some(&quote) = bytes.get(opening).filter(|byte| b"\"'`".contains(byte)) {
        let inside = opening + 1;
        let end = skip(text, inside, |byte| byte != quote && byte != b'\n' && byte != b'\\');
        return (inside..end, true);
    }
    let end = skip(text, start, |byte| !byte.is_ascii_whitespace() && !b"\"'`,;&\\".contains(&byte));
    // A full stop ends the sentence, not the secret.
    (start..start + text[start..end].trim_end_matches('.').len(), false)
}

/// `DATABASE_PASSWORD` is an environment variable.
fn name_style(name: &str) -> NameStyle {
    let has_lower = name.bytes().any(|byte| byte.is_ascii_lowercase());
    if has_lower || !name.contains('_') { NameStyle::Code } else { NameStyle::Environment }
}

/// Whether the word is only the beginning of another: `tokens`, `secretary`; `tokenValue` is not.
fn continues_word(text: &str, end: usize) -> bool {
    let bytes = text.as_bytes();
    let is_upper = end.checked_sub(1).is_some_and(|at| bytes[at].is_ascii_uppercase());
    bytes.get(end).is_some_and(|next| match is_upper {
        true => next.is_ascii_alphabetic(),
        false => next.is_ascii_lowercase(),
    })
}

fn is_harmless(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    HARMLESS_PARTS.iter().any(|part| lower.contains(part))
}

/// Skips all bytes from `at` on that pass, to a character boundary.
fn skip(text: &str, at: usize, passes: impl Fn(u8) -> bool) -> usize {
    let rest = &text.as_bytes()[at.min(text.len())..];
    let mut end = at + rest.iter().position(|&byte| !passes(byte)).unwrap_or(rest.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    end
}
