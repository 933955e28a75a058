//! Finds secrets by the name that they are given: `NAME=value`, `"name": "value"`, `--name value`, "the password is …".

use std::ops::Range;

use aho_corasick::{AhoCorasick, BuildError};

use super::before::value_before;
use super::evidence::is_password;
use super::haystack::{Alphabet, Haystack};
use super::headers;
use super::kind::SecretKind;
use super::languages;
use super::names::{self, Strength};
use super::rules::Finding;
use super::sentences::after_words;
use super::signs::{Proof, Quotes, ValueStart, is_cell, literal};
use super::values::{
    Notation, is_likely, is_mixed, is_random, is_sample, is_secret_value, is_setting, is_uuid, is_varied,
};
use super::words::{is_word_pair, random_bits};

/// Maximum bytes of a name.
const MAX_NAME_BYTES: usize = 64;
/// Maximum bytes of white space before a value.
pub(super) const MAX_GAP_BYTES: usize = 64;
/// A random string counts if it begins within this many bytes of the word, and has at least this many bytes.
const MAX_DISTANCE: usize = 48;
const MIN_RANDOM_BYTES: usize = 20;
/// Maximum bytes of a value.
pub(super) const MAX_VALUE_BYTES: usize = 4096;
/// How many bytes a key has.
const MIN_KEY_BYTES: usize = 16;
const MAX_KEY_BYTES: usize = 128;
/// How far a file of logins may name the machine before the password.
const MAX_LOGIN_BYTES: usize = 160;

/// The key of an object for some programs, and of an account for others: then it is hexadecimal.
const KEY_FLAG: &str = "--key";

/// The words that announce secrets, ready to be searched for.
#[derive(Clone, Debug)]
pub(super) struct NameRules(AhoCorasick);

/// A name in a text, and how surely it announces a secret.
#[derive(Debug)]
struct NameHit<'t> {
    span: Range<usize>,
    name: &'t str,
    strength: Strength,
}

impl NameHit<'_> {
    /// Whether it is the name of a credential: `STRIPE_KEY` is one where it is a variable of the environment.
    fn is_sure(&self) -> bool {
        self.strength != Strength::Weak || names::is_environment(self.name) || self.name == KEY_FLAG
    }
}

impl NameRules {
    pub(super) fn new() -> Result<Self, BuildError> {
        Ok(Self(AhoCorasick::builder().ascii_case_insensitive(true).build(names::triggers())?))
    }

    /// Finds all secrets that have a name. Returns whether anything may be such a name.
    pub(super) fn find(&self, hay: &Haystack<'_>, found: &mut Vec<Finding>) -> bool {
        hay.count(hay.bytes.len());
        let in_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
        let (mut done, mut has_names) = (0, false);
        for hit in self.0.find_iter(hay.text) {
            has_names = true;
            if hit.start() < done {
                continue;
            }
            let start = hay.back(hit.start(), MAX_NAME_BYTES, in_name);
            let end = match hay.text[hit.range()].is_ascii() {
                true => hit.end(),
                false => languages::word_end(hay.text, hit.end()),
            };
            let is_latin = hay.before(end).is_ascii();
            let end = if is_latin { hay.skip(end, MAX_NAME_BYTES, in_name) } else { end };
            done = end;
            let name = hay.text[start..end].trim_end_matches(['.', '-']);
            let span = start..start + name.len();
            if span.len() > MAX_NAME_BYTES || span.end < hit.end() {
                continue;
            }
            let before = found.len();
            headers::find(hay, name, &span, found);
            if found.len() == before {
                found.extend(announced(hay, name, span));
            }
            if let Some(last) = found.get(before..).and_then(<[Finding]>::last) {
                done = done.max(last.span.end);
            }
        }
        has_names
    }
}

/// The secret that a name announces.
fn announced(hay: &Haystack<'_>, name: &str, span: Range<usize>) -> Option<Finding> {
    let is_query = matches!(hay.before(span.start), b'?' | b'&') && names::is_query_name(name);
    let in_words = || names::strength_of_words(word_before(hay, span.start)?, name);
    let is_weak = is_query || name == KEY_FLAG;
    let strength = names::strength(name).or(is_weak.then_some(Strength::Weak)).or_else(in_words)?;
    let hit = NameHit { span, name, strength };
    let value = assigned(hay, &hit)
        .or_else(|| login(hay, &hit))
        .or_else(|| nearby(hay, &hit))
        .or_else(|| in_sentence(hay, &hit))
        .or_else(|| named_after(hay, &hit))
        .or_else(|| byte_list(hay, &hit))
        .or_else(|| grouped(hay, &hit));
    value.filter(|finding| !hay.is_data(&finding.span))
}

/// The word before a name, with one space between them.
fn word_before<'t>(hay: &Haystack<'t>, start: usize) -> Option<&'t str> {
    let end = start.checked_sub(1).filter(|end| hay.byte(*end) == b' ')?;
    let word = hay.back(end, MAX_NAME_BYTES, |byte| byte.is_ascii_alphabetic());
    hay.text.get(word..end)
}

/// `private_key: [12, 250, …]`: the bytes of a key as numbers.
fn byte_list(hay: &Haystack<'_>, hit: &NameHit<'_>) -> Option<Finding> {
    let open = hay.skip(hit.span.end, MAX_DISTANCE, |byte| !b"[\n;,.{}".contains(&byte));
    if hay.byte(open) != b'[' {
        return None;
    }
    let end = hay
        .skip(open + 1, MAX_VALUE_BYTES, |byte| byte.is_ascii_alphanumeric() || b", \t\r\n".contains(&byte));
    let numbers = hay.text.get(open + 1..end)?.trim();
    let is_byte = |number: &str| match number.strip_prefix("0x") {
        Some(digits) => u8::from_str_radix(digits, 16).is_ok(),
        None => number.parse::<u8>().is_ok(),
    };
    let (mut count, mut all) = (0, true);
    for number in numbers.split(',').map(str::trim).filter(|number| !number.is_empty()) {
        count += 1;
        all &= is_byte(number);
    }
    let is_key = all && (MIN_KEY_BYTES..=MAX_KEY_BYTES).contains(&count) && is_varied(numbers);
    is_key.then_some(Finding { kind: SecretKind::Assignment, span: open + 1..end })
}

/// `TOTP secret: abcd efgh …`: a key of an authenticator in groups of four.
fn grouped(hay: &Haystack<'_>, hit: &NameHit<'_>) -> Option<Finding> {
    let sign = hay.skip(hit.span.end, 2, |byte| byte == b':' || byte == b' ');
    let is_part = |byte: u8| byte.is_ascii_alphabetic() || (b'2'..=b'7').contains(&byte) || byte == b' ';
    let end = hay.skip(sign, MAX_KEY_BYTES, is_part);
    let groups = hay.text.get(sign..end)?.split(' ').take_while(|group| group.len() == 4).count();
    let span = sign..sign + (groups * 5).saturating_sub(1);
    let key = hay.text.get(span.clone())?;
    let is_one_case = key.bytes().all(|byte| !byte.is_ascii_uppercase())
        || key.bytes().all(|byte| !byte.is_ascii_lowercase());
    let is_key = groups >= 4 && is_one_case && random_bits(key) >= 30.0 && sign > hit.span.end;
    is_key.then_some(Finding { kind: SecretKind::Assignment, span })
}

/// The value of a field with a secret name.
pub(super) fn of_field(name: &str, value: &str) -> Option<Finding> {
    let strength = names::strength(name)?;
    let is_secret = name.len() <= MAX_NAME_BYTES && is_secret_value(value, strength, Notation::Quoted);
    is_secret.then_some(Finding { kind: SecretKind::Assignment, span: 0..value.len() })
}

/// `NAME=value`, `"name": "value"`, `--name value`, `name("value")`, `<name>value</name>` and so on.
fn assigned(hay: &Haystack<'_>, hit: &NameHit<'_>) -> Option<Finding> {
    let start = ValueStart::of(hay, hit.name, &hit.span)?;
    let (span, is_quoted) = literal(hay, start.at)?;
    let is_allowed = match start.quotes {
        Quotes::Any => true,
        Quotes::Needed => is_quoted,
        Quotes::Refused => !is_quoted,
    };
    // `<passphrase>value</passphrase>`
    let is_in_tag = hay.before(start.at) == b'>' && hay.bytes[span.end..].starts_with(b"</");
    let notation = match start.notation {
        Notation::Bare if is_quoted || is_in_tag => Notation::Quoted,
        notation => notation,
    };
    let value = hay.judged(&span);
    // A text that goes on is no passphrase.
    if value.len() < span.len() && value.contains(' ') {
        return None;
    }
    let is_proven = match start.proof {
        Proof::Name => true,
        // "use --password option": a word after a flag is more of the sentence.
        Proof::NoWord => random_bits(value) >= 6.0 || is_password(value),
        Proof::SureName => hit.strength != Strength::Weak,
        Proof::Mixed if hit.strength == Strength::Password => is_mixed(value) || is_word_pair(value),
        Proof::Mixed => hit.strength != Strength::Weak && is_mixed(value),
    };
    // `--secret dbPassword value`: the name of another one.
    let is_other_name =
        names::strength(value).is_some() && random_bits(value) < 20.0 && start.proof == Proof::NoWord;
    // Elsewhere hexadecimal digits and UUIDs are names; what the name of a credential is set to is not.
    let is_joined = start.proof != Proof::Mixed || is_cell(hay, hit.span.start);
    if is_allowed && is_joined && hit.is_sure() && is_hex_key(value) {
        return Some(Finding { kind: SecretKind::Assignment, span });
    }
    let is_secret = is_allowed
        && is_proven
        && !is_other_name
        && hit.name != KEY_FLAG
        && !is_elided(hay, &span)
        && (start.proof == Proof::Mixed || is_secret_value(value, hit.strength, notation));
    is_secret.then_some(Finding { kind: SecretKind::Assignment, span })
}

/// `sk-ant-api03-...`: the beginning of a key, and what stands for the rest.
fn is_elided(hay: &Haystack<'_>, span: &Range<usize>) -> bool {
    let value = hay.judged(span);
    let is_cut = hay.bytes[span.end..].starts_with(b"...") || value.ends_with('…');
    is_cut && value.trim_end_matches('…').ends_with(['-', '_'])
}

/// `machine host login name password value`.
fn login(hay: &Haystack<'_>, hit: &NameHit<'_>) -> Option<Finding> {
    if hit.strength != Strength::Password || !hay.byte(hit.span.end).is_ascii_whitespace() {
        return None;
    }
    let before = String::from_utf8_lossy(hay.tail(hit.span.start, MAX_LOGIN_BYTES)).into_owned();
    if !(before.contains("login ") && (before.contains("machine ") || before.contains("default "))) {
        return None;
    }
    let start = hay.skip(hit.span.end, MAX_GAP_BYTES, |byte| byte.is_ascii_whitespace());
    let span = start..hay.end(start, Alphabet::Argument).min(start + MAX_VALUE_BYTES);
    let is_secret = is_secret_value(hay.judged(&span), Strength::Password, Notation::Shell);
    is_secret.then_some(Finding { kind: SecretKind::Assignment, span })
}

/// `- value: …`, and its name on the next line.
fn named_after(hay: &Haystack<'_>, hit: &NameHit<'_>) -> Option<Finding> {
    let span = value_before(hay, &hit.span)?;
    let is_secret = is_secret_value(hay.judged(&span), hit.strength, Notation::Quoted);
    is_secret.then_some(Finding { kind: SecretKind::Assignment, span })
}

/// "the password for the staging database is …"
fn in_sentence(hay: &Haystack<'_>, hit: &NameHit<'_>) -> Option<Finding> {
    if hit.strength == Strength::Weak || hay.byte(hit.span.end) != b' ' {
        return None;
    }
    let spans = after_words(hay, hit.span.end).into_iter().filter_map(|at| literal(hay, at));
    let mut secrets = spans.map(|(span, _)| span).filter(|span| {
        let value = hay.judged(span);
        let is_key = hit.is_sure() && is_hex_key(value);
        is_likely(value) || is_key
    });
    secrets.next().map(|span| Finding { kind: SecretKind::Assignment, span })
}

/// A random string near the word, on the same line; a hexadecimal one only if it is the next word.
fn nearby(hay: &Haystack<'_>, hit: &NameHit<'_>) -> Option<Finding> {
    if hit.strength == Strength::Weak {
        return None;
    }
    let in_token = |byte: u8| byte.is_ascii_alphanumeric() || b"+/_=-.".contains(&byte);
    let limit = hay.bytes.len().min(hit.span.end + MAX_DISTANCE);
    let mut at = hit.span.end;
    let mut is_next = true;
    while at < limit && hay.bytes[at] != b'\n' {
        let end = hay.skip(at, 512, in_token);
        let all = hay.text.get(at..end).unwrap_or_default().trim_end_matches(['.', '=']);
        // `--from-literal=password=…`: the names are none of it.
        let mut token = all;
        while let Some((_, value)) = token.split_once('=').filter(|_| is_setting(token)) {
            token = value;
        }
        let span = at + all.len() - token.len()..at + all.len();
        if token.len() >= MIN_RANDOM_BYTES && (is_random(token) || is_next && is_next_hex(hay, hit, token)) {
            return Some(Finding { kind: SecretKind::Entropy, span });
        }
        is_next &= token.is_empty();
        at = end.max(at + 1);
        while !hay.text.is_char_boundary(at) {
            at += 1;
        }
    }
    None
}

/// `auth token 0123…`: digits of the usual lengths right after two words that announce them.
fn is_next_hex(hay: &Haystack<'_>, hit: &NameHit<'_>, token: &str) -> bool {
    let before = hay.tail(hit.span.start, 12).to_ascii_lowercase();
    let words: [&[u8]; 11] = [
        b"auth ",
        b"api ",
        b"access ",
        b"account ",
        b"secret ",
        b"bearer ",
        b"signing ",
        b"client ",
        b"webhook ",
        b"encryption ",
        b"master ",
    ];
    is_usual_hex(token)
        && is_varied(token)
        && random_bits(token) > 60.0
        && words.iter().any(|word| before.ends_with(word))
        && hay.text[hit.span.end..].starts_with([' ', ':'])
}

/// Whether a text is a UUID, or hexadecimal digits that are too many for a number.
fn is_hex_key(text: &str) -> bool {
    let is_hex = (32..=128).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_hex || is_uuid(text)) && is_varied(text) && !is_sample(text) && random_bits(text) >= 60.0
}

/// Whether a text has as many hexadecimal digits as keys have.
fn is_usual_hex(text: &str) -> bool {
    [32, 40, 48, 64].contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
