//! The words of a text that speak for a secret near them: names that announce one, and words of logins.

use std::ops::Range;

use aho_corasick::{AhoCorasick, BuildError, MatchKind};

use super::vocabulary::{CODE_WORDS, ENTRY_PHRASES, LOGIN_PARTS, LOGIN_WORDS, PAIR_WORDS, TOPIC_PARTS};
use crate::redact::haystack::Haystack;
use crate::redact::languages::{self, ForeignWord, code_phrases, user_words};
use crate::redact::names::{self, Strength, TRIGGERS};
use crate::redact::words::parts;

/// Maximum bytes of a name.
const MAX_NAME_BYTES: usize = 64;

/// What a clue says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClueKind {
    /// It announces a secret as its value.
    Name(Strength),
    /// A password stands beside a user's name here.
    Login,
    /// It has to do with secrets.
    Topic,
}

/// A word that speaks for a secret near it.
#[derive(Clone, Debug)]
pub(super) struct Clue {
    pub(super) span: Range<usize>,
    pub(super) kind: ClueKind,
    /// Whether it is a word of other letters or of several words.
    pub(super) is_foreign: bool,
}

/// The words, ready to be searched for.
#[derive(Clone, Debug)]
pub(super) struct ClueRules {
    words: AhoCorasick,
    /// The words of other languages, which come last.
    foreign: Vec<ForeignWord>,
    first_foreign: usize,
    /// Before them are the words of other languages for users and codes.
    first_user: usize,
}

impl ClueRules {
    pub(super) fn new() -> Result<Self, BuildError> {
        let names = TRIGGERS.iter().copied().chain(languages::triggers());
        let others = LOGIN_WORDS.iter().chain(CODE_WORDS).copied();
        let mut words: Vec<String> = names.chain(others).map(str::to_owned).collect();
        let first_user = words.len();
        words.extend(user_words().chain(code_phrases()).map(str::to_owned));
        let first_foreign = words.len();
        let mut foreign = Vec::new();
        for (word, kind) in languages::spellings() {
            words.push(word);
            foreign.push(kind);
        }
        let words = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::LeftmostLongest)
            .build(words)?;
        Ok(Self { words, foreign, first_foreign, first_user })
    }

    /// Finds all clues, in order.
    pub(super) fn find(&self, hay: &Haystack<'_>) -> Vec<Clue> {
        hay.count(hay.bytes.len());
        let in_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
        let mut found: Vec<Clue> = Vec::new();
        let mut done = 0;
        for hit in self.words.find_iter(hay.text) {
            if hit.start() < done {
                continue;
            }
            let foreign = hit.pattern().as_usize().checked_sub(self.first_foreign);
            if let Some(word) = foreign.and_then(|at| self.foreign.get(at)) {
                let end = languages::word_end(hay.text, hit.end());
                done = end;
                let kind = ClueKind::Name(Strength::of(*word));
                found.push(Clue { span: hit.start()..end, kind, is_foreign: true });
                continue;
            }
            let start = hay.back(hit.start(), MAX_NAME_BYTES, in_name).max(done);
            // `try ann`: the next word is another one.
            let is_whole = hay.before(hit.end()) == b' ';
            let end = if is_whole { hit.end() } else { hay.skip(hit.end(), MAX_NAME_BYTES, in_name) };
            done = end;
            let Some(name) = hay.text.get(start..end).map(|name| name.trim_end_matches(['.', '-'])) else {
                continue;
            };
            let span = start..(start + name.len()).max(hit.end());
            let name = hay.text.get(span.clone()).unwrap_or(name);
            let is_user = hit.pattern().as_usize() >= self.first_user;
            let kind = kind(hay, &span, name).or(is_user.then_some(ClueKind::Topic));
            found.extend(kind.map(|kind| Clue { span, kind, is_foreign: false }));
        }
        found
    }
}

/// What a name or a word says.
fn kind(hay: &Haystack<'_>, span: &Range<usize>, name: &str) -> Option<ClueKind> {
    let before = || {
        let end = span.start.checked_sub(1).filter(|end| hay.byte(*end) == b' ')?;
        let word = hay.back(end, MAX_NAME_BYTES, |byte| byte.is_ascii_alphabetic());
        // "my weather key", but not "my cache key".
        let is_mine = hay.bytes[..word].ends_with(b"my ") || hay.bytes[..word].ends_with(b"our ");
        let before = hay.text.get(word..end)?;
        names::strength_of_words(before, name)
            .or_else(|| (is_mine && names::is_own_key(before, name)).then_some(Strength::Strong))
    };
    if span.len() > MAX_NAME_BYTES {
        return None;
    }
    if let Some(strength) = names::strength(name).or_else(before) {
        return Some(ClueKind::Name(strength));
    }
    let is_pair_word = |part: &str| PAIR_WORDS.contains(part.to_ascii_lowercase().as_str());
    let lower = name.to_ascii_lowercase();
    if parts(name).any(is_pair_word)
        || LOGIN_PARTS.iter().chain(ENTRY_PHRASES).any(|word| lower.contains(word))
    {
        return Some(ClueKind::Login);
    }
    let is_topic = LOGIN_WORDS.contains(&lower.as_str())
        || CODE_WORDS.contains(&lower.as_str())
        || TOPIC_PARTS.iter().any(|topic| lower.contains(topic));
    is_topic.then_some(ClueKind::Topic)
}
