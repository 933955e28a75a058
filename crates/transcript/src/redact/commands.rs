//! Passwords among the arguments of programs: `curl -u name:password`, `mysql -pPASSWORD`, `sshpass -p PASSWORD`.

use std::ops::Range;

use aho_corasick::{AhoCorasick, BuildError, MatchKind};

use super::evidence::is_password;
use super::formats::is_word_byte;
use super::haystack::{Alphabet, Haystack};
use super::kind::SecretKind;
use super::programs::PasswordArgument::{self, Attached, Exact, Last, Login, Next, Place, UserAndPassword};
use super::programs::{POSSIBLE_READERS, PROGRAMS, READERS};
use super::rules::Finding;
use super::values::{is_likely, is_path, is_placeholder, is_varied};
use super::words::random_bits;

/// Arguments that are looked at after the name of a program.
const MAX_ARGUMENTS: usize = 64;
const MAX_ARGUMENT_BYTES: usize = 512;
/// A user's name with more random bits is a token.
const MIN_TOKEN_BITS: f64 = 60.0;
/// How much of a command after a pipe is looked at.
const MAX_READER_BYTES: usize = 120;

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
            if hit.start() < done || !is_program {
                continue;
            }
            let (name, options) = PROGRAMS[hit.pattern().as_usize()];
            if matches!(name, "echo" | "printf" | "yes") {
                found.extend(piped(hay, hit.end()));
            } else {
                done = passwords(hay, hit.end(), options, found);
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
    let mut places = PositionalArguments::default();
    for _ in 0..MAX_ARGUMENTS {
        let Some((span, next)) = argument(hay, at) else { break };
        let text = &hay.text[span.clone()];
        if matches!(text, "|" | ";" | "&&" | "||" | "&") {
            break;
        }
        at = next;
        is_login |= text == "login";
        places.note(span.clone(), text);
        if let Some(option) = awaited.take() {
            found.extend(password(hay, span, option));
            continue;
        }
        for &option in options {
            let (Next(flag) | Exact(flag) | Attached(flag) | UserAndPassword(flag) | Login(flag)) = option
            else {
                continue;
            };
            if matches!(option, Exact(_)) && text != flag {
                continue;
            }
            let is_inside = matches!(flag, "%" | "/");
            let rest = match text.find(flag).filter(|place| *place == 0 || is_inside) {
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
    found.extend(options.iter().filter_map(|option| password(hay, places.of(hay, *option)?, *option)));
    at
}

/// The arguments of a command by their places.
#[derive(Debug, Default)]
struct PositionalArguments {
    words: Vec<Range<usize>>,
    flags: String,
}

impl PositionalArguments {
    fn note(&mut self, span: Range<usize>, text: &str) {
        if text.starts_with(['-', '/']) && text.len() < 24 {
            self.flags.push_str(text);
        } else if self.words.len() < 8 {
            self.words.push(span);
        }
    }

    /// The argument that an option asks for.
    fn of(&self, hay: &Haystack<'_>, option: PasswordArgument) -> Option<Range<usize>> {
        match option {
            Place(command, place) => {
                let wanted = command.split_ascii_whitespace();
                let words = wanted.clone().count();
                let is_command =
                    wanted.zip(&self.words).all(|(wanted, word)| hay.text[word.clone()].starts_with(wanted));
                self.words.get(words + place).filter(|_| is_command).cloned()
            }
            Last(letter) => {
                let is_there = self.flags.contains(letter) && self.words.len() >= 2;
                self.words.last().filter(|_| is_there).cloned()
            }
            Next(_) | Exact(_) | Attached(_) | UserAndPassword(_) | Login(_) => None,
        }
    }
}

/// The argument of `echo` that is piped into a program that reads a password.
fn piped(hay: &Haystack<'_>, at: usize) -> Option<Finding> {
    let (mut span, mut next) = argument(hay, at)?;
    for _ in 0..2 {
        // `echo -n`, `printf '%s'`
        let text = &hay.text[span.clone()];
        if text.starts_with('-') && text.len() <= 3 || text.starts_with("%s") {
            (span, next) = argument(hay, next)?;
        }
    }
    let mut pipe = hay.skip(next, 8, |byte| byte == b' ');
    // `(echo old; echo new) | passwd`
    let is_joined = hay.text[span.clone()].ends_with(';');
    if is_joined || hay.byte(next) == b';' {
        span.end -= usize::from(is_joined);
        pipe = hay.skip(pipe, MAX_READER_BYTES, |byte| !b"|\n".contains(&byte));
    }
    let end = hay.skip(pipe, MAX_READER_BYTES, |byte| byte != b'\n');
    let reader = String::from_utf8_lossy(hay.bytes.get(pipe..end).unwrap_or_default());
    let is_reader = |names: &[&str]| names.iter().any(|name| reader.contains(name));
    let reads = is_reader(READERS) || is_reader(POSSIBLE_READERS) && is_likely(&hay.text[span.clone()]);
    if hay.byte(pipe) != b'|' || !reads {
        return None;
    }
    let has_user = hay.text[span.clone()].contains(':') && reader.contains("passwd");
    password(hay, span, if has_user { UserAndPassword("") } else { Next("") })
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
        let colon = text.find([':', ','])?;
        // `-u TOKEN:` has a token in place of a name.
        if colon + 1 == text.len() {
            let token = span.start..span.start + colon;
            let is_token = random_bits(&text[..colon]) >= MIN_TOKEN_BITS && is_varied(&text[..colon]);
            return is_token.then_some(Finding { kind: SecretKind::Assignment, span: token });
        }
        span.start += colon + 1;
    } else if option == Attached("/") {
        // `user/password@database`
        span.end = span.start + text.find('@').unwrap_or(text.len());
    }
    let password = &hay.text[span.clone()];
    let is_number =
        matches!(option, UserAndPassword(_)) && password.bytes().all(|byte| byte.is_ascii_digit());
    // A place says less than a flag: the word may be one of a sentence.
    let is_word = matches!(option, Place(..) | Last(_) | Attached("/"))
        && random_bits(password) < 12.0
        && !is_password(password);
    let is_secret = (3..=MAX_ARGUMENT_BYTES).contains(&password.len())
        && !is_number
        && !is_word
        && !is_path(password)
        && !password.starts_with(['-', '$', '<', '(', '='])
        && !password.contains(['(', '{'])
        && !is_placeholder(password);
    is_secret.then_some(Finding { kind: SecretKind::Assignment, span })
}

fn is_quote(byte: u8) -> bool {
    byte == b'"' || byte == b'\''
}
