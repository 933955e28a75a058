//! Secrets whose format has a mark in its midst or at its end.

use memchr::memmem;

use super::super::haystack::{Alphabet, Haystack};
use super::super::kind::SecretKind;
use super::super::rules::Finding;
use super::super::words::random_bits;
use super::{is_random_tail, is_word_byte};

/// The length of a secret access key of AWS, and how far it may be from its id.
const AWS_SECRET_BYTES: usize = 40;
const MAX_AWS_DISTANCE: usize = 256;
/// The token of an account of Twilio, and how far it may be from the account.
const TWILIO_DIGITS: usize = 32;
const MAX_TWILIO_DISTANCE: usize = 16;
/// The digits of a full line of base64.
const MIN_LINE_DIGITS: usize = 60;

/// A format with a mark: how many characters of which alphabet stand before and after it.
struct MarkFormat {
    mark: &'static str,
    before: (Alphabet, usize, usize),
    after: (Alphabet, usize, usize),
}

static MARK_FORMATS: [MarkFormat; 18] = [
    // Terraform
    MarkFormat { mark: ".atlasv1.", before: (Alphabet::Alnum, 14, 14), after: (Alphabet::Token, 60, 80) },
    // Telegram bots
    MarkFormat { mark: ":AA", before: (Alphabet::Digits, 8, 10), after: (Alphabet::Token, 32, 34) },
    // Applications of Azure
    MarkFormat { mark: "Q~", before: (Alphabet::Dotted, 4, 4), after: (Alphabet::Dotted, 30, 34) },
    // MaxMind
    MarkFormat { mark: "_mmk", before: (Alphabet::Word, 36, 36), after: (Alphabet::Word, 0, 0) },
    // Storage, batches and databases of Azure
    MarkFormat { mark: "+ASt", before: (Alphabet::Base64, 76, 76), after: (Alphabet::Base64, 8, 8) },
    MarkFormat { mark: "+ABa", before: (Alphabet::Base64, 76, 76), after: (Alphabet::Base64, 8, 8) },
    MarkFormat { mark: "ACDb", before: (Alphabet::Base64, 76, 76), after: (Alphabet::Base64, 6, 8) },
    MarkFormat { mark: "JQQJ99", before: (Alphabet::Base64, 52, 52), after: (Alphabet::Base64, 20, 40) },
    MarkFormat { mark: "AZDO", before: (Alphabet::Alnum, 76, 76), after: (Alphabet::Alnum, 4, 4) },
    MarkFormat { mark: "AzCaA", before: (Alphabet::Alnum, 33, 33), after: (Alphabet::Base64, 5, 8) },
    MarkFormat { mark: "AzSeA", before: (Alphabet::Alnum, 42, 42), after: (Alphabet::Alnum, 6, 6) },
    MarkFormat { mark: "AzFu", before: (Alphabet::Token, 44, 44), after: (Alphabet::Header, 6, 8) },
    MarkFormat { mark: "+ACR", before: (Alphabet::Base64, 42, 42), after: (Alphabet::Alnum, 6, 6) },
    MarkFormat { mark: "+ASb", before: (Alphabet::Base64, 33, 33), after: (Alphabet::Base64, 7, 8) },
    MarkFormat { mark: "+AEh", before: (Alphabet::Base64, 33, 33), after: (Alphabet::Base64, 7, 8) },
    // RapidAPI
    MarkFormat { mark: "msh", before: (Alphabet::Alnum, 10, 10), after: (Alphabet::Alnum, 37, 37) },
    // New Relic
    MarkFormat { mark: "NRAL", before: (Alphabet::Hex, 36, 36), after: (Alphabet::Word, 0, 0) },
    // Mailchimp
    MarkFormat { mark: "-us", before: (Alphabet::Hex, 32, 32), after: (Alphabet::Digits, 1, 2) },
];

pub(super) fn find(hay: &Haystack<'_>, found: &mut Vec<Finding>) {
    discord(hay, found);
    twilio_tokens(hay, found);
    aws_secrets(hay, found);
}

/// What a text has in which there is a format with a mark.
pub(in crate::redact) fn marks() -> impl Iterator<Item = &'static str> {
    MARK_FORMATS.iter().map(|format| format.mark)
}

/// Finds the formats of which the middle or the end says what they are.
pub(in crate::redact) fn find_in_joined(hay: &Haystack<'_>, found: &mut Vec<Finding>) {
    find_marks(hay, found);
    discord(hay, found);
}

/// Finds the formats with a mark.
pub(in crate::redact) fn find_marks(hay: &Haystack<'_>, found: &mut Vec<Finding>) {
    for format in &MARK_FORMATS {
        hay.count(hay.bytes.len());
        let hits = memmem::find_iter(hay.bytes, format.mark.as_bytes());
        found.extend(hits.filter_map(|at| marked(hay, at, format)));
    }
}

fn marked(hay: &Haystack<'_>, mark: usize, format: &MarkFormat) -> Option<Finding> {
    let (alphabet, min, max) = format.before;
    let start = hay.back(mark, max + 1, |byte| alphabet.has(byte));
    // In addresses of Telegram the word `bot` comes right before it.
    let is_in_address = alphabet == Alphabet::Digits && hay.text[..start].ends_with("/bot");
    if !(min..=max).contains(&(mark - start)) || is_word_byte(hay.before(start)) && !is_in_address {
        return None;
    }
    let at = mark + format.mark.len();
    let (alphabet, min, max) = format.after;
    let end = hay.skip(at, max + 2, |byte| alphabet.has(byte));
    // A full stop ends the sentence.
    let end = at + hay.text[at..end].trim_end_matches('.').len();
    let is_long = (min..=max).contains(&(end - at)) && !is_word_byte(hay.byte(end));
    let finding = Finding { kind: SecretKind::ApiKey, span: start..end };
    (is_long && is_random_tail(hay, &hay.text[start..end]) && !hay.is_data(&finding.span)).then_some(finding)
}

/// Tokens of Discord: an id in base64, six characters, and a signature, with full stops between them.
fn discord(hay: &Haystack<'_>, found: &mut Vec<Finding>) {
    hay.count(hay.bytes.len());
    for dot in memchr::memchr_iter(b'.', hay.bytes) {
        let token = |byte: u8| Alphabet::Token.has(byte);
        let second = hay.skip(dot + 1, 7, token);
        if second - dot != 7 || hay.byte(second) != b'.' {
            continue;
        }
        let start = hay.back(dot, 29, token);
        let end = hay.skip(second + 1, 48, token);
        let is_token = (24..=28).contains(&(dot - start)) && (27..=40).contains(&(end - second - 1));
        let text = &hay.text[start..end];
        if is_token && b"MNO".contains(&hay.byte(start)) && is_random_tail(hay, text) {
            found.push(Finding { kind: SecretKind::ApiKey, span: start..end });
        }
    }
}

/// The token of Twilio right after its account: 32 hexadecimal digits, which mean nothing elsewhere.
fn twilio_tokens(hay: &Haystack<'_>, found: &mut Vec<Finding>) {
    let is_account =
        |finding: &&Finding| hay.text[finding.span.clone()].starts_with("AC") && finding.span.len() == 34;
    let accounts: Vec<_> = found.iter().filter(is_account).map(|finding| finding.span.end).collect();
    for end in accounts {
        let start = hay.skip(end, MAX_TWILIO_DISTANCE, |byte| !byte.is_ascii_alphanumeric() && byte != b'\n');
        let token = start..hay.skip(start, TWILIO_DIGITS + 1, |byte| byte.is_ascii_hexdigit());
        if token.len() == TWILIO_DIGITS && !is_word_byte(hay.byte(token.end)) {
            found.push(Finding { kind: SecretKind::ApiKey, span: token });
        }
    }
}

/// Secret access keys of AWS: by their length beside an id, or by their signs alone.
fn aws_secrets(hay: &Haystack<'_>, found: &mut Vec<Finding>) {
    let ids: Vec<_> = found
        .iter()
        .filter(|finding| finding.kind == SecretKind::Aws && finding.span.len() == 20)
        .map(|finding| finding.span.clone())
        .collect();
    hay.count(hay.bytes.len());
    let mut start = 0;
    for at in 0..=hay.bytes.len() {
        if hay.bytes.get(at).is_some_and(|&byte| byte != b'=' && Alphabet::Base64.has(byte)) {
            continue;
        }
        let span = start..at;
        start = at + 1;
        if span.len() != AWS_SECRET_BYTES || matches!(hay.byte(at), b'_' | b'-' | b'=') {
            continue;
        }
        if is_after_digits(hay, span.start) {
            continue;
        }
        let text = &hay.text[span.clone()];
        let next = ids.partition_point(|id| id.end + MAX_AWS_DISTANCE < span.start);
        let is_near = ids.get(next).is_some_and(|id| id.start < span.end + MAX_AWS_DISTANCE);
        let has_sign =
            text.contains(['+', '/']) && !matches!(hay.before(span.start), b'-' | b'_' | b'.' | b':' | b'@');
        let has = |test: fn(&u8) -> bool| text.as_bytes().iter().filter(|byte| test(byte)).count();
        let is_mixed = has(u8::is_ascii_digit) >= 2
            && has(u8::is_ascii_lowercase) >= 6
            && has(u8::is_ascii_uppercase) >= 6;
        if (is_near || has_sign) && is_mixed && random_bits(text) >= 120.0 {
            found.push(Finding { kind: SecretKind::Aws, span });
        }
    }
}

/// Whether the line before has base64 digits only: then this one is the end of a certificate or of data.
fn is_after_digits(hay: &Haystack<'_>, at: usize) -> bool {
    let line_end = hay.back(at, 16, |byte| byte.is_ascii_whitespace() || b"+>".contains(&byte));
    hay.bytes[line_end..at].contains(&b'\n')
        && line_end - hay.back(line_end, MIN_LINE_DIGITS, |byte| Alphabet::Base64.has(byte))
            >= MIN_LINE_DIGITS
}
