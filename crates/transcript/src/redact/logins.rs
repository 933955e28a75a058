//! Logins without a scheme, `user:password@host`, hashes of passwords, and the keys of streams in their addresses, `rtmp://host/app/key`.

use memchr::memmem;

use super::evidence::is_password;
use super::haystack::Haystack;
use super::kind::SecretKind;
use super::rules::Finding;
use super::values::{is_placeholder, is_varied};
use super::words::{WordList, random_bits};

/// How far a user's name begins before the `@`.
const MAX_LOGIN_BYTES: usize = 96;
/// Maximum bytes of a host.
const MAX_HOST_BYTES: usize = 128;
/// Maximum bytes of the address of a stream.
const MAX_STREAM_BYTES: usize = 256;
/// Fewest random bits of the key of a stream.
const MIN_STREAM_BITS: f64 = 40.0;
/// What stands before a colon and is no user: addresses and packages have an `@` too.
static NO_USERS: WordList = WordList::new(
    "mailto acct sip sips xmpp npm jsr workspace pkg cid mid file link portal patch git image tag at by",
);

/// How hashes of passwords begin.
const HASHES: [&str; 9] = ["$1$", "$5$", "$6$", "$y$", "$2a$", "$2b$", "$2y$", "$apr1$", "$argon2"];
/// Maximum bytes of a hash.
const MAX_HASH_BYTES: usize = 256;

/// What a text has in which there is a login, a hash or the address of a stream.
pub(super) fn marks() -> impl Iterator<Item = &'static str> {
    HASHES.into_iter().chain(["@", "rtmp"])
}

/// Finds the passwords of logins and the keys of streams.
pub(super) fn find(hay: &Haystack<'_>, found: &mut Vec<Finding>) {
    hay.count(hay.bytes.len() * 2);
    let mut done = 0;
    for at in memchr::memchr_iter(b'@', hay.bytes) {
        let span = login(hay, at, done);
        done = at;
        found.extend(span.map(|span| Finding { kind: SecretKind::ConnectionString, span }));
    }
    for mark in HASHES {
        hay.count(hay.bytes.len());
        let spans =
            memmem::find_iter(hay.bytes, mark.as_bytes()).filter_map(|at| password_hash(hay, at, mark.len()));
        found.extend(spans.map(|span| Finding { kind: SecretKind::Assignment, span }));
    }
    for at in memmem::find_iter(hay.bytes, b"rtmp") {
        let span = stream_key(hay, at);
        found.extend(span.map(|span| Finding { kind: SecretKind::ConnectionString, span }));
    }
}

/// The password before an `@`, not before `limit`.
fn login(hay: &Haystack<'_>, at: usize, limit: usize) -> Option<std::ops::Range<usize>> {
    let is_part = |byte: u8| byte.is_ascii_graphic() && !b"/\"'`<>(),;@".contains(&byte);
    let start = hay.back(at, MAX_LOGIN_BYTES.min(at - limit), is_part);
    if !is_host(hay, at + 1) && !is_share(hay, start, at + 1) {
        return None;
    }
    let whole = hay.text.get(start..at)?;
    // `name=user:password@host`
    let (user, password) = whole.split_once(':')?;
    let user = user.rsplit('=').next().unwrap_or(user);
    let is_user = (1..=32).contains(&user.len())
        && user.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
        && user.starts_with(|first: char| first.is_ascii_alphabetic())
        && !NO_USERS.contains(user.to_ascii_lowercase().as_str());
    let is_secret = is_password(password) && !password.contains(':');
    (is_user && is_secret).then(|| at - password.len()..at)
}

/// Whether a host begins here: a name with a full stop, a port, or `tcp(…)` of a driver.
fn is_host(hay: &Haystack<'_>, start: usize) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b".-".contains(&byte);
    let end = hay.skip(start, MAX_HOST_BYTES, is_part);
    let host = &hay.bytes[start..end];
    let port = hay.skip(end + 1, 6, |byte| byte.is_ascii_digit());
    let has_port = hay.byte(end) == b':' && (2..=5).contains(&(port - (end + 1).min(port)));
    // `1.2.3` is a version.
    let is_version = host.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.')
        && host.iter().filter(|&&byte| byte == b'.').count() != 3;
    let has_name = host.first().is_some_and(u8::is_ascii_alphanumeric) && !is_version;
    let has_dot = host[..host.len().saturating_sub(1)].contains(&b'.');
    has_name && (has_dot || has_port || hay.byte(end) == b'(')
}

/// `//user:password@server/share`
fn is_share(hay: &Haystack<'_>, start: usize, host: usize) -> bool {
    let end = hay.skip(host, MAX_HOST_BYTES, |byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte));
    hay.before(start) == b'/' && hay.before(start - 1) == b'/' && end > host && hay.byte(end) == b'/'
}

/// A hash of a password, with its salt: what `shadow` and `htpasswd` hold.
fn password_hash(hay: &Haystack<'_>, at: usize, mark: usize) -> Option<std::ops::Range<usize>> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"./$=,+".contains(&byte);
    let end = hay.skip(at + mark, MAX_HASH_BYTES, is_part);
    let whole = hay.text.get(at..end)?.trim_end_matches(['.', ',']);
    let last = whole.rsplit('$').next()?;
    let is_hash = last.len() >= 22 && is_varied(last) && random_bits(last) >= last.len() as f64 * 1.6;
    (is_hash && !hay.before(at).is_ascii_alphanumeric()).then(|| at..at + whole.len())
}

/// The last name of `rtmp://host/app/key`.
fn stream_key(hay: &Haystack<'_>, at: usize) -> Option<std::ops::Range<usize>> {
    let is_part = |byte: u8| byte.is_ascii_graphic() && !b"\"'`<>()?&".contains(&byte);
    let end = hay.skip(at, MAX_STREAM_BYTES, is_part);
    let address = hay.text.get(at..end)?.trim_end_matches(['.', ',', ';', ']']);
    let (scheme, rest) = address.split_once("://")?;
    let key = rest.split('/').skip(2).last()?;
    let is_key = matches!(scheme, "rtmp" | "rtmps" | "rtmpe" | "rtmpt")
        && key.len() >= 12
        && key.bytes().any(|byte| byte.is_ascii_digit())
        && is_varied(key)
        && random_bits(key) >= MIN_STREAM_BITS
        && !is_placeholder(key);
    is_key.then(|| at + address.len() - key.len()..at + address.len())
}
