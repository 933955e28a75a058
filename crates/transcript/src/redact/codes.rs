//! Codes that are good for one use or one person: in the query or the path of an address, and lists of backup codes.

use std::ops::Range;

use memchr::memmem;

use super::haystack::Haystack;
use super::kind::SecretKind;
use super::rules::Finding;
use super::values::{is_placeholder, is_uuid, is_varied};
use super::words::random_bits;

/// Parameters whose values are codes, where they are random.
const PARAMETERS: [&str; 10] = [
    "code=",
    "state=",
    "ticket=",
    "code_verifier=",
    "SAMLResponse=",
    "otp=",
    "device_code=",
    "invite=",
    "confirmation=",
    "hash=",
];
/// Parts of the path of an address before a code.
const PATH_PARTS: [&str; 16] = [
    "/reset/",
    "/reset-password/",
    "/password_reset/",
    "/password-reset/",
    "/verify/",
    "/confirm/",
    "/confirmation/",
    "/activate/",
    "/activation/",
    "/magic/",
    "/magic-link/",
    "/invite/",
    "/invitation/",
    "/accept-invite/",
    "/IncomingWebhook/",
    "/hooks/",
];
/// What announces a list of codes.
const LISTS: [&str; 8] = [
    "backup codes",
    "Backup codes",
    "Backup Codes",
    "recovery codes",
    "Recovery codes",
    "Recovery Codes",
    "scratch codes",
    "one-time codes",
];
/// Maximum bytes of a code.
const MAX_CODE_BYTES: usize = 4096;
/// Fewest bytes and random bits of a code.
const MIN_CODE_BYTES: usize = 16;
const MIN_CODE_BITS: f64 = 50.0;
/// How far the codes of a list are from its heading.
const MAX_LIST_BYTES: usize = 480;
/// How much of an address before a code is looked at.
const MAX_ADDRESS_BYTES: usize = 160;

/// What a text has in which there is a code.
pub(super) fn marks() -> impl Iterator<Item = &'static str> {
    PARAMETERS.into_iter().chain(PATH_PARTS).chain(LISTS).chain(["WIFI:"])
}

/// Finds the codes of a text.
pub(super) fn find(hay: &Haystack<'_>, found: &mut Vec<Finding>) {
    let mut add = |span: Range<usize>| found.push(Finding { kind: SecretKind::Assignment, span });
    for name in PARAMETERS {
        hay.count(hay.bytes.len());
        let mut done = 0;
        for at in memmem::find_iter(hay.bytes, name.as_bytes()).filter(|at| is_parameter(hay.before(*at))) {
            if at >= done {
                let span = value(hay, at + name.len());
                done = span.end;
                if is_code(&hay.text[span.clone()]) {
                    add(span);
                }
            }
        }
    }
    for part in PATH_PARTS {
        hay.count(hay.bytes.len());
        let mut done = 0;
        for at in memmem::find_iter(hay.bytes, part.as_bytes()) {
            let span = value(hay, at + part.len());
            if at >= done && is_code(&hay.text[span.clone()]) && is_address(hay, at) {
                done = span.end;
                add(span);
            }
        }
    }
    hay.count(hay.bytes.len());
    memmem::find_iter(hay.bytes, b"WIFI:").filter_map(|at| wifi_password(hay, at)).for_each(&mut add);
    for list in LISTS {
        hay.count(hay.bytes.len());
        let mut done = 0;
        for at in memmem::find_iter(hay.bytes, list.as_bytes()) {
            if at >= done {
                let codes = listed(hay, at + list.len());
                done = codes.last().map_or(done, |span| span.end);
                codes.into_iter().for_each(&mut add);
            }
        }
    }
}

/// The password of `WIFI:T:WPA;S:name;P:password;;`, which a QR code holds.
fn wifi_password(hay: &Haystack<'_>, at: usize) -> Option<Range<usize>> {
    let end = hay.skip(at, MAX_ADDRESS_BYTES, |byte| byte.is_ascii_graphic() || byte == b' ');
    let start = at + memmem::find(&hay.bytes[at..end], b";P:")? + 3;
    let span = start..hay.skip(start, 64, |byte| byte != b';' && byte.is_ascii_graphic());
    (span.len() >= 8 && hay.byte(span.end) == b';' && !is_placeholder(&hay.text[span.clone()]))
        .then_some(span)
}

fn is_parameter(before: u8) -> bool {
    matches!(before, b'?' | b'&' | b'#' | b';' | b'"' | b'\'' | b' ' | b'\n' | 0)
}

fn value(hay: &Haystack<'_>, at: usize) -> Range<usize> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.~%+/=".contains(&byte);
    let end = hay.skip(at, MAX_CODE_BYTES, is_part);
    at..end
}

fn is_code(text: &str) -> bool {
    let text = text.split(['/', '?']).next().filter(|first| first.len() >= MIN_CODE_BYTES).unwrap_or(text);
    text.len() >= MIN_CODE_BYTES
        && text.bytes().any(|byte| byte.is_ascii_digit())
        && is_varied(text)
        && !is_uuid(text)
        && random_bits(text) >= MIN_CODE_BITS.max(text.len() as f64)
        && !is_placeholder(text)
}

/// Whether this is in the path of an address.
fn is_address(hay: &Haystack<'_>, at: usize) -> bool {
    let tail = hay.tail(at, MAX_ADDRESS_BYTES);
    let word =
        tail.rsplit(|byte| byte.is_ascii_whitespace() || b"\"'`<>(".contains(byte)).next().unwrap_or(tail);
    memmem::find(word, b"://").is_some()
}

/// The codes of a list: at least two words in a row that are made of digits and letters in groups.
fn listed(hay: &Haystack<'_>, at: usize) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let (mut place, mut others) = (at, 0);
    let limit = hay.bytes.len().min(at + MAX_LIST_BYTES);
    while place < limit {
        let is_between = |byte: u8| byte.is_ascii_whitespace() || b":,;|*\"'`.()[]-+".contains(&byte);
        let start = hay.skip(place, 64, is_between);
        let end = hay.skip(start, 32, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if end == start {
            break;
        }
        let word = hay.text[start..end].trim_end_matches('-');
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        let is_date = word.len() == 10 && word.bytes().filter(|byte| *byte == b'-').count() == 2;
        // One of the codes may have few digits by chance.
        let is_like_last = found.last().is_some_and(|last| is_alike(&hay.text[last.clone()], word));
        if (8..=24).contains(&word.len())
            && (digits >= 3
                || digits >= 1 && (is_like_last || word.contains('-') && random_bits(word) >= 25.0))
            && is_enough(word)
            && !is_date
            && !is_placeholder(word)
        {
            found.push(start..start + word.len());
            others = 0;
        } else {
            others += 1;
            // "1." and "2." are numbers of lines.
            if others > 6 {
                break;
            }
        }
        place = end;
    }
    if found.len() < 2 { Vec::new() } else { found }
}

/// Whether two codes have groups of the same lengths.
fn is_alike(one: &str, other: &str) -> bool {
    one.len() == other.len()
        && one.bytes().zip(other.bytes()).all(|(one, other)| (one == b'-') == (other == b'-'))
}

fn is_enough(word: &str) -> bool {
    let letters = word.bytes().filter(u8::is_ascii_alphabetic).count();
    letters == 0 || random_bits(word) >= 12.0
}
