//! Lines that are secrets by their place in a file or a protocol: `.pgpass`, logins of SMTP, IMAP, POP and Redis,
//! secrets of PPP, cookies, Kubernetes.

use std::ops::Range;

use super::devices;
use super::evidence::is_password;
use super::haystack::Haystack;
use super::kind::SecretKind;
use super::rules::Finding;
use super::values::{Notation, is_likely, is_placeholder, is_secret_value};
use super::{names::Strength, words::random_bits};

/// A longer line belongs to no file of logins and to no protocol.
const MAX_LINE_BYTES: usize = 512;
/// What an SMTP server sends before it wants a password: `Password:` in base64.
const PASSWORD_PROMPT: &str = "334 UGFzc3dvcmQ6";

/// Finds the secrets of all lines.
pub(super) fn find(hay: &Haystack<'_>, found: &mut Vec<Finding>) {
    hay.count(hay.bytes.len() * 2);
    let mut start = 0;
    let mut previous = "";
    let mut block = SecretBlock::default();
    for line in hay.text.split_inclusive('\n') {
        let place = start;
        start += line.len();
        if line.len() > MAX_LINE_BYTES {
            previous = "";
            continue;
        }
        // A diff, a quoted mail and a log of a client put a sign before each line.
        let text = line.trim_end();
        let text = text.strip_prefix(['+', '-', '>', '<']).unwrap_or(text).trim_start();
        let offset = place + line.trim_end().len() - text.len();
        let in_block = block.value(line);
        let secret = login_file(text)
            .or_else(|| protocol(text, previous))
            .or_else(|| dialed(text))
            .or_else(|| cookie_file(text))
            .or_else(|| devices::secret_of(text, previous))
            .or_else(|| in_block.map(|value| text.len() - value..text.len()));
        let kind = SecretKind::Assignment;
        found.extend(secret.map(|span| Finding { kind, span: offset + span.start..offset + span.end }));
        previous = text;
    }
}

/// `host:port:database:user:password` of PostgreSQL.
fn login_file(line: &str) -> Option<Range<usize>> {
    if line.contains(char::is_whitespace) || line.contains("://") {
        return None;
    }
    let mut fields = line.splitn(5, ':');
    let (host, port, database, user, password) =
        (fields.next()?, fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    let is_number = |text: &str| text == "*" || (2..=5).contains(&text.len()) && is_digits(text);
    let is_word = |text: &str| {
        text == "*"
            || !text.is_empty()
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.$".contains(&byte))
    };
    let has_letters = |text: &str| text == "*" || text.bytes().any(|byte| byte.is_ascii_alphabetic());
    let is_login = is_word(host)
        && is_number(port)
        && [database, user].iter().all(|text| is_word(text) && has_letters(text))
        && (has_letters(host) || host.split('.').count() == 4);
    // `file:10:20:error:text`: what follows a colon in the output of a compiler has words and signs.
    let is_secret = is_secret_value(password, Strength::Password, Notation::Quoted)
        && !password.contains([':', '(', '['])
        && random_bits(password) >= 12.0;
    (is_login && is_secret && !is_digits(password)).then(|| line.len() - password.len()..line.len())
}

/// `client server secret addresses` of PPP: the third of four fields, before a star or an address.
fn dialed(line: &str) -> Option<Range<usize>> {
    let fields: Vec<&str> = line.split_ascii_whitespace().take(5).collect();
    let [_, server, secret, last] = fields[..] else { return None };
    let is_address = |text: &str| {
        text == "*" || text.split('.').count() == 4 && text.bytes().all(|byte| !byte.is_ascii_alphabetic())
    };
    let bare = secret.trim_matches(['"', '\'']);
    let is_server =
        server == "*" || server.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
    let start = line.rfind(secret)? + (secret.len() - secret.trim_start_matches(['"', '\'']).len());
    (is_address(last) && is_server && is_likely(bare)).then(|| start..start + bare.len())
}

/// The value of a line of `cookies.txt`: seven fields, of which two are true or false.
fn cookie_file(line: &str) -> Option<Range<usize>> {
    let fields: Vec<&str> = line.splitn(7, '\t').collect();
    let [_, all, _, secure, time, _, value] = fields[..] else { return None };
    let is_flag = |text: &str| text == "TRUE" || text == "FALSE";
    let is_cookie = is_flag(all) && is_flag(secure) && is_digits(time) && value.len() >= 8;
    (is_cookie && random_bits(value) >= 25.0).then(|| line.len() - value.len()..line.len())
}

/// The values below `stringData:` of a Kubernetes secret, whatever their names are.
#[derive(Debug, Default)]
struct SecretBlock {
    /// How far the heading is indented, while its values follow.
    indent: Option<usize>,
}

impl SecretBlock {
    /// How long the secret at the end of a line is, if the line is in a block.
    fn value(&mut self, line: &str) -> Option<usize> {
        let text = line.trim_end();
        let indent = text.len() - text.trim_start().len();
        if text.trim_start() == "stringData:" {
            self.indent = Some(indent);
            return None;
        }
        if self.indent.is_some_and(|heading| indent <= heading) {
            self.indent = None;
        }
        self.indent?;
        let (_, value) = text.split_once(": ")?;
        let bare = value.trim_matches(['"', '\'']);
        let is_secret =
            is_secret_value(bare, Strength::Password, Notation::Quoted) && random_bits(bare) >= 12.0;
        is_secret.then_some(value.len())
    }
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The credential of a line that a client sends.
fn protocol(line: &str, previous: &str) -> Option<Range<usize>> {
    if previous.ends_with(PASSWORD_PROMPT) {
        let answer = line.strip_prefix("C: ").unwrap_or(line);
        let is_secret = answer.len() >= 4 && !answer.contains(' ') && !is_placeholder(answer);
        return is_secret.then(|| line.len() - answer.len()..line.len());
    }
    // `C: AUTH …`, `127.0.0.1:6379> AUTH …`
    let body =
        line.strip_prefix("C: ").unwrap_or_else(|| line.split_once("> ").map_or(line, |(_, body)| body));
    let words: Vec<&str> = body.split(' ').take(6).collect();
    let last = words.last()?;
    let span = line.len().checked_sub(last.len())?..line.len();
    let bare = last.trim_matches('"');
    let is_secret = match words[..] {
        ["AUTH", "PLAIN" | "LOGIN" | "XOAUTH2" | "CRAM-MD5", _] => last.len() >= 8,
        ["AUTH" | "auth", _] | ["AUTH" | "auth", _, _] => is_likely(bare),
        ["HELLO", _, "AUTH", _, _] | ["CONFIG", "SET", "requirepass" | "masterauth", _] => bare.len() >= 4,
        ["PASS", _] if previous.starts_with("USER ") || previous.starts_with("331 ") => {
            bare.len() >= 4 && random_bits(bare) >= 6.0
        }
        ["PASS", _] => is_password(bare),
        [tag, "LOGIN" | "login", _, _]
            if tag.len() <= 8 && tag.ends_with(|sign: char| sign.is_ascii_digit()) =>
        {
            bare.len() >= 4
        }
        _ => false,
    };
    (is_secret && !is_placeholder(bare)).then_some(span)
}
