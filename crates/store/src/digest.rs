//! Digests as the format and we write them: lower-case hex of sha256, whole or its first sixteen digits.

use sha2::{Digest, Sha256};

/// How many digits name a file's copies and a paste.
const SHORT: usize = 16;

/// Formats a byte as two hex digits, in ASCII.
pub fn hex_digits(byte: u8) -> [u8; 2] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 0x0f)]]
}

/// Formats bytes as hex digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().flat_map(|byte| hex_digits(*byte)).map(char::from).collect()
}

/// The sha256 of bytes, itself.
pub fn sha256_bytes(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// The sha256 of bytes.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&sha256_bytes(bytes))
}

/// The first sixteen digits of it.
pub fn short(bytes: &[u8]) -> String {
    let mut digits = sha256(bytes);
    digits.truncate(SHORT);
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_those_that_everybody_writes() {
        assert_eq!(hex(&[0x00, 0x0f, 0xa0]), "000fa0");
        assert_eq!(short(b"abc"), "ba7816bf8f01cfea");
        assert!(sha256(b"").starts_with("e3b0c44298fc1c14") && sha256(b"").len() == 64);
    }
}
