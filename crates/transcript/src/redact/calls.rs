//! Secrets among the arguments of calls and the fields of objects that a text announces: the third argument of a connection, the
//! default of a variable, what a script sends, the value of the only field.

use std::ops::Range;

use super::evidence::is_password;
use super::formats::is_word_byte;
use super::haystack::{Alphabet, Haystack};
use super::names;
use super::values::{is_likely, is_mixed, is_placeholder, is_random, is_sample, is_uuid, is_varied};
use super::words::random_bits;

/// Maximum bytes of the arguments of a call.
const MAX_CALL_BYTES: usize = 240;
/// How far what a script sends is from the question for a password.
const MAX_PROMPT_BYTES: usize = 160;
/// Fewest random bits of a value that its place announces.
const MIN_BITS: f64 = 60.0;
/// Fewest random bits of a salt.
const MIN_SALT_BITS: f64 = 120.0;
/// A number in hexadecimal digits.
const MIN_ID_DIGITS: usize = 32;
const MAX_ID_BYTES: usize = 140;
/// A password for an application: sixteen letters in four groups, most of which are no words.
const APP_PASSWORD_BYTES: usize = 19;
const MIN_APP_PASSWORD_BITS: f64 = 36.0;

/// The string in quotes at this place among the arguments of a call; other arguments may be anything without a comma.
fn argument(hay: &Haystack<'_>, at: usize, place: usize) -> Option<Range<usize>> {
    let limit = hay.bytes.len().min(at + MAX_CALL_BYTES);
    let mut start = at;
    for _ in 0..place {
        start = end_of_argument(hay, start, limit)? + 1;
    }
    string(hay, hay.skip(start, 32, |byte| byte.is_ascii_whitespace()))
}

/// Where an argument ends: at a comma that is in no quotes.
fn end_of_argument(hay: &Haystack<'_>, start: usize, limit: usize) -> Option<usize> {
    let mut at = hay.skip(start, 32, |byte| byte.is_ascii_whitespace());
    if let Some(span) = string(hay, at) {
        at = span.end + 1;
    }
    let end = hay.skip(at, limit.saturating_sub(at), |byte| !b",;\n".contains(&byte));
    (hay.byte(end) == b',').then_some(end)
}

/// The string in quotes that begins here.
fn string(hay: &Haystack<'_>, opening: usize) -> Option<Range<usize>> {
    let alphabet = match hay.byte(opening) {
        b'"' => Alphabet::DoubleQuoted,
        b'\'' => Alphabet::SingleQuoted,
        _ => return None,
    };
    let end = hay.end(opening + 1, alphabet);
    let is_closed = hay.byte(end) == hay.byte(opening) && end - opening <= MAX_CALL_BYTES;
    is_closed.then_some(opening + 1..end)
}

/// `new PDO($dsn, 'user', '…')`
pub(super) fn third(hay: &Haystack<'_>, at: usize) -> Option<Range<usize>> {
    password_at(hay, at, 2)
}

/// `Credentials("realm", "host", "user", "…")`
pub(super) fn fourth(hay: &Haystack<'_>, at: usize) -> Option<Range<usize>> {
    password_at(hay, at, 3)
}

/// `Client("…")`
pub(super) fn first(hay: &Haystack<'_>, at: usize) -> Option<Range<usize>> {
    let span = argument(hay, at, 0)?;
    let value = &hay.text[span.clone()];
    (value.len() >= 24 && is_random(value)).then_some(span)
}

/// `process.env.KEY || "…"`: what stands in for a variable.
pub(super) fn fallback(hay: &Haystack<'_>, quote: usize) -> Option<Range<usize>> {
    let span = string(hay, quote)?;
    let value = &hay.text[span.clone()];
    let line = hay.tail(quote, MAX_PROMPT_BYTES).rsplit(|byte| *byte == b'\n').next()?.to_ascii_lowercase();
    let is_environment = memchr::memmem::find(&line, b"env").is_some();
    (is_environment && is_mixed(value) && random_bits(value) >= 40.0).then_some(span)
}

/// `tool -u bob -p …`: a password of any program, beside the name of a user.
pub(super) fn beside_user(hay: &Haystack<'_>, mark: Range<usize>) -> Option<Range<usize>> {
    let line = hay.tail(mark.start, MAX_PROMPT_BYTES).rsplit(|byte| *byte == b'\n').next()?;
    let has_user =
        [&b" -u "[..], b" --user", b" -U "].iter().any(|flag| memchr::memmem::find(line, flag).is_some());
    let start = hay.skip(mark.end, 4, |byte| b" \"'".contains(&byte));
    let end = hay.skip(start, 128, |byte| byte.is_ascii_graphic() && !b"\"'`".contains(&byte));
    (has_user && is_password(hay.text.get(start..end)?)).then_some(start..end)
}

/// `vncpasswd -f <<< …`: the input of a program that reads a password.
pub(super) fn here_string(hay: &Haystack<'_>, mark: Range<usize>) -> Option<Range<usize>> {
    let line = hay.tail(mark.start, MAX_PROMPT_BYTES).rsplit(|byte| *byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line).to_ascii_lowercase();
    let reads = ["passw", "secret", "token", "passphrase", "credential", "sudo -s"]
        .iter()
        .any(|word| line.contains(word));
    let start = hay.skip(mark.end, 4, |byte| b" \"'".contains(&byte));
    let end = hay.skip(start, 128, |byte| byte.is_ascii_graphic() && !b"\"'`".contains(&byte));
    (reads && is_password(hay.text.get(start..end)?)).then_some(start..end)
}

fn password_at(hay: &Haystack<'_>, at: usize, place: usize) -> Option<Range<usize>> {
    let span = argument(hay, at, place)?;
    let value = &hay.text[span.clone()];
    let is_secret =
        value.len() >= 4 && !value.contains(' ') && (random_bits(value) >= 12.0 || is_password(value));
    (is_secret && !is_placeholder(value)).then_some(span)
}

/// `os.getenv("API_KEY", "…")`: the default of a variable whose name announces a secret, or a random one.
pub(super) fn default(hay: &Haystack<'_>, at: usize) -> Option<Range<usize>> {
    let span = argument(hay, at, 1)?;
    let value = &hay.text[span.clone()];
    let name = argument(hay, at, 0).map(|name| &hay.text[name]);
    let is_named =
        name.and_then(names::strength).is_some() && (random_bits(value) >= 12.0 || is_password(value));
    let is_secret = is_named || is_mixed(value) && random_bits(value) >= 40.0;
    (is_secret && !value.contains(' ') && !is_placeholder(value)).then_some(span)
}

/// `define('AUTH_SALT', '…')`: salts have any letters, and spaces.
pub(super) fn constant(hay: &Haystack<'_>, at: usize) -> Option<Range<usize>> {
    let name = argument(hay, at, 0)?;
    let span = argument(hay, at, 1)?;
    let value = &hay.text[span.clone()];
    let bits = random_bits(value);
    let is_secret = bits >= MIN_SALT_BITS || bits >= 12.0 && !value.contains(' ') && is_likely(value);
    let is_named = names::strength(&hay.text[name]).is_some();
    (is_named && is_secret && !is_placeholder(value)).then_some(span)
}

/// `send "…\r"` behind `expect "assword:"`
pub(super) fn sent(hay: &Haystack<'_>, at: usize) -> Option<Range<usize>> {
    let opening = hay.skip(at, 8, |byte| b" -({".contains(&byte));
    let span = string(hay, opening)?;
    let before = hay.tail(at, MAX_PROMPT_BYTES).to_ascii_lowercase();
    let is_asked = [&b"assword"[..], b"assphrase", b"passcode"]
        .iter()
        .any(|word| memchr::memmem::find(&before, word).is_some());
    let text = &hay.text[span.clone()];
    let value = text.trim_end_matches("\\r").trim_end_matches("\\n").trim_end_matches("\\r");
    let is_secret = is_asked
        && value.len() >= 4
        && !value.contains([' ', '$', '\\'])
        && (random_bits(value) >= 6.0 || is_password(value));
    (is_secret && !is_placeholder(value)).then(|| span.start..span.start + value.len())
}

/// `"github-oauth": {"github.com": "…"}`: the value of the first field.
pub(super) fn field(hay: &Haystack<'_>, at: usize) -> Option<Range<usize>> {
    let brace = hay.skip(at, 8, |byte| b"\": \n\t".contains(&byte));
    let name = string(hay, hay.skip(brace + 1, 32, |byte| byte.is_ascii_whitespace()))
        .filter(|_| hay.byte(brace) == b'{')?;
    let value = hay.skip(name.end + 1, 8, |byte| byte == b':' || byte.is_ascii_whitespace());
    let span = string(hay, value)?;
    let text = &hay.text[span.clone()];
    (text.len() >= 16 && is_varied(text) && !is_placeholder(text)).then_some(span)
}

/// `{"username":"bob","key":"…"}`
pub(super) fn key_of_user(hay: &Haystack<'_>, at: usize) -> Option<Range<usize>> {
    let end = hay.skip(at, MAX_CALL_BYTES, |byte| !b"{}".contains(&byte));
    let key = memchr::memmem::find(&hay.bytes[at..end], b"\"key\"")? + at + 5;
    let span = string(hay, hay.skip(key, 8, |byte| byte == b':' || byte.is_ascii_whitespace()))?;
    let text = &hay.text[span.clone()];
    (text.len() >= 16 && is_varied(text) && random_bits(text) >= MIN_BITS).then_some(span)
}

/// `{PLAIN}…` of a file of passwords, up to a colon.
pub(super) fn stored(hay: &Haystack<'_>, at: usize) -> Option<Range<usize>> {
    let end = hay.skip(at, 128, |byte| byte.is_ascii_graphic() && !b":\"'`,;<".contains(&byte));
    let value = hay.text.get(at..end)?;
    (value.len() >= 6 && random_bits(value) >= 12.0 && !is_placeholder(value)).then_some(at..end)
}

/// `{…}` of Maven, up to its brace.
pub(super) fn in_braces(hay: &Haystack<'_>, at: usize) -> Option<Range<usize>> {
    let end = hay.end(at, Alphabet::Base64);
    (hay.byte(end) == b'}' && end - at >= 24).then_some(at..end)
}

/// The next word, behind a number and a colon, if it is random: `Unseal Key 1: …`
pub(super) fn random_word(hay: &Haystack<'_>, at: usize) -> Option<Range<usize>> {
    let start = hay.skip(at, 16, |byte| b" \t:=#\"'`".contains(&byte) || byte.is_ascii_digit());
    let start = hay.back(start, start - at, |byte| byte.is_ascii_digit());
    let end = hay.skip(start, 256, |byte| byte.is_ascii_alphanumeric() || b"+/=_-.".contains(&byte));
    let value = hay.text.get(start..end)?;
    (value.len() >= 20 && is_varied(value) && random_bits(value) >= MIN_BITS && !is_placeholder(value))
        .then_some(start..end)
}

/// The word before "as the password".
pub(super) fn word_before(hay: &Haystack<'_>, at: usize) -> Option<Range<usize>> {
    let end = hay.back(at, 2, |byte| b"\"'`".contains(&byte));
    let start = hay.back(end, 64, |byte| byte.is_ascii_graphic() && !b"\"'`".contains(&byte));
    is_password(hay.text.get(start..end)?).then_some(start..end)
}

/// The next word, if it is as long as a key in hexadecimal digits, or a UUID: elsewhere such a word is a name.
pub(super) fn id_word(hay: &Haystack<'_>, at: usize) -> Option<Range<usize>> {
    let start = hay.skip(at, 24, |byte| byte.is_ascii_whitespace() || b":=\"'`".contains(&byte));
    let end = hay.skip(start, MAX_ID_BYTES, |byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte));
    let word = hay.text.get(start..end)?.trim_end_matches('.');
    let digits = word.trim_start_matches("0x");
    let is_hex =
        digits.len() >= MIN_ID_DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'.');
    let is_id = is_uuid(word) || is_hex || word.starts_with("1000.") && word.len() > MIN_ID_DIGITS;
    (is_id && is_varied(word) && !is_sample(word)).then(|| start..start + word.len())
}

/// `nhxv lkgn zlst kzxx`, as Google writes a password for an application.
pub(super) fn app_password(hay: &Haystack<'_>, at: usize) -> Option<Range<usize>> {
    let is_gap = |byte: u8| b" :=\"'`\t".contains(&byte);
    let mut start = hay.skip(at, 8, is_gap);
    if hay.text.get(start..)?.starts_with("is ") {
        start = hay.skip(start + 3, 8, is_gap);
    }
    let text = hay.text.get(start..start + APP_PASSWORD_BYTES)?;
    let is_group = |group: &str| group.len() == 4 && group.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_password = text.split(' ').count() == 4
        && text.split(' ').all(is_group)
        && random_bits(text) >= MIN_APP_PASSWORD_BITS
        && !is_word_byte(hay.byte(start + text.len()));
    is_password.then(|| start..start + text.len())
}

/// What follows the colon in `name:password`, if it is as mixed as only a password is.
pub(super) fn user_pair(hay: &Haystack<'_>, at: usize) -> Option<Range<usize>> {
    let start = hay.skip(at, 1, |byte| b"'\"".contains(&byte));
    let name = hay.skip(start, 64, |byte| byte.is_ascii_alphanumeric() || b"_.@+-".contains(&byte));
    let end = hay.end(name + 1, Alphabet::Argument);
    let password = hay.text.get(name + 1..end).filter(|_| name > start && hay.byte(name) == b':')?;
    (is_password(password) && !is_placeholder(password)).then(|| name + 1..end)
}
