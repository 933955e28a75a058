//! What the scripted API signs and how it knows its own signatures again: thinking may not be changed, so each block
//! carries a proof of its text. The proof is a plain hash: it must differ from others, not be secret.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

const OF_THINKING: &[u8] = b"annals scripted api, thinking: ";
const OF_REDACTED: &[u8] = b"annals scripted api, redacted: ";
const HASH_BYTES: usize = 32;

/// The signature that this API puts on a thinking block of this text.
pub fn signature(thinking: &str) -> String {
    let first = hash(OF_THINKING, thinking.as_bytes());
    // The real ones are long; two rounds make ours longer than any other id in a session.
    let second = hash(OF_THINKING, &first);
    BASE64_STANDARD.encode([first, second].concat())
}

/// The `data` that this API puts into a redacted thinking block that hides this text.
pub fn redacted(thinking: &str) -> String {
    let hidden: Vec<u8> = thinking.bytes().map(|byte| byte ^ 0x5a).collect();
    BASE64_STANDARD.encode([&hash(OF_REDACTED, &hidden), hidden.as_slice()].concat())
}

/// Whether `data` came from [`redacted`].
pub(super) fn is_redacted_here(data: &str) -> bool {
    let Ok(bytes) = BASE64_STANDARD.decode(data) else { return false };
    bytes.split_at_checked(HASH_BYTES).is_some_and(|(proof, hidden)| hash(OF_REDACTED, hidden) == proof)
}

/// An identifier as the API makes them: the prefix and 22 letters and digits that follow from `seed`.
pub(super) fn identifier(prefix: &str, seed: &[&[u8]]) -> String {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut whole = Sha256::new();
    for part in seed {
        whole.update(hash(prefix.as_bytes(), part));
    }
    let digits = whole.finalize();
    let letters = digits.iter().take(22).map(|&byte| char::from(DIGITS[usize::from(byte) % DIGITS.len()]));
    format!("{prefix}_01{}", letters.collect::<String>())
}

fn hash(purpose: &[u8], bytes: &[u8]) -> [u8; HASH_BYTES] {
    let mut hasher = Sha256::new();
    hasher.update(purpose);
    hasher.update(bytes);
    hasher.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_fits_one_text_only() {
        assert_eq!(signature("plan"), signature("plan"));
        assert_ne!(signature("plan"), signature("plan "));
        assert_eq!(signature("").len(), 88);
    }

    #[test]
    fn redacted_data_is_known_again() {
        let data = redacted("secret plan");
        assert!(is_redacted_here(&data) && is_redacted_here(&redacted("")));
        assert!(!data.contains("secret") && !is_redacted_here(&signature("secret plan")));
        assert!(!is_redacted_here(&data.replace(&data[..1], "_")) && !is_redacted_here("AAAA"));
    }

    #[test]
    fn identifiers_follow_from_their_seed() {
        let of = |seed: &[&[u8]]| identifier("msg", seed);
        assert!(of(&[b"a"]).starts_with("msg_01") && of(&[b"a"]).len() == 28);
        assert_eq!(of(&[b"a", b"b"]), of(&[b"a", b"b"]));
        assert_ne!(of(&[b"a", b"b"]), of(&[b"ab", b""]));
    }
}
