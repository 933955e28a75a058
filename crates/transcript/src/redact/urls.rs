//! Passwords and tokens in addresses: `scheme://user:password@host`, `https://token@host`.

use memchr::memmem;

use super::haystack::{Alphabet, Haystack};
use super::kind::SecretKind;
use super::rules::Finding;
use super::values::{is_placeholder, is_varied};
use super::words::random_bits;

/// Maximum bytes before the host.
const MAX_AUTHORITY_BYTES: usize = 1024;
/// How far the password of Oracle is from the start of its address.
const MAX_ORACLE_BYTES: usize = 160;
/// A user's name with more random bits is a token.
const MIN_TOKEN_BITS: f64 = 60.0;

/// What a text has in which there is an address.
pub(super) const MARKS: &[&str] = &["://", "jdbc:oracle:"];

/// Finds the credentials of addresses.
pub(super) fn find(hay: &Haystack<'_>, found: &mut Vec<Finding>) {
    hay.count(hay.bytes.len());
    find_oracle(hay, found);
    for at in memmem::find_iter(hay.bytes, b"://") {
        if !hay.before(at).is_ascii_alphanumeric() {
            continue;
        }
        let start = at + 3;
        let end = hay.end(start, Alphabet::Authority);
        if end - start > MAX_AUTHORITY_BYTES {
            continue;
        }
        let authority = &hay.bytes[start..end];
        let Some(host) = authority.iter().rposition(|&byte| byte == b'@') else { continue };
        if !authority.get(host + 1).is_some_and(|byte| byte.is_ascii_alphanumeric() || b"[/".contains(byte)) {
            continue;
        }
        let colon = authority[..host].iter().position(|&byte| byte == b':');
        let span = start + colon.map_or(0, |colon| colon + 1)..start + host;
        let Some(secret) = hay.text.get(span.clone()) else { continue };
        let is_secret = match colon {
            Some(_) => secret.len() >= 3,
            None => is_varied(secret) && random_bits(secret) >= MIN_TOKEN_BITS,
        };
        if is_secret && !is_placeholder(secret) && !is_documentation(&authority[host + 1..], secret) {
            found.push(Finding { kind: SecretKind::ConnectionString, span });
        }
    }
}

/// Finds the passwords of `jdbc:oracle:thin:user/password@host`.
fn find_oracle(hay: &Haystack<'_>, found: &mut Vec<Finding>) {
    hay.count(hay.bytes.len());
    for at in memmem::find_iter(hay.bytes, b"jdbc:oracle:") {
        let rest = hay.text.get(at..hay.text.floor_char_boundary(at + MAX_ORACLE_BYTES)).unwrap_or_default();
        let Some((before, after)) = rest.split_once('/') else { continue };
        let Some((password, _)) = after.split_once('@') else { continue };
        let start = at + before.len() + 1;
        if password.len() >= 3 && !password.contains([' ', '/', '\n']) && !is_placeholder(password) {
            found.push(Finding { kind: SecretKind::ConnectionString, span: start..start + password.len() });
        }
    }
}

/// Whether a password that is a word belongs to a host of documentation or to this machine.
fn is_documentation(host: &[u8], password: &str) -> bool {
    let is_sample =
        ["example.", "localhost", "127.0.0.1"].iter().any(|name| host.starts_with(name.as_bytes()));
    is_sample && random_bits(password) < 6.0
}
