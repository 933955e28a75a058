//! The rules by which secrets are found: those of the project, and the user's own patterns.

use std::collections::BTreeSet;
use std::ops::Range;

use regex::Regex;

use super::base64::is_data;
use super::kind::SecretKind;
use super::placeholders::placeholder_spans;
use super::rewrite::Seen;
use super::taken::Taken;
use super::visit::PlaceKind;
use super::{named, shapes, urls};

/// Where in a text a secret stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What kind it is.
    pub kind: SecretKind,
    /// Its bytes.
    pub span: Range<usize>,
}

/// A pattern that is no regular expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    /// What is wrong with it.
    pub message: String,
}

impl std::fmt::Display for PatternError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for PatternError {}

impl From<regex::Error> for PatternError {
    fn from(error: regex::Error) -> Self {
        Self { message: error.to_string() }
    }
}

/// What is looked for.
#[derive(Clone, Debug)]
pub struct Rules {
    shapes: Regex,
    words: Regex,
    kinds: BTreeSet<SecretKind>,
    patterns: Vec<Regex>,
}

impl Rules {
    /// Secrets of these kinds (none named: of all) and whatever the patterns match.
    pub fn new(kinds: &[SecretKind], patterns: &[String]) -> Result<Self, PatternError> {
        let chosen = if kinds.is_empty() { &SecretKind::ALL[..] } else { kinds };
        let patterns: Result<Vec<_>, _> = patterns.iter().map(|pattern| Regex::new(pattern)).collect();
        Ok(Self {
            shapes: shapes::expression()?,
            words: named::expression()?,
            kinds: chosen.iter().copied().collect(),
            patterns: patterns?,
        })
    }

    /// Every secret of a text, in order; no two overlap.
    pub fn find(&self, text: &str) -> Vec<Finding> {
        let mut found = Vec::new();
        if is_data(text) {
            return found;
        }
        shapes::find(&self.shapes, text, &mut found);
        urls::find(text, &mut found);
        named::find(&self.words, text, &mut found);
        found.retain(|finding| self.kinds.contains(&finding.kind));
        for pattern in &self.patterns {
            let hits = pattern.find_iter(text).filter(|hit| !hit.is_empty());
            found.extend(hits.map(|hit| Finding { kind: SecretKind::Pattern, span: hit.range() }));
        }
        apart(text, found)
    }

    /// What can be nothing but a secret, wherever it stands: known by its shape alone.
    pub fn find_shapes(&self, text: &str) -> Vec<Finding> {
        let mut found = Vec::new();
        if !is_data(text) {
            shapes::find(&self.shapes, text, &mut found);
        }
        found.retain(|finding| self.kinds.contains(&finding.kind));
        apart(text, found)
    }

    /// Every secret of a text, by what is looked for where it stands.
    pub fn find_seen(&self, seen: &Seen<'_>) -> Vec<Finding> {
        match seen.kind {
            PlaceKind::RecordKey => self.find_shapes(seen.text),
            PlaceKind::Text | PlaceKind::Thought | PlaceKind::Key => self.find_named(seen.name, seen.text),
        }
    }

    /// The same for the value of a field, whose name may say that it is secret.
    pub fn find_named(&self, name: &str, text: &str) -> Vec<Finding> {
        let whole = named::of_field(&self.words, name, text).filter(|whole| self.kinds.contains(&whole.kind));
        let found = self.find(text);
        match whole {
            Some(whole) if found.is_empty() => vec![whole],
            _ => found,
        }
    }
}

/// Drops what is a placeholder, and what overlaps: what was found first by a rule that knows more stays.
fn apart(text: &str, mut found: Vec<Finding>) -> Vec<Finding> {
    if found.is_empty() {
        return found;
    }
    let mut taken = Taken::default();
    for ours in placeholder_spans(text) {
        taken.take(&ours);
    }
    found.retain(|finding| taken.take(&finding.span));
    found.sort_by_key(|finding| finding.span.start);
    found
}
