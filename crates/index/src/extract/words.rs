//! Text as it is searched for: parts of names in camelCase beside the names, characters of scripts without spaces one by
//! one, and no endless runs of letters.

use std::collections::HashSet;
use std::fmt::Write as _;

/// A run of letters and digits that is longer is no word: its beginning stands for it.
const LONGEST_WORD: usize = 64;

/// The text that goes into the index.
pub(crate) fn searchable(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 64);
    let mut parts = Parts::default();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.bytes().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        out.push_str(&word[..end.min(LONGEST_WORD)]);
        if (3..=LONGEST_WORD).contains(&end) {
            parts.of(word);
        }
        let end = behind.bytes().position(|byte| byte.is_ascii_alphanumeric()).unwrap_or(behind.len());
        let (between, behind) = behind.split_at(end);
        match between.is_ascii() {
            true => out.push_str(between),
            false => spaced(between, &mut out),
        }
        rest = behind;
    }
    if !parts.text.is_empty() {
        out.push('\n');
        out.push_str(&parts.text);
    }
    out
}

/// Characters that are words of their own get room.
fn spaced(text: &str, out: &mut String) {
    for letter in text.chars() {
        match stands_alone(letter) {
            true => drop(write!(out, " {letter} ")),
            false => out.push(letter),
        }
    }
}

/// Whether a script has no spaces between words: Chinese, Japanese, Thai and their like.
pub(crate) fn stands_alone(letter: char) -> bool {
    matches!(letter as u32, 0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3040..=0x30FF
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

/// Parts of names, each once.
#[derive(Default)]
struct Parts {
    seen: HashSet<u64>,
    text: String,
}

impl Parts {
    fn of(&mut self, word: &str) {
        let bytes = word.as_bytes();
        // Most words have no hump.
        if !bytes[1..].iter().any(u8::is_ascii_uppercase) || !bytes.iter().any(u8::is_ascii_lowercase) {
            return;
        }
        if !self.seen.insert(hash(bytes)) {
            return;
        }
        let mut start = 0;
        for at in 1..=bytes.len() {
            if at == bytes.len() || is_hump(bytes, at) {
                let part = &word[start..at];
                if part.len() > 1 && self.seen.insert(hash(part.as_bytes())) {
                    self.text.push_str(part);
                    self.text.push(' ');
                }
                start = at;
            }
        }
    }
}

/// Whether a part begins here: `aB`, or the `B` of `AABb`.
fn is_hump(bytes: &[u8], at: usize) -> bool {
    let is_upper = bytes[at].is_ascii_uppercase();
    let follows_lower = !bytes[at - 1].is_ascii_uppercase();
    let before_lower = bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
    is_upper && (follows_lower || before_lower)
}

fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::searchable;

    #[test]
    fn parts_of_names_stand_behind_the_text() {
        assert_eq!(searchable("plain words, no humps"), "plain words, no humps");
        assert_eq!(searchable("getUserName(x)"), "getUserName(x)\nget User Name ");
        assert_eq!(searchable("HTTPServer HTTP httpServer"), "HTTPServer HTTP httpServer\nHTTP Server ");
        assert_eq!(searchable("über größeGanz"), "über größeGanz\nGanz ");
        assert_eq!(searchable("日本x"), " 日  本 x");
        assert_eq!(searchable(&"a".repeat(100)), "a".repeat(64));
    }
}
