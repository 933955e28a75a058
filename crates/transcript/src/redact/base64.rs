//! Bytes in base 64 that are no text: images, documents, data URLs. Chance writes any short token into them.

use std::ops::Range;

/// So many characters of base 64 in one run are data, not a token.
const LONG_RUN: usize = 512;

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Whether a whole string is nothing but long data in base 64.
pub(super) fn is_data(text: &str) -> bool {
    text.len() >= LONG_RUN && text.bytes().all(|byte| is_digit(byte) || byte == b'\n' || byte == b'\r')
}

/// Whether a place lies in a run of base 64 that is much too long for a token.
pub(super) fn lies_in_data(text: &str, place: &Range<usize>) -> bool {
    let bytes = text.as_bytes();
    let before = bytes[..place.start].iter().rev().take(LONG_RUN).take_while(|&&byte| is_digit(byte)).count();
    let after = bytes[place.end..].iter().take(LONG_RUN).take_while(|&&byte| is_digit(byte)).count();
    let inside = bytes[place.clone()].iter().all(|&byte| is_digit(byte));
    inside && before + after + place.len() >= LONG_RUN || is_in_data_url(text, place.start)
}

/// Whether a place lies in a `data:…;base64,` URL.
fn is_in_data_url(text: &str, at: usize) -> bool {
    let run = text.as_bytes()[..at].iter().rev().take_while(|&&byte| is_digit(byte)).count();
    text.as_bytes()[..at - run].ends_with(b";base64,")
}
