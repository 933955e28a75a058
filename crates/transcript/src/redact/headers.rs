//! What headers carry: `Authorization`, `Bearer …`, `Cookie`, `Set-Cookie`.

use std::ops::Range;

use super::haystack::{Alphabet, Haystack};
use super::kind::SecretKind;
use super::rules::Finding;
use super::values::{is_name, is_placeholder};
use super::words::random_bits;

/// Maximum bytes of what a header carries.
const MAX_VALUE_BYTES: usize = 8192;
/// Maximum cookies of a header.
const MAX_COOKIES: usize = 64;
const SCHEMES: &[&str] =
    &["basic", "bearer", "token", "digest", "apikey", "negotiate", "ssws", "key", "bot", "genie"];
/// Parameters of a header that prove who asks.
const PROOFS: &[&str] =
    &["response", "signature", "oauth_signature", "mac", "oauth_token", "oauth_verifier", "assertion"];
/// How much of a header is searched for parameters.
const MAX_PARAMETER_BYTES: usize = 2048;
/// What a cookie has besides its name and value.
const ATTRIBUTES: &[&str] = &["path", "domain", "expires", "max-age", "samesite", "priority", "version"];

/// Finds what the header of this name carries.
pub(super) fn find(hay: &Haystack<'_>, name: &str, span: &Range<usize>, found: &mut Vec<Finding>) {
    let lower = name.to_ascii_lowercase();
    if lower.ends_with("authorization") {
        // `AWS::Config::AggregationAuthorization` is the name of a type.
        let is_type = hay.before(span.start) == b':';
        let before = found.len();
        if !is_type {
            parameters(hay, span.end, found);
        }
        if found.len() == before {
            found.extend(authorization(hay, span.end).filter(|_| !is_type));
        }
    } else if lower == "bearer" {
        let start = hay.skip(span.end, 8, |byte| byte == b' ');
        found.extend(credential(hay, start).filter(|_| start > span.end));
    } else if lower.ends_with("cookie") {
        cookies(hay, span.end, found);
    }
}

/// Finds what the value of a header field carries, such as `Bearer …`.
pub(super) fn of_field(name: &str, value: &str) -> Vec<Finding> {
    let (hay, lower) = (Haystack::new(value), name.to_ascii_lowercase());
    let mut found = Vec::new();
    if lower.ends_with("authorization") {
        found.extend(scheme(&hay, 0));
    } else if lower.ends_with("cookie") {
        pairs(&hay, 0, &mut found);
    } else if lower == "auth" && is_login(value) {
        found.push(Finding { kind: SecretKind::Authorization, span: 0..value.len() });
    }
    found
}

/// Whether a value is `name:password` in base64, as in the configuration of docker.
pub(super) fn is_login(value: &str) -> bool {
    let decoded = super::encoded::decode(value).filter(|_| value.len() >= 8);
    decoded.is_some_and(|text| {
        let (name, password) = text.split_once(':').unwrap_or_default();
        name.len() >= 2 && password.len() >= 3 && !is_placeholder(password)
    })
}

fn authorization(hay: &Haystack<'_>, name_end: usize) -> Option<Finding> {
    let closed = hay.skip(name_end, 3, |byte| b"\"'`]".contains(&byte));
    let gap = hay.skip(closed, 8, |byte| byte == b' ');
    // `proxy_set_header Authorization "Basic …"`
    let is_quoted = gap > closed && hay.byte(gap) == b'"';
    if !is_quoted && !matches!(hay.byte(gap), b':' | b'=' | b',') {
        return None;
    }
    let start = hay.skip(gap + 1, 8, |byte| byte == b' ' || b"\"'`f".contains(&byte));
    scheme(hay, start)
}

/// The credential after a scheme, which may be missing.
fn scheme(hay: &Haystack<'_>, at: usize) -> Option<Finding> {
    let end = hay.skip(at, 16, |byte| byte.is_ascii_alphabetic());
    let is_scheme =
        SCHEMES.contains(&hay.text[at..end].to_ascii_lowercase().as_str()) && hay.byte(end) == b' ';
    credential(hay, if is_scheme { hay.skip(end, 8, |byte| byte == b' ') } else { at })
}

fn credential(hay: &Haystack<'_>, start: usize) -> Option<Finding> {
    let end = hay.end(start, Alphabet::Header).min(start + MAX_VALUE_BYTES);
    let value = hay.text.get(start..end)?.trim_end_matches(['.', ':']);
    let span = start..start + value.len();
    let head = hay.judged(&span);
    let is_secret = head.len() >= 12
        && !is_placeholder(head)
        && !is_name(head)
        && head.bytes().any(|byte| byte.is_ascii_alphabetic())
        && random_bits(head) >= 24.0f64.max(head.len().min(64) as f64);
    is_secret.then_some(Finding { kind: SecretKind::Authorization, span })
}

/// `Digest username="…", response="…"`: the values that prove who asks.
fn parameters(hay: &Haystack<'_>, name_end: usize, found: &mut Vec<Finding>) {
    let end = hay.skip(name_end, MAX_PARAMETER_BYTES, |byte| byte != b'\n');
    let mut at = name_end;
    while let Some(sign) = memchr::memchr(b'=', hay.bytes.get(at..end).unwrap_or_default()) {
        let sign = at + sign;
        let name = &hay.text[hay.back(sign, 32, |byte| Alphabet::Token.has(byte))..sign];
        let start = hay.skip(sign + 1, 1, |byte| byte == b'"');
        let value_end = hay.end(start, Alphabet::Header).min(end.max(start));
        let is_proof = PROOFS.contains(&name.to_ascii_lowercase().as_str());
        if is_proof && value_end - start >= 16 && random_bits(hay.judged(&(start..value_end))) >= 24.0 {
            found.push(Finding { kind: SecretKind::Authorization, span: start..value_end });
        }
        at = value_end.max(sign + 1);
    }
}

fn cookies(hay: &Haystack<'_>, name_end: usize, found: &mut Vec<Finding>) {
    let start = hay.skip(name_end, 8, |byte| b"\"'`]:=, ".contains(&byte));
    if start > name_end {
        pairs(hay, start, found);
    }
}

/// The values of `name=value; name=value` that are random.
fn pairs(hay: &Haystack<'_>, mut at: usize, found: &mut Vec<Finding>) {
    for _ in 0..MAX_COOKIES {
        let name_end = hay.skip(at, 64, |byte| Alphabet::Dotted.has(byte));
        if name_end == at || hay.byte(name_end) != b'=' {
            let is_flag = hay.byte(name_end) == b';' && name_end > at;
            if !is_flag {
                break;
            }
            at = hay.skip(name_end, 3, |byte| byte == b';' || byte == b' ');
            continue;
        }
        let name = hay.text[at..name_end].to_ascii_lowercase();
        let end = hay.end(name_end + 1, Alphabet::Bare).min(name_end + MAX_VALUE_BYTES);
        let span = name_end + 1..end;
        let value = hay.judged(&span);
        let is_random =
            value.len() >= 8 && random_bits(value) >= 24.0f64.max(value.len().min(64) as f64 * 1.5);
        if is_random && !ATTRIBUTES.contains(&name.as_str()) && !is_placeholder(value) {
            found.push(Finding { kind: SecretKind::Cookie, span });
        }
        if hay.byte(end) != b';' {
            break;
        }
        at = hay.skip(end, 3, |byte| byte == b';' || byte == b' ');
    }
}
