//! Replaces secrets in what is exported; the files of the store stay as they are.

use std::path::Path;

use annals_surgery::redact::{FileFormat, RedactFile, Redactor};
use annals_transcript::redact::SecretRules;

use crate::error::Fault;
use crate::session::{AgentFile, ResolvedSession};

/// Replaces the secrets of a session and its sub-agents, the user's own patterns too; returns the redactor, for texts from
/// elsewhere.
pub(super) fn redact(
    target: &ResolvedSession,
    patterns: &[String],
    bytes: &mut Vec<u8>,
    agents: &mut [AgentFile],
) -> Result<Redactor, Fault> {
    let rules = SecretRules::new(&[], patterns).map_err(|error| Fault::internal(error.to_string()))?;
    let file = |path: &Path, bytes: &mut Vec<u8>| RedactFile {
        path: path.to_path_buf(),
        format: FileFormat::Lines,
        bytes: std::mem::take(bytes).into(),
    };
    let mut files = vec![file(&target.path, bytes)];
    files.extend(agents.iter_mut().map(|agent| file(&agent.entry.path, &mut agent.bytes)));
    let mut redactor = Redactor::new(rules);
    let files = redactor.files(files).map_err(|error| Fault::damage(error.to_string()))?;
    let places = std::iter::once(bytes).chain(agents.iter_mut().map(|agent| &mut agent.bytes));
    places.zip(files).for_each(|(place, file)| *place = file.bytes.into_vec());
    Ok(redactor)
}
