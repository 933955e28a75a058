//! What the model was told and has in its context: it is not told again before a compaction.

use std::path::PathBuf;

use annals_json::Value;

/// What the model was told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ToldContext {
    /// The memory files that apply since a file was used.
    pub(super) memory: Vec<PathBuf>,
}

impl ToldContext {
    /// Reads what attachments of the session have told.
    pub(super) fn of(attachments: &[Vec<u8>]) -> Self {
        let mut told = Self::default();
        for attachment in attachments {
            let Ok(attachment) = Value::parse(attachment) else { continue };
            let text = |key: &str| attachment.get(key).and_then(Value::text).map(|text| text.to_string());
            if text("type").as_deref() == Some("nested_memory") {
                told.memory.extend(text("path").map(PathBuf::from));
            }
        }
        told
    }
}
