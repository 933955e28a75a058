//! One block of a conversation.

use std::path::PathBuf;

use rusqlite::Row;

use super::passages::ConversationFile;
use crate::extract::{MessageKind, MessageRole, text_of_block};
use crate::search::{long_uuid, read_part};

/// Longer lines are not read for their text.
const MAX_LINE_BYTES: u64 = 64 * 1024 * 1024;

/// One block of a conversation: a prompt, a reply, a tool call, a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    /// The line, counted from 1.
    pub line: u64,
    /// The number of the block in its line, from 0.
    pub block: u32,
    /// The record's uuid.
    pub uuid: Option<String>,
    /// Who produced it.
    pub role: MessageRole,
    pub kind: MessageKind,
    /// The tool that was called or answered.
    pub tool: Option<String>,
    /// The file that its call is about.
    pub path: Option<String>,
    /// When, in milliseconds since 1970.
    pub millis: Option<i64>,
    /// Whether it is the result of a call that failed.
    pub is_error: bool,
    /// The bytes of its text.
    pub bytes: u64,
    offset: u64,
    length: u64,
}

impl Passage {
    /// The columns that [`Passage::of_row`] reads.
    pub(super) const COLUMNS: &str = "messages.line, messages.block, messages.uuid, messages.role, messages.kind,
        (SELECT name FROM names WHERE names.id = messages.tool), (SELECT name FROM paths WHERE paths.id = messages.path),
        messages.millis, messages.is_error, messages.bytes, messages.offset, messages.length";

    pub(super) fn of_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let count = |at: usize| row.get::<_, i64>(at).map(|number| number as u64);
        Ok(Self {
            line: count(0)?,
            block: row.get(1)?,
            uuid: row.get::<_, Option<Vec<u8>>>(2)?.as_deref().map(long_uuid),
            role: MessageRole::from_number(row.get(3)?).unwrap_or(MessageRole::System),
            kind: MessageKind::from_number(row.get(4)?).unwrap_or(MessageKind::Context),
            tool: row.get(5)?,
            path: row.get(6)?,
            millis: row.get(7)?,
            is_error: row.get(8)?,
            bytes: count(9)?,
            offset: count(10)?,
            length: count(11)?,
        })
    }

    /// Reads its text, as far as it can be searched; `None` if the file is gone. `copy` finds the file of a deleted session.
    pub fn text(
        &self,
        file: &ConversationFile,
        copy: &mut dyn FnMut(&str, &str) -> Option<PathBuf>,
    ) -> Option<String> {
        let path = file.readable_path(copy)?;
        let bytes = read_part(&path, self.offset, self.length.min(MAX_LINE_BYTES))?;
        text_of_block(file.role, &bytes, self.block)
    }
}
