//! Passwords among the arguments of programs: `curl -u name:password`, `mysql -pPASSWORD`, `sshpass -p PASSWORD`.

use std::ops::Range;

use aho_corasick::{AhoCorasick, BuildError, MatchKind};

use super::formats::is_word_byte;
use super::haystack::{Alphabet, Haystack};
use super::kind::SecretKind;
use super::rules::Finding;
use super::values::is_placeholder;

/// Arguments that are looked at after the name of a program.
const MAX_ARGUMENTS: usize = 64;
const MAX_ARGUMENT_BYTES: usize = 512;

/// How a program takes a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PasswordArgument {
    /// The next argument, or the rest of this one.
    Next(&'static str),
    /// The rest of this argument only; the next one is something else.
    Attached(&'static str),
    /// The part after the colon of the next argument, or of the rest of this one.
    UserAndPassword(&'static str),
    /// The next argument, if the command logs in.
    Login(&'static str),
}

use PasswordArgument::{Attached, Login, Next, UserAndPassword};

const CURL: &[PasswordArgument] = &[
    UserAndPassword("-u"),
    UserAndPassword("--user"),
    UserAndPassword("--proxy-user"),
    UserAndPassword("-U"),
];
const MYSQL: &[PasswordArgument] = &[Attached("-p")];
const LDAP: &[PasswordArgument] = &[Next("-w")];
const MONGO: &[PasswordArgument] = &[Next("-p")];
const LOGIN: &[PasswordArgument] = &[Login("-p")];
const ARCHIVE: &[PasswordArgument] = &[Next("-P")];

/// Programs, and how they take passwords.
const PROGRAMS: &[(&str, &[PasswordArgument])] = &[
    ("curl", CURL),
    ("http", &[UserAndPassword("-a"), UserAndPassword("--auth")]),
    ("xh", &[UserAndPassword("-a"), UserAndPassword("--auth")]),
    ("ab", &[UserAndPassword("-A")]),
    ("sshpass", &[Next("-p")]),
    ("mysql", MYSQL),
    ("mysqldump", MYSQL),
    ("mysqladmin", MYSQL),
    ("mysqlimport", MYSQL),
    ("mysqlsh", MYSQL),
    ("mariadb", MYSQL),
    ("mariadb-dump", MYSQL),
    ("mariadb-admin", MYSQL),
    ("redis-cli", &[Next("-a")]),
    ("mongo", MONGO),
    ("mongosh", MONGO),
    ("mongodump", MONGO),
    ("mongorestore", MONGO),
    ("mongoexport", MONGO),
    ("mongoimport", MONGO),
    ("cqlsh", &[Next("-p")]),
    ("docker", LOGIN),
    ("podman", LOGIN),
    ("nerdctl", LOGIN),
    ("buildah", LOGIN),
    ("skopeo", LOGIN),
    ("helm", LOGIN),
    ("crane", LOGIN),
    ("oras", LOGIN),
    ("az", LOGIN),
    ("oc", LOGIN),
    ("cf", LOGIN),
    ("sqlcmd", ARCHIVE),
    ("bcp", ARCHIVE),
    ("ldapsearch", LDAP),
    ("ldapmodify", LDAP),
    ("ldapadd", LDAP),
    ("ldapwhoami", LDAP),
    ("ldapdelete", LDAP),
    ("unzip", ARCHIVE),
    ("zip", ARCHIVE),
    ("7z", MYSQL),
    ("7za", MYSQL),
    ("openssl", &[Attached("pass:")]),
    ("smbclient", &[Attached("%")]),
    ("xfreerdp", &[Attached("/p:")]),
    ("rabbitmqadmin", &[Next("-p")]),
    ("influx", &[Next("-t"), Next("-p")]),
    ("ipmitool", &[Next("-P")]),
];

/// The programs, ready to be searched for.
#[derive(Clone, Debug)]
pub(super) struct CommandRules(AhoCorasick);

impl CommandRules {
    pub(super) fn new() -> Result<Self, BuildError> {
        let names = PROGRAMS.iter().map(|(name, _)| name);
        Ok(Self(AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(names)?))
    }

    /// Finds the passwords in command lines.
    pub(super) fn find(&self, hay: &Haystack<'_>, found: &mut Vec<Finding>) {
        hay.count(hay.bytes.len());
        let mut done = 0;
        for hit in self.0.find_iter(hay.text) {
            let is_program = !is_word_byte(hay.before(hit.start()))
                && hay.before(hit.start()) != b'-'
                && matches!(hay.byte(hit.end()), b' ' | b'\t' | b'\\');
            if hit.start() >= done && is_program {
                done = passwords(hay, hit.end(), PROGRAMS[hit.pattern().as_usize()].1, found);
            }
        }
    }
}

/// Finds the passwords among the arguments that follow; returns where the command ends.
fn passwords(
    hay: &Haystack<'_>,
    mut at: usize,
    options: &[PasswordArgument],
    found: &mut Vec<Finding>,
) -> usize {
    let mut awaited = None;
    let mut is_login = false;
    for _ in 0..MAX_ARGUMENTS {
        let Some((span, next)) = argument(hay, at) else { break };
        let text = &hay.text[span.clone()];
        if matches!(text, "|" | ";" | "&&" | "||" | "&") {
            break;
        }
        at = next;
        is_login |= text == "login";
        if let Some(option) = awaited.take() {
            found.extend(password(hay, span, option));
            continue;
        }
        for &option in options {
            let (Next(flag) | Attached(flag) | UserAndPassword(flag) | Login(flag)) = option;
            let rest = match text.find(flag).filter(|place| *place == 0 || flag == "%") {
                Some(place) => span.start + place + flag.len()..span.end,
                None => continue,
            };
            if rest.is_empty() {
                let takes_next = !matches!(option, Attached(_)) && (is_login || !matches!(option, Login(_)));
                awaited = takes_next.then_some(option);
            } else if flag.starts_with("--") && hay.byte(rest.start) == b'=' {
                found.extend(password(hay, rest.start + 1..rest.end, option));
            } else if !flag.starts_with("--") && !matches!(option, Login(_)) {
                found.extend(password(hay, rest, option));
            }
            break;
        }
    }
    at
}

/// The next argument without its quotes, and where the one after it may begin.
fn argument(hay: &Haystack<'_>, at: usize) -> Option<(Range<usize>, usize)> {
    let mut start = hay.skip(at, 64, |byte| byte == b' ' || byte == b'\t');
    while hay.byte(start) == b'\\' && hay.byte(start + 1) == b'\n' {
        start = hay.skip(start + 2, 64, |byte| byte == b' ' || byte == b'\t');
    }
    let quoted = match hay.byte(start) {
        b'"' => Some(Alphabet::DoubleQuoted),
        b'\'' => Some(Alphabet::SingleQuoted),
        _ => None,
    };
    if let Some(alphabet) = quoted {
        let end = hay.end(start + 1, alphabet);
        return (hay.byte(end) != b'\n' && end > start).then_some((start + 1..end, end + 1));
    }
    let end = hay.end(start, Alphabet::Argument);
    // `-p'password'`: the quotes begin inside of the argument.
    let attached = match hay.byte(end) {
        b'"' => Some(Alphabet::DoubleQuoted),
        b'\'' => Some(Alphabet::SingleQuoted),
        _ => None,
    };
    if let Some(alphabet) = attached.filter(|_| end > start) {
        let closing = hay.end(end + 1, alphabet);
        return Some((start..closing, closing + 1));
    }
    (end > start).then_some((start..end, end))
}

fn password(hay: &Haystack<'_>, span: Range<usize>, option: PasswordArgument) -> Option<Finding> {
    let mut span = span;
    if is_quote(hay.byte(span.start)) {
        span.start += 1;
    }
    let text = hay.text.get(span.clone())?;
    if let UserAndPassword(_) = option {
        span.start += text.find(':')? + 1;
    }
    let password = &hay.text[span.clone()];
    let is_number =
        matches!(option, UserAndPassword(_)) && password.bytes().all(|byte| byte.is_ascii_digit());
    let is_secret = (3..=MAX_ARGUMENT_BYTES).contains(&password.len())
        && !is_number
        && !password.starts_with(['-', '$', '<', '(', '='])
        && !password.contains(['(', '{'])
        && !is_placeholder(password);
    is_secret.then_some(Finding { kind: SecretKind::Assignment, span })
}

fn is_quote(byte: u8) -> bool {
    byte == b'"' || byte == b'\''
}
