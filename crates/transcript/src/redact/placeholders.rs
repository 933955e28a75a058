//! What takes the place of a secret: the same for the same secret, wherever it stands.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use regex::Regex;

use super::kind::SecretKind;
use super::taken::Taken;

/// How placeholders begin.
const OPENING: &str = "[REDACTED:";
/// A secret that is shorter than this may be an everyday word elsewhere: it is replaced only where a rule found it.
const SHORTEST_EVERYWHERE: usize = 8;

/// The placeholders of all secrets that were found so far. It holds secrets: it is never written or shown.
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
    /// The placeholder of a secret; a new secret gets the next number of its kind.
    pub fn of(&mut self, kind: SecretKind, secret: &str) -> String {
        if let Some(known) = self.of_secret.get(secret) {
            return known.clone();
        }
        let count = self.counts.entry(kind).or_default();
        *count += 1;
        let placeholder = format!("{OPENING}{kind}:{count}]");
        self.of_secret.insert(secret.to_owned(), placeholder.clone());
        self.everywhere = None;
        placeholder
    }

    /// How many secrets of each kind there are.
    pub fn counts(&self) -> &BTreeMap<SecretKind, usize> {
        &self.counts
    }

    /// Every place of a text where a secret stands that is known already, with what takes its place.
    pub fn find(&mut self, text: &str) -> Vec<(Range<usize>, String)> {
        if self.of_secret.is_empty() {
            return Vec::new();
        }
        if self.everywhere.is_none() {
            // Where one secret begins another, the longer one is meant.
            let mut secrets: Vec<_> =
                self.of_secret.keys().filter(|secret| secret.len() >= SHORTEST_EVERYWHERE).collect();
            secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
            let all: Vec<_> = secrets.into_iter().map(|secret| regex::escape(secret)).collect();
            // An empty alternation would match everywhere.
            let pattern = if all.is_empty() { r"[^\s\S]".to_owned() } else { all.join("|") };
            self.everywhere = regex::RegexBuilder::new(&pattern).size_limit(usize::MAX).build().ok();
        }
        let hits = self.everywhere.iter().flat_map(|everywhere| everywhere.find_iter(text));
        let mut taken = Taken::default();
        for ours in placeholder_spans(text) {
            taken.take(&ours);
        }
        hits.filter(|hit| taken.take(&hit.range()))
            .filter_map(|hit| Some((hit.range(), self.of_secret.get(hit.as_str())?.clone())))
            .collect()
    }
}

/// Where placeholders of ours stand in a text.
pub(super) fn placeholder_spans(text: &str) -> Vec<Range<usize>> {
    let starts = memchr::memmem::find_iter(text.as_bytes(), OPENING.as_bytes());
    let span = |start: usize| {
        let length = text.as_bytes()[start..].iter().take(64).position(|&byte| byte == b']')?;
        Some(start..start + length + 1)
    };
    starts.filter_map(span).collect()
}

/// As much of a secret as may be shown: at most four characters, and never more than a quarter.
pub fn masked(secret: &str) -> String {
    let shown = 4.min(secret.chars().count() / 4);
    let head: String =
        secret.chars().take(shown).map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    format!("{head}…")
}
