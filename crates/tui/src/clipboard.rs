//! The clipboard of the terminal, by the sequence OSC 52. It is written only on request, and never read.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The longest text: terminals drop longer sequences, some at 100,000 bytes.
pub(crate) const MAX_BYTES: usize = 74_000;

/// Returns the sequence that puts a text on the clipboard. The text is encoded, so nothing of it reaches the terminal as it is.
pub(crate) fn sequence(text: &str) -> String {
    format!("\u{1b}]52;c;{}\u{7}", STANDARD.encode(text))
}

/// The beginning of a text that fits, and whether it was cut.
pub(crate) fn fitting(text: &str) -> (&str, bool) {
    match text.len() > MAX_BYTES {
        true => (&text[..text.floor_char_boundary(MAX_BYTES)], true),
        false => (text, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_encoded_and_cut_between_characters() {
        assert_eq!(sequence("a\u{1b}\u{7}"), "\u{1b}]52;c;YRsH\u{7}");
        let long = "é".repeat(MAX_BYTES);
        let (cut, is_cut) = fitting(&long);
        assert!(is_cut && cut.len() <= MAX_BYTES && cut.chars().all(|character| character == 'é'));
    }
}
