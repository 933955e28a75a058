//! The paths that an argument may name: all of it, what is joined to an option, what follows `=`, `@`, `<`, `:` and the like, and
//! what a `file:` address leads to. Programs differ in what they take for a path; here everything is one that can be.

use std::borrow::Cow;

use crate::paths::Workspace;

/// What stands between a path and the rest of an argument.
const BETWEEN: [char; 16] =
    ['=', '@', '<', '>', ':', ',', ';', '|', '&', '(', ')', '"', '\'', '`', ' ', '\n'];

/// The most that are looked at in one argument.
const MAX_CANDIDATES: usize = 300;

/// A long argument is text.
const MAX_LENGTH: usize = 4096;

/// The paths that an argument may name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PathCandidates {
    /// The argument, and its value after `=`: paths, where a program takes paths.
    pub(super) sure: Vec<String>,
    /// Parts of it, which some programs take for paths.
    pub(super) parts: Vec<String>,
}

/// Every path that an argument may name; `None` where there are too many.
pub(super) fn candidates(argument: &str, workspace: &Workspace) -> Option<PathCandidates> {
    let value = argument.split_once('=').map(|(_, value)| value).filter(|value| !value.is_empty());
    let sure: Vec<_> = std::iter::once(argument).chain(value).map(|path| expanded(path, workspace)).collect();
    if argument.len() > MAX_LENGTH {
        return None;
    }
    let mut found: Vec<String> = Vec::new();
    let mut add = |path: &str| {
        let path = expanded(path, workspace);
        if !path.is_empty() && !found.contains(&path) && !sure.contains(&path) {
            found.push(path);
        }
    };
    let (before, address) = match argument.find("://") {
        Some(at) => argument.split_at(
            argument[..at].rfind(|letter: char| !letter.is_ascii_alphanumeric()).map_or(0, |at| at + 1),
        ),
        None => (argument, ""),
    };
    if let Some(path) = local(address) {
        add(&path);
    }
    for value in std::iter::once(before).chain(joined(before)) {
        add(value);
        for (at, letter) in value.char_indices().filter(|(_, letter)| BETWEEN.contains(letter)) {
            add(&value[at + letter.len_utf8()..]);
        }
        value.split(BETWEEN).for_each(&mut add);
    }
    (found.len() <= MAX_CANDIDATES).then_some(PathCandidates { sure, parts: found })
}

/// The values that may be joined to the letters of an option: `-T.env`, `-xzf.env`, `+.env`.
fn joined(argument: &str) -> impl Iterator<Item = &str> {
    let letters = argument.strip_prefix(['-', '+']).filter(|rest| !rest.starts_with('-')).unwrap_or_default();
    let taken = letters.char_indices().take_while(|(_, letter)| letter.is_ascii_alphanumeric()).take(8);
    let values = taken.map(|(at, _)| &letters[at + 1..]);
    values.chain(argument.strip_prefix('+'))
}

/// The path of an address of this machine: `file:///x`, `file://localhost/x`.
fn local(address: &str) -> Option<String> {
    let lower = address.to_ascii_lowercase();
    let rest = &address[lower.starts_with("file://").then_some("file://".len())?..];
    let path = rest.find('/').map_or(rest, |at| &rest[at..]);
    let path = path.split(['?', '#', '"', '\'', ' ']).next().unwrap_or(path);
    Some(decoded(path).into_owned())
}

/// `%2e` is a dot.
fn decoded(path: &str) -> Cow<'_, str> {
    if !path.contains('%') {
        return Cow::Borrowed(path);
    }
    let mut out = Vec::new();
    let mut rest = path.as_bytes();
    while let [first, behind @ ..] = rest {
        let digits = behind.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                out.push(byte);
                rest = &behind[2..];
            }
            None => {
                out.push(*first);
                rest = behind;
            }
        }
    }
    Cow::Owned(String::from_utf8_lossy(&out).into_owned())
}

/// A path that begins in the home folder; programs and shells expand `~` in many places.
fn expanded(path: &str, workspace: &Workspace) -> String {
    match (path.strip_prefix("~/"), workspace.home()) {
        (Some(below), Some(home)) => home.join(below).to_string_lossy().into_owned(),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test has nobody to hand an error to")]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::paths::Disk;

    #[test]
    fn a_path_is_found_however_it_is_joined() {
        let root = Path::new("/nowhere");
        let workspace = Workspace::new(&Disk, root, root, Some(Path::new("/home/u")));
        let all = |argument: &str| {
            let found = candidates(argument, &workspace).unwrap();
            [found.sure, found.parts].concat()
        };
        for argument in [
            ".env",
            "-T.env",
            "-K.env",
            "-xzf.env",
            "--file=.env",
            "@.env",
            "-d@.env",
            "f=@.env",
            "f=<.env",
            "f=@.env;type=text",
            "HEAD:.env",
            ".env:/x",
            "host:.env",
            "type=bind,source=.env,target=/x",
            "exec=cat .env",
            "open('.env')",
            "+.env",
        ] {
            assert!(all(argument).contains(&".env".to_owned()), "{argument}");
        }
        for (argument, path) in [
            ("file:///w/.env", "/w/.env"),
            ("file://localhost/w/%2eenv", "/w/.env"),
            ("url=FILE:///w/.env", "/w/.env"),
            ("-o~/.bashrc", "/home/u/.bashrc"),
            ("--output=~/.bashrc", "/home/u/.bashrc"),
        ] {
            assert!(all(argument).contains(&path.to_owned()), "{argument}");
        }
        assert_eq!(all("https://example.com/.env"), ["https://example.com/.env"]);
        assert_eq!(candidates(&"a,".repeat(400), &workspace), None);
    }
}
