//! Keys that stand in blocks of several lines: PEM, OpenSSH, PGP, PuTTY, minisign, the vault of Ansible; and keys as JSON.

use std::ops::Range;

use memchr::memmem;

use super::haystack::{Alphabet, Haystack};
use super::kind::SecretKind;
use super::rules::Finding;

/// Maximum bytes of a key after its header.
const MAX_KEY_BYTES: usize = 32 * 1024;
/// A block with fewer base64 digits has no key: it is only mentioned.
const MIN_KEY_DIGITS: usize = 48;
/// Maximum bytes of a header or an end line.
const MAX_HEADER_BYTES: usize = 72;
/// A line of a block has at least this many digits.
const MIN_LINE_DIGITS: usize = 16;
/// How far the fields of a key in JSON are from its type.
const MAX_JWK_BYTES: usize = 4096;

/// Texts in the line before the digits of a key, and what the digits are.
const LINE_MARKS: &[(&str, Alphabet)] = &[
    ("$ANSIBLE_VAULT;", Alphabet::Hex),
    ("Private-Lines:", Alphabet::Base64),
    ("encrypted secret key", Alphabet::Base64),
    ("signify secret key", Alphabet::Base64),
];

/// The private members of a key in JSON.
const JWK_MEMBERS: &[&str] = &["d", "k", "p", "q", "dp", "dq", "qi"];

/// What a text has in which there is a block or a key in JSON.
pub(super) fn marks() -> impl Iterator<Item = &'static str> {
    LINE_MARKS.iter().map(|(mark, _)| *mark).chain(["BEGIN ", "kty"])
}

/// Finds private keys in blocks. Returns the blocks that are public: certificates, signatures, public keys.
pub(super) fn find(hay: &Haystack<'_>, found: &mut Vec<Finding>) -> Vec<Range<usize>> {
    let mut public = Vec::new();
    hay.count(hay.bytes.len());
    for begin in memmem::find_iter(hay.bytes, b"BEGIN ") {
        let Some(header) = Header::of(hay, begin) else { continue };
        if header.is_private {
            found.extend(private_key(hay, &header));
        } else if let (length, true) = block_length(hay, header.end) {
            public.push(header.start..header.end + length);
        }
    }
    for (mark, alphabet) in LINE_MARKS {
        hay.count(hay.bytes.len());
        let hits = memmem::find_iter(hay.bytes, mark.as_bytes());
        found.extend(hits.filter_map(|at| lines_after(hay, at + mark.len(), *alphabet)));
    }
    json_keys(hay, found);
    public
}

/// `-----BEGIN … -----`
struct Header {
    start: usize,
    end: usize,
    is_private: bool,
}

impl Header {
    fn of(hay: &Haystack<'_>, begin: usize) -> Option<Self> {
        let dashes = hay.back(begin, 2, |byte| byte == b' ');
        let start = hay.back(dashes, 8, |byte| byte == b'-');
        let limit = hay.bytes.len().min(begin + MAX_HEADER_BYTES);
        let rest = &hay.bytes[begin + 6..limit];
        let length = memmem::find(rest, b"----").filter(|_| dashes - start >= 4)?;
        let name = String::from_utf8_lossy(&rest[..length]);
        let words: Vec<&str> = name.split_ascii_whitespace().collect();
        let is_private = matches!(
            words[..],
            [.., "PRIVATE" | "SECRET", "KEY"]
                | [.., "PRIVATE" | "SECRET", "KEY", "BLOCK"]
                | ["OpenVPN", _, "key", _]
        );
        let end = hay.skip(begin + 6 + length, 8, |byte| byte == b'-');
        Some(Self { start, end, is_private })
    }
}

/// The length of what follows a header, and whether its end line is there.
fn block_length(hay: &Haystack<'_>, header_end: usize) -> (usize, bool) {
    let limit = hay.bytes.len().min(header_end + MAX_KEY_BYTES);
    let rest = &hay.bytes[header_end..limit];
    let next = memmem::find(rest, b"----").unwrap_or(rest.len());
    hay.count(next);
    let end_line = &rest[next..rest.len().min(next + MAX_HEADER_BYTES)];
    let word = end_line.iter().position(|byte| !b"- ".contains(byte)).unwrap_or(end_line.len());
    if !end_line[word..].starts_with(b"END ") {
        return (digits_end(&rest[..next]), false);
    }
    let name = &end_line[word..];
    let line = name.iter().position(|&byte| byte == b'\n').unwrap_or(name.len());
    let dashes = memmem::find(&name[..line], b"----");
    let tail = dashes.map_or(line, |at| at + name[at..line].iter().take_while(|&&byte| byte == b'-').count());
    (next + word + tail, true)
}

fn private_key(hay: &Haystack<'_>, header: &Header) -> Option<Finding> {
    let (length, _) = block_length(hay, header.end);
    // Between the two lines of a program that looks for keys there are words, and no runs of digits.
    let end = header.end + length;
    let runs = hay.bytes[header.end..end].split(|&byte| !Alphabet::Base64.has(byte));
    let digits: usize = runs.map(<[u8]>::len).filter(|length| *length >= MIN_LINE_DIGITS).sum();
    let is_key = digits >= MIN_KEY_DIGITS && hay.text.is_char_boundary(end);
    is_key.then_some(Finding { kind: SecretKind::PrivateKey, span: header.start..end })
}

/// The end of the lines of digits after a header.
fn digits_end(body: &[u8]) -> usize {
    let mut end = 0;
    for line in body.split_inclusive(|&byte| byte == b'\n') {
        let is_digits = line.iter().all(|byte| {
            byte.is_ascii_alphanumeric() || byte.is_ascii_whitespace() || b"+/=\\:,->".contains(byte)
        });
        if !is_digits {
            break;
        }
        end += line.len();
    }
    end
}

/// The lines of digits after the line at a position.
fn lines_after(hay: &Haystack<'_>, at: usize, alphabet: Alphabet) -> Option<Finding> {
    let mut line_end = hay.skip(at, MAX_HEADER_BYTES, |byte| byte != b'\n');
    let (mut start, mut end) = (None, line_end);
    while hay.byte(line_end) == b'\n' && end - at < MAX_KEY_BYTES {
        let first = hay.skip(line_end, 64, |byte| byte.is_ascii_whitespace() || b"+->#".contains(&byte));
        let last = hay.skip(first, MAX_KEY_BYTES, |byte| alphabet.has(byte));
        // The last line of a block may be short.
        if last - first < if start.is_some() { 2 } else { MIN_LINE_DIGITS } || !is_line_end(hay.byte(last)) {
            break;
        }
        start.get_or_insert(first);
        end = last;
        line_end = hay.skip(last, 2, |byte| byte == b'\r' || byte == b' ');
    }
    Some(Finding { kind: SecretKind::PrivateKey, span: start?..end })
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r' | b' ' | b'"' | b'\'' | 0)
}

/// The private members of keys in JSON, which have their type beside them.
fn json_keys(hay: &Haystack<'_>, found: &mut Vec<Finding>) {
    hay.count(hay.bytes.len());
    let mut done = 0;
    for at in memmem::find_iter(hay.bytes, b"kty") {
        if at < done || !is_quote(hay.before(at)) || !is_quote(hay.byte(at + 3)) {
            continue;
        }
        let start = hay.back(at, MAX_JWK_BYTES.min(at - done), |byte| byte != b'{');
        let end = hay.skip(at, MAX_JWK_BYTES, |byte| byte != b'}');
        done = end;
        let mut quote = start;
        while let Some(next) = memchr::memchr2(b'"', b'\'', hay.bytes.get(quote..end).unwrap_or_default()) {
            let name = quote + next + 1;
            let name_end = hay.skip(name, 3, |byte| byte.is_ascii_lowercase());
            let sign = hay.skip(name_end + 1, 4, |byte| byte == b' ' || byte == b':');
            quote = name;
            let is_member = hay.text.get(name..name_end).is_some_and(|name| JWK_MEMBERS.contains(&name));
            if !is_member || !is_quote(hay.byte(name_end)) || !is_quote(hay.byte(sign)) {
                continue;
            }
            let span = sign + 1..hay.end(sign + 1, Alphabet::Token);
            if span.len() >= MIN_LINE_DIGITS {
                quote = span.end;
                found.push(Finding { kind: SecretKind::PrivateKey, span });
            }
        }
    }
}

/// Whether a field is a private member of a key, given the fields beside it.
pub(super) fn is_json_key_member(name: &str, has_key_type: impl Fn() -> bool) -> bool {
    JWK_MEMBERS.contains(&name) && has_key_type()
}

fn is_quote(byte: u8) -> bool {
    byte == b'"' || byte == b'\''
}
