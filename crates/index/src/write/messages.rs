//! Messages and their words.

use rusqlite::{OptionalExtension, params};

use super::Writer;
use crate::error::IndexError;
use crate::extract::{Batch, Kind, MessageRow};

/// The table of words that a kind of message is in.
pub(crate) fn words_table(kind: Kind) -> &'static str {
    match kind {
        Kind::Prompt | Kind::Title => "words_said",
        Kind::Response | Kind::Thinking | Kind::Error | Kind::Plan => "words_replied",
        Kind::ToolCall | Kind::ToolResult | Kind::Context => "words_shown",
    }
}

impl Writer<'_> {
    pub(super) fn messages(&mut self, file: i64, batch: &Batch) -> Result<(), IndexError> {
        for message in &batch.messages {
            let tool = self.tool_of(file, batch, message)?;
            self.transaction
                .prepare_cached("INSERT INTO messages VALUES (NULL, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)")?
                .execute(params![
                    file,
                    message.line as i64,
                    message.offset as i64,
                    message.length as i64,
                    message.block,
                    message.role.number(),
                    message.kind.number(),
                    message.millis,
                    message.uuid,
                    tool,
                    message.is_error,
                    message.bytes as i64,
                    message.indexed as i64,
                ])?;
            let id = self.transaction.last_insert_rowid();
            let table = words_table(message.kind);
            self.transaction
                .prepare_cached(&format!("INSERT INTO {table} (rowid, body) VALUES (?1, ?2)"))?
                .execute(params![id, message.words])?;
        }
        Ok(())
    }

    /// The tool of a message: its own, or that of the call that it answers.
    fn tool_of(&mut self, file: i64, batch: &Batch, message: &MessageRow) -> Result<Option<i64>, IndexError> {
        if let Some(name) = &message.tool {
            return Ok(Some(self.names.number(&self.transaction, name)?));
        }
        let Some(call) = &message.answers else { return Ok(None) };
        if let Some(name) = batch.calls.get(call).and_then(|call| call.tool.as_ref()) {
            return Ok(Some(self.names.number(&self.transaction, name)?));
        }
        let known = self
            .transaction
            .prepare_cached("SELECT tool FROM tool_calls WHERE file = ?1 AND tool_use = ?2")?
            .query_row(params![file, call], |row| row.get(0))
            .optional()?;
        Ok(known.flatten())
    }

    pub(super) fn forget_messages(&mut self, file: i64) -> Result<(), IndexError> {
        for table in ["words_said", "words_replied", "words_shown"] {
            let kinds: Vec<String> = Kind::ALL
                .iter()
                .filter(|kind| words_table(**kind) == table)
                .map(|kind| kind.number().to_string())
                .collect();
            let theirs =
                format!("SELECT id FROM messages WHERE file = ?1 AND kind IN ({})", kinds.join(", "));
            self.transaction.execute(&format!("DELETE FROM {table} WHERE rowid IN ({theirs})"), [file])?;
        }
        self.transaction.execute("DELETE FROM messages WHERE file = ?1", [file])?;
        Ok(())
    }
}
