//! Placeholders for secrets: the same secret always gets the same one.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};

use super::formats::is_word_byte;
use super::kind::SecretKind;
use super::ranges::ClaimedRanges;
use super::values::is_distinct;
use super::view::View;
use super::windows::{Window, windows};

/// The start of a placeholder.
const PLACEHOLDER_PREFIX: &str = "[REDACTED:";

/// The placeholders of all secrets found so far. It holds secrets: never write or show it.
#[derive(Clone, Default)]
pub struct Placeholders {
    of_secret: HashMap<String, String>,
    counts: BTreeMap<SecretKind, usize>,
    /// Secrets that are replaced also where no rule finds them: any other may be an ordinary word elsewhere.
    distinct: Vec<String>,
    everywhere: Option<AhoCorasick>,
}

impl std::fmt::Debug for Placeholders {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Placeholders({:?})", self.counts)
    }
}

impl Placeholders {
    /// Returns the placeholder of a secret; a new secret gets the next number of its kind.
    pub fn of(&mut self, kind: SecretKind, secret: &str) -> String {
        if let Some(known) = self.of_secret.get(secret) {
            return known.clone();
        }
        // The same secret may be escaped or wrapped elsewhere.
        let plain = plain(kind, secret);
        let placeholder = match self.of_secret.get(&plain) {
            Some(known) => known.clone(),
            None => {
                let count = self.counts.entry(kind).or_default();
                *count += 1;
                format!("{PLACEHOLDER_PREFIX}{kind}:{count}]")
            }
        };
        if kind.is_format() || kind != SecretKind::Pattern && is_distinct(&plain) {
            self.distinct.push(plain.clone());
            self.everywhere = None;
        }
        self.of_secret.insert(secret.to_owned(), placeholder.clone());
        self.of_secret.insert(plain, placeholder.clone());
        placeholder
    }

    /// The number of secrets of each kind.
    pub fn counts(&self) -> &BTreeMap<SecretKind, usize> {
        &self.counts
    }

    /// Finds known secrets in a text where they stand alone, with their placeholders.
    pub fn find(&mut self, text: &str) -> Vec<(Range<usize>, String)> {
        if self.distinct.is_empty() {
            return Vec::new();
        }
        if self.everywhere.is_none() {
            // If one secret is the start of another, the longer one wins.
            let builder = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&self.distinct);
            self.everywhere = builder.ok();
        }
        let mut claimed = ClaimedRanges::default();
        for ours in placeholder_spans(text) {
            claimed.claim(&ours);
        }
        let mut found = Vec::new();
        for Window { range, taken } in windows(text) {
            let view = View::of(&text[range.clone()]);
            for hit in self.everywhere.iter().flat_map(|all| all.find_iter(view.text.as_ref())) {
                let inside = view.source(&hit.range());
                let span = range.start + inside.start..range.start + inside.end;
                if taken.contains(&span.start)
                    && stands_alone(&view.text, &hit.range())
                    && let Some(placeholder) = self.of_secret.get(&view.text[hit.range()])
                    && claimed.claim(&span)
                {
                    found.push((span, placeholder.clone()));
                }
            }
        }
        found
    }
}

/// A secret without escapes and without the line breaks of a terminal.
fn plain(kind: SecretKind, secret: &str) -> String {
    let view = View::of(secret);
    let is_block = kind == SecretKind::PrivateKey || kind == SecretKind::Pattern;
    match is_block || !view.text.contains('\n') {
        true => view.text.into_owned(),
        false => view.text.split_whitespace().collect(),
    }
}

/// Whether a range is a token of its own, and not a part of a longer word.
fn stands_alone(text: &str, span: &Range<usize>) -> bool {
    let bytes = text.as_bytes();
    let is_word = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(|byte| is_word_byte(*byte));
    let joins = |outside: Option<usize>, inside: usize| is_word(outside) && is_word(Some(inside));
    !joins(span.start.checked_sub(1), span.start) && !joins(Some(span.end), span.end - 1)
}

/// Returns the ranges of placeholders in a text.
pub(super) fn placeholder_spans(text: &str) -> Vec<Range<usize>> {
    let starts = memchr::memmem::find_iter(text.as_bytes(), PLACEHOLDER_PREFIX.as_bytes());
    let span = |start: usize| {
        let length = text.as_bytes()[start..].iter().take(64).position(|&byte| byte == b']')?;
        Some(start..start + length + 1)
    };
    starts.filter_map(span).collect()
}

/// Shortens a secret for display: at most four characters, and at most a quarter of it.
pub fn masked(secret: &str) -> String {
    let shown = 4.min(secret.chars().count() / 4);
    let head: String =
        secret.chars().take(shown).map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    format!("{head}…")
}
