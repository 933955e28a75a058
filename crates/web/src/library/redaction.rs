//! Removes secrets before anything is shown to others, by the rules of `annals redact`.

use std::sync::Mutex;

use annals_transcript::redact::{
    FileText, JsonContext, Placeholders, SecretRules, replacements, rewrite_json,
};

/// How often a text is searched again: each replacement may uncover another secret.
const MAX_ROUNDS: usize = 8;

/// The rules, and the secrets found so far: one that was found once is replaced everywhere.
#[derive(Debug)]
pub(crate) struct Redaction {
    rules: SecretRules,
    known: Mutex<Placeholders>,
}

impl Redaction {
    pub(super) fn new(rules: SecretRules) -> Self {
        Self { rules, known: Mutex::default() }
    }

    /// A record without secrets.
    pub(crate) fn record(&self, mut record: Vec<u8>) -> Vec<u8> {
        let mut known = self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        for _ in 0..MAX_ROUNDS {
            let mut look = |seen: FileText<'_>| {
                for finding in self.rules.find_in(&seen) {
                    known.of(finding.kind, &seen.text[finding.span]);
                }
                replacements(&seen, &self.rules, &mut known)
            };
            match rewrite_json(&record, JsonContext::Record, &mut look) {
                Some(new) => record = new,
                None => break,
            }
        }
        record
    }

    /// A text without secrets.
    pub(crate) fn text(&self, text: &str) -> String {
        let mut known = self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut text = text.to_owned();
        for _ in 0..MAX_ROUNDS {
            let mut found: Vec<_> = self.rules.find(&text).into_iter().collect();
            found.sort_by_key(|finding| std::cmp::Reverse(finding.span.start));
            if found.is_empty() {
                break;
            }
            let mut end = usize::MAX;
            for finding in found.into_iter().filter(|finding| {
                let is_apart = finding.span.end <= end;
                if is_apart {
                    end = finding.span.start;
                }
                is_apart
            }) {
                let placeholder = known.of(finding.kind, &text[finding.span.clone()]);
                text.replace_range(finding.span, &placeholder);
            }
        }
        for (span, placeholder) in known.find(&text).into_iter().rev() {
            text.replace_range(span, &placeholder);
        }
        text
    }
}
