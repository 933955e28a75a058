//! Detects base64 data (images, documents, data URLs), in which any short token can occur by chance.

use std::ops::Range;

/// A run of at least this many base64 characters is data, not a token.
const MIN_DATA_RUN: usize = 512;

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Whether a whole string is long base64 data.
pub(super) fn is_data(text: &str) -> bool {
    text.len() >= MIN_DATA_RUN && text.bytes().all(|byte| is_digit(byte) || byte == b'\n' || byte == b'\r')
}

/// Whether a range is in a base64 run that is much too long for a token.
pub(super) fn is_in_data(text: &str, place: &Range<usize>) -> bool {
    let bytes = text.as_bytes();
    let before =
        bytes[..place.start].iter().rev().take(MIN_DATA_RUN).take_while(|&&byte| is_digit(byte)).count();
    let after = bytes[place.end..].iter().take(MIN_DATA_RUN).take_while(|&&byte| is_digit(byte)).count();
    let inside = bytes[place.clone()].iter().all(|&byte| is_digit(byte));
    inside && before + after + place.len() >= MIN_DATA_RUN || is_in_data_url(text, place.start)
}

/// Whether a position is in a `data:…;base64,` URL.
fn is_in_data_url(text: &str, at: usize) -> bool {
    let run = text.as_bytes()[..at].iter().rev().take_while(|&&byte| is_digit(byte)).count();
    text.as_bytes()[..at - run].ends_with(b";base64,")
}
