//! Replaces secrets in what is exported; the files of the store stay as they are.

use annals_surgery::redact::{FileFormat, RedactFile, redacted};
use annals_transcript::redact::{Placeholders, SecretRules};

use crate::error::Fault;
use crate::session::{AgentFile, ResolvedSession};

/// The secrets that were found, with their placeholders.
pub(super) struct Redaction {
    rules: SecretRules,
    known: Placeholders,
}

impl Redaction {
    /// Replaces the secrets of a session and its sub-agents, the user's own patterns too: the same secret gets the same placeholder everywhere.
    pub(super) fn apply(
        target: &ResolvedSession,
        patterns: &[String],
        bytes: &mut Vec<u8>,
        agents: &mut [AgentFile],
    ) -> Result<Self, Fault> {
        let rules = SecretRules::new(&[], patterns).map_err(|error| Fault::internal(error.to_string()))?;
        let file = |path: &std::path::Path, bytes: &mut Vec<u8>| RedactFile {
            path: path.to_path_buf(),
            format: FileFormat::Lines,
            bytes: std::mem::take(bytes).into(),
        };
        let mut files = vec![file(&target.path, bytes)];
        files.extend(agents.iter_mut().map(|agent| file(&agent.entry.path, &mut agent.bytes)));
        let (files, known) = redacted(files, &rules).map_err(|error| Fault::damage(error.to_string()))?;
        let places = std::iter::once(bytes).chain(agents.iter_mut().map(|agent| &mut agent.bytes));
        places.zip(files).for_each(|(place, file)| *place = file.bytes.into_vec());
        Ok(Self { rules, known })
    }

    /// Replaces the secrets of a text that comes from elsewhere.
    pub(super) fn text(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        for (span, placeholder) in self.known.find(&text).into_iter().rev() {
            text.replace_range(span, &placeholder);
        }
        for finding in self.rules.find(&text).into_iter().rev() {
            let placeholder = self.known.of(finding.kind, &text[finding.span.clone()]);
            text.replace_range(finding.span, &placeholder);
        }
        text
    }
}
