//! Placeholders for secrets: the same secret always gets the same one.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use regex::Regex;

use super::kind::SecretKind;
use super::ranges::ClaimedRanges;

/// The start of a placeholder.
const PLACEHOLDER_PREFIX: &str = "[REDACTED:";
/// A shorter secret may be an ordinary word elsewhere: it is replaced only where a rule found it.
const MIN_GLOBAL_BYTES: usize = 8;

/// The placeholders of all secrets found so far. It holds secrets: never write or show it.
#[derive(Clone, Default)]
pub struct Placeholders {
    of_secret: HashMap<String, String>,
    counts: BTreeMap<SecretKind, usize>,
    everywhere: Option<Regex>,
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
        let count = self.counts.entry(kind).or_default();
        *count += 1;
        let placeholder = format!("{PLACEHOLDER_PREFIX}{kind}:{count}]");
        self.of_secret.insert(secret.to_owned(), placeholder.clone());
        self.everywhere = None;
        placeholder
    }

    /// The number of secrets of each kind.
    pub fn counts(&self) -> &BTreeMap<SecretKind, usize> {
        &self.counts
    }

    /// Finds known secrets in a text, with their placeholders.
    pub fn find(&mut self, text: &str) -> Vec<(Range<usize>, String)> {
        if self.of_secret.is_empty() {
            return Vec::new();
        }
        if self.everywhere.is_none() {
            // If one secret is the start of another, the longer one wins.
            let mut secrets: Vec<_> =
                self.of_secret.keys().filter(|secret| secret.len() >= MIN_GLOBAL_BYTES).collect();
            secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
            let all: Vec<_> = secrets.into_iter().map(|secret| regex::escape(secret)).collect();
            // An empty alternation would match everywhere.
            let pattern = if all.is_empty() { r"[^\s\S]".to_owned() } else { all.join("|") };
            self.everywhere = regex::RegexBuilder::new(&pattern).size_limit(usize::MAX).build().ok();
        }
        let hits = self.everywhere.iter().flat_map(|everywhere| everywhere.find_iter(text));
        let mut claimed = ClaimedRanges::default();
        for ours in placeholder_spans(text) {
            claimed.claim(&ours);
        }
        hits.filter(|hit| claimed.claim(&hit.range()))
            .filter_map(|hit| Some((hit.range(), self.of_secret.get(hit.as_str())?.clone())))
            .collect()
    }
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
