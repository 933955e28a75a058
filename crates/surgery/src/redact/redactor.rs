//! Replaces secrets in what is shown or exported; nothing is changed in a store.

use annals_transcript::redact::{
    CallLog, FileText, JsonContext, Placeholders, SecretRules, replacements, rewrite_json,
};

use super::files::RedactFile;
use super::{MAX_ROUNDS, RedactError, redact_files};

/// The rules, and the secrets found so far: one that was found once is replaced everywhere, by the same placeholder. The calls of
/// records are remembered for their results.
#[derive(Debug)]
pub struct Redactor {
    rules: SecretRules,
    known: Placeholders,
    calls: CallLog,
}

impl Redactor {
    /// A redactor that has found nothing yet.
    pub fn new(rules: SecretRules) -> Self {
        Self { rules, known: Placeholders::default(), calls: CallLog::default() }
    }

    /// Replaces every secret of files that are read together, such as a session and its sub-agents.
    pub fn files(&mut self, files: Vec<RedactFile>) -> Result<Vec<RedactFile>, RedactError> {
        redact_files(files, &self.rules, &mut self.known)
    }

    /// Returns a record without secrets.
    pub fn record(&mut self, mut record: Vec<u8>) -> Vec<u8> {
        let Self { rules, known, calls } = self;
        let last = calls.last_message();
        for _ in 0..MAX_ROUNDS {
            calls.return_to(&last);
            let mut look = |seen: FileText<'_>| {
                for finding in rules.find_in(&seen) {
                    known.of(finding.kind, &seen.text[finding.span]);
                }
                replacements(&seen, rules, known)
            };
            match rewrite_json(&record, JsonContext::Record, calls, &mut look) {
                Some(new) => record = new,
                None => break,
            }
        }
        record
    }

    /// Whether the rules find no secret in a text.
    pub fn finds_nothing(&self, text: &str) -> bool {
        self.rules.find(text).is_empty()
    }

    /// Returns a text without secrets.
    pub fn text(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        for _ in 0..MAX_ROUNDS {
            let mut found: Vec<_> = self.rules.find(&text).into_iter().collect();
            found.sort_by_key(|finding| std::cmp::Reverse(finding.span.start));
            if found.is_empty() {
                break;
            }
            let mut end = usize::MAX;
            for finding in found {
                // Of two that overlap, the rest is found in the next round.
                if finding.span.end <= end {
                    end = finding.span.start;
                    let placeholder = self.known.of(finding.kind, &text[finding.span.clone()]);
                    text.replace_range(finding.span, &placeholder);
                }
            }
        }
        self.known_secrets_replaced(text)
    }

    /// Returns a text without the secrets that were found before.
    pub fn known_secrets_replaced(&mut self, mut text: String) -> String {
        for (span, placeholder) in self.known.find(&text).into_iter().rev() {
            text.replace_range(span, &placeholder);
        }
        text
    }
}
