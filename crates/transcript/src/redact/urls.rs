//! Passwords in connection strings: `scheme://user:password@host`.

use super::kind::SecretKind;
use super::plausible::is_placeholder;
use super::rules::Finding;

/// Maximum bytes before the host.
const MAX_AUTHORITY_BYTES: usize = 512;

/// Finds the passwords of connection strings.
pub(super) fn find(text: &str, found: &mut Vec<Finding>) {
    let bytes = text.as_bytes();
    for at in memchr::memmem::find_iter(bytes, b"://") {
        if !at.checked_sub(1).is_some_and(|before| bytes[before].is_ascii_alphanumeric()) {
            continue;
        }
        let start = at + 3;
        let ends = |byte: &u8| byte.is_ascii_whitespace() || b"/?#\"'`<>\\,;)]}".contains(byte);
        let rest = &bytes[start..bytes.len().min(start + MAX_AUTHORITY_BYTES)];
        let authority = &rest[..rest.iter().position(ends).unwrap_or(rest.len())];
        let Some(host) = authority.iter().rposition(|&byte| byte == b'@') else { continue };
        let Some(colon) = authority[..host].iter().position(|&byte| byte == b':') else { continue };
        let span = start + colon + 1..start + host;
        let has_host = authority.get(host + 1).is_some_and(|byte| byte.is_ascii_alphanumeric());
        if has_host
            && text.get(span.clone()).is_some_and(|password| password.len() >= 3 && !is_placeholder(password))
        {
            found.push(Finding { kind: SecretKind::ConnectionString, span });
        }
    }
}
