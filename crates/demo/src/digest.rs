//! SHA-256 as text: backups and pastes are named after it.

use sha2::{Digest, Sha256};

/// The first `digits` hexadecimal digits of the SHA-256 of `data`.
pub(crate) fn sha256(data: &[u8], digits: usize) -> String {
    let mut text: String = Sha256::digest(data).iter().map(|byte| format!("{byte:02x}")).collect();
    text.truncate(digits);
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn gives_as_many_digits_as_asked() {
        assert_eq!(super::sha256(b"abc", 16), "ba7816bf8f01cfea");
    }
}
