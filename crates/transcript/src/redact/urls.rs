//! Passwords in connection strings: `scheme://user:password@host`.

use super::kind::SecretKind;
use super::plausible::is_stand_in;
use super::rules::Finding;

/// The longest part before the host that is looked at.
const LONGEST: usize = 512;

/// The password of every connection string.
pub(super) fn find(text: &str, found: &mut Vec<Finding>) {
    let bytes = text.as_bytes();
    for at in memchr::memmem::find_iter(bytes, b"://") {
        if !at.checked_sub(1).is_some_and(|before| bytes[before].is_ascii_alphanumeric()) {
            continue;
        }
        let start = at + 3;
        let ends = |byte: &u8| byte.is_ascii_whitespace() || b"/?#\"'`<>\\,;)]}".contains(byte);
        let rest = &bytes[start..bytes.len().min(start + LONGEST)];
        let authority = &rest[..rest.iter().position(ends).unwrap_or(rest.len())];
        let Some(host) = authority.iter().rposition(|&byte| byte == b'@') else { continue };
        let Some(colon) = authority[..host].iter().position(|&byte| byte == b':') else { continue };
        let span = start + colon + 1..start + host;
        let has_host = authority.get(host + 1).is_some_and(|byte| byte.is_ascii_alphanumeric());
        if has_host
            && text.get(span.clone()).is_some_and(|password| password.len() >= 3 && !is_stand_in(password))
        {
            found.push(Finding { kind: SecretKind::ConnectionString, span });
        }
    }
}
