//! Secrets in text that is written in base64 or in hexadecimal digits: a document, a configuration, a login, a dump.

use std::ops::Range;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::haystack::{Alphabet, Haystack};

/// A shorter run holds no secret worth the name.
const MIN_ENCODED_BYTES: usize = 16;
/// The same for hexadecimal digits.
const MIN_HEX_BYTES: usize = 32;
/// The digits at the start of a run that tell text from data.
const HEAD_BYTES: usize = 16;

const ENGINE: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Writes a text in base64.
pub(super) fn encode(text: &str) -> String {
    ENGINE.encode(text)
}

/// The text that base64 digits stand for; `None` if it is data.
pub(super) fn decode(digits: &str) -> Option<String> {
    let head = digits.get(..digits.len().min(HEAD_BYTES) / 4 * 4)?;
    ENGINE.decode(head.trim_end_matches('=')).ok().filter(|bytes| bytes.iter().all(|byte| is_text(*byte)))?;
    let bytes = if digits.contains(['\n', '\r']) {
        ENGINE.decode(digits.replace(['\n', '\r'], "")).ok()?
    } else {
        ENGINE.decode(digits).ok()?
    };
    // A word of the next line may be taken for the last digits.
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let is_other =
        |letter: char| letter == char::REPLACEMENT_CHARACTER || letter < ' ' && !letter.is_ascii_whitespace();
    let controls = text.chars().filter(|letter| is_other(*letter)).count();
    (controls * 20 <= text.len()).then_some(text)
}

fn is_text(byte: u8) -> bool {
    byte >= 0x20 && byte != 0x7f || byte.is_ascii_whitespace()
}

/// The text that hexadecimal digits stand for; those of a hash stand for none.
fn decode_hex(digits: &str) -> Option<String> {
    let byte = |pair: &[u8]| {
        let pair = std::str::from_utf8(pair).ok().filter(|pair| !pair.starts_with('+'))?;
        u8::from_str_radix(pair, 16).ok().filter(|byte| byte.is_ascii() && is_text(*byte)).map(char::from)
    };
    if digits.len() < MIN_HEX_BYTES || !digits.len().is_multiple_of(2) {
        return None;
    }
    digits.as_bytes().chunks(2).map(byte).collect()
}

/// The runs of base64 and hexadecimal digits that stand for text, each with it.
pub(super) fn runs(hay: &Haystack<'_>) -> Vec<(Range<usize>, String)> {
    hay.count(hay.bytes.len() * 2);
    let mut found = Vec::new();
    let mut start = 0;
    for at in 0..=hay.bytes.len() {
        if hay.bytes.get(at).is_some_and(|&byte| Alphabet::Base64.has(byte)) {
            continue;
        }
        let span = start..at;
        start = at + 1;
        if span.len() < MIN_ENCODED_BYTES {
            continue;
        }
        let run = &hay.text[span.clone()];
        // `NAME=digits`: an equals sign that is no padding begins another run.
        let inside = run.trim_end_matches('=').rfind('=').map_or(0, |sign| sign + 1);
        let digits = &run[inside..];
        if digits.len() >= MIN_ENCODED_BYTES
            && let Some(text) = decode_hex(digits).or_else(|| decode(digits))
        {
            found.push((span.start + inside..span.end, text));
        }
    }
    found
}
