//! Messages and their words.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use rusqlite::{OptionalExtension, params};

use super::Writer;
use super::names::Names;
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
        let calls = batch
            .messages
            .iter()
            .map(|message| self.call_of(file, batch, message))
            .collect::<Result<Vec<_>, _>>()?;
        let mut row = self.transaction.prepare_cached(
            "INSERT INTO messages VALUES (NULL, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
        )?;
        let mut words = HashMap::new();
        for (message, (tool, path)) in batch.messages.iter().zip(calls) {
            row.execute(params![
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
                path,
                message.is_error,
                message.bytes as i64,
                message.indexed as i64,
            ])?;
            let id = self.transaction.last_insert_rowid();
            let table = words_table(message.kind);
            let statement = match words.entry(table) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(free) => {
                    let sql = format!("INSERT INTO {table} (rowid, body) VALUES (?1, ?2)");
                    free.insert(self.transaction.prepare_cached(&sql)?)
                }
            };
            statement.execute(params![id, message.words])?;
        }
        Ok(())
    }

    /// The tool and the file of a message: of the call that it is, or that it answers.
    fn call_of(
        &mut self,
        file: i64,
        batch: &Batch,
        message: &MessageRow,
    ) -> Result<(Option<i64>, Option<i64>), IndexError> {
        let tool =
            message.tool.as_ref().map(|name| self.names.number(&self.transaction, name)).transpose()?;
        let Some(id) = &message.call else { return Ok((tool, None)) };
        // The call itself may stand in an earlier batch.
        if let Some(call) = batch.calls.get(id).filter(|call| call.called.is_some()) {
            let number = |names: &mut Names, name: &Option<String>| {
                name.as_ref().map(|name| names.number(&self.transaction, name)).transpose()
            };
            return Ok((number(&mut self.names, &call.tool)?, number(&mut self.paths, &call.path)?));
        }
        let known = self
            .transaction
            .prepare_cached("SELECT tool, path FROM tool_calls WHERE file = ?1 AND tool_use = ?2")?
            .query_row(params![file, id], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        Ok(known.unwrap_or((tool, None)))
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
