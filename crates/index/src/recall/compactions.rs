//! Where the context of a conversation was compacted.

use std::path::PathBuf;

use annals_json::Value;
use annals_store::read::read_file;
use memchr::{memchr_iter, memmem, memrchr};

use super::passages::ConversationFile;
use crate::error::IndexError;

/// What a line says that marks a compaction.
const BOUNDARY: &str = "compact_boundary";

impl ConversationFile {
    /// The lines that mark compactions, in their order, counted from 1. Reads the file.
    pub fn compactions(
        &self,
        copy: &mut dyn FnMut(&str, &str) -> Option<PathBuf>,
    ) -> Result<Vec<u64>, IndexError> {
        let Some(path) = self.readable_path(copy) else { return Ok(Vec::new()) };
        Ok(boundaries(&read_file(&path)?))
    }
}

fn boundaries(bytes: &[u8]) -> Vec<u64> {
    let mut lines = Vec::new();
    let (mut number, mut counted) = (1, 0);
    let mut end = 0;
    for at in memmem::find_iter(bytes, BOUNDARY.as_bytes()) {
        if at < end {
            continue;
        }
        let start = memrchr(b'\n', &bytes[..at]).map_or(0, |before| before + 1);
        end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |after| at + after);
        number += memchr_iter(b'\n', &bytes[counted..start]).count() as u64;
        counted = start;
        // The word may be in a text.
        let line = Value::parse(bytes[start..end].trim_ascii()).ok();
        let is_boundary = line.is_some_and(|line| {
            let is = |key: &str, text: &str| {
                line.get(key).and_then(Value::text).is_some_and(|found| found.is(text))
            };
            is("type", "system") && is("subtype", BOUNDARY)
        });
        if is_boundary {
            lines.push(number);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_records_of_that_kind_are_boundaries() {
        let file = concat!(
            "{\"type\":\"user\",\"message\":{\"content\":\"compact_boundary compact_boundary\"}}\n",
            "\n",
            "{\"type\":\"system\",\"subtype\":\"compact_boundary\"}\n",
            "{\"type\":\"user\",\"subtype\":\"compact_boundary\"}\n",
            "{\"type\":\"system\",\"subtype\":\"compact_boundary\"}",
        );
        assert_eq!(boundaries(file.as_bytes()), [3, 5]);
        assert_eq!(boundaries(b""), [0; 0]);
    }
}
