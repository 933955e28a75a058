//! The rules that find secrets: built-in ones and patterns of the user.

use std::collections::BTreeSet;
use std::ops::Range;

use regex::Regex;

use super::base64::is_data;
use super::kind::SecretKind;
use super::placeholders::placeholder_spans;
use super::ranges::ClaimedRanges;
use super::rewrite::FileText;
use super::visit::TextKind;
use super::{named, shapes, urls};

/// A secret in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The kind.
    pub kind: SecretKind,
    /// Its byte range.
    pub span: Range<usize>,
}

/// A pattern that is not a valid regular expression.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PatternError {
    /// The error message.
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

/// The rules that find secrets.
#[derive(Clone, Debug)]
pub struct SecretRules {
    shapes: Regex,
    words: Regex,
    kinds: BTreeSet<SecretKind>,
    patterns: Vec<Regex>,
}

impl SecretRules {
    /// Finds secrets of these kinds (all if empty) and matches of these patterns.
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

    /// Returns the secrets of a text, in order, without overlap.
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
        without_overlaps(text, found)
    }

    /// Returns the secrets that are certain by their format alone.
    pub fn find_shapes(&self, text: &str) -> Vec<Finding> {
        let mut found = Vec::new();
        if !is_data(text) {
            shapes::find(&self.shapes, text, &mut found);
        }
        found.retain(|finding| self.kinds.contains(&finding.kind));
        without_overlaps(text, found)
    }

    /// Returns the secrets of a text, with the rules for its kind.
    pub fn find_in(&self, text: &FileText<'_>) -> Vec<Finding> {
        match text.kind {
            TextKind::RecordKey => self.find_shapes(text.text),
            TextKind::Text | TextKind::Thought | TextKind::Key => self.find_named(text.name, text.text),
        }
    }

    /// Returns the secrets of the value of a field, whose name may announce one.
    pub fn find_named(&self, name: &str, text: &str) -> Vec<Finding> {
        let whole = named::of_field(&self.words, name, text).filter(|whole| self.kinds.contains(&whole.kind));
        let found = self.find(text);
        match whole {
            Some(whole) if found.is_empty() => vec![whole],
            _ => found,
        }
    }
}

/// Drops placeholders and overlaps; the finding of the more specific rule stays.
fn without_overlaps(text: &str, mut found: Vec<Finding>) -> Vec<Finding> {
    if found.is_empty() {
        return found;
    }
    let mut claimed = ClaimedRanges::default();
    for ours in placeholder_spans(text) {
        claimed.claim(&ours);
    }
    found.retain(|finding| claimed.claim(&finding.span));
    found.sort_by_key(|finding| finding.span.start);
    found
}
