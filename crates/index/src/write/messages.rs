//! Writes messages; their words are written elsewhere.

use rusqlite::{OptionalExtension, params};

use super::RowWriter;
use super::names::NameTable;
use crate::error::IndexError;
use crate::extract::{Batch, MessageRow};
use crate::words::NumberedBatch;

impl RowWriter<'_> {
    pub(super) fn messages(&mut self, file: i64, numbered: &NumberedBatch) -> Result<(), IndexError> {
        let batch = &numbered.batch;
        let calls = batch
            .messages
            .iter()
            .map(|message| self.call_of(file, batch, message))
            .collect::<Result<Vec<_>, _>>()?;
        let mut row = self.transaction.prepare_cached(
            "INSERT INTO messages VALUES (?16, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
        )?;
        for ((number, message), (tool, path)) in (numbered.first..).zip(&batch.messages).zip(calls) {
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
                message.parent,
                number,
            ])?;
        }
        Ok(())
    }

    /// The tool and path of a message: those of the call that it is or answers.
    fn call_of(
        &mut self,
        file: i64,
        batch: &Batch,
        message: &MessageRow,
    ) -> Result<(Option<i64>, Option<i64>), IndexError> {
        let tool =
            message.tool.as_ref().map(|name| self.names.number(&self.transaction, name)).transpose()?;
        let Some(id) = &message.call else { return Ok((tool, None)) };
        // The call may be in an earlier batch.
        if let Some(call) = batch.calls.get(id).filter(|call| call.called.is_some()) {
            let number = |names: &mut NameTable, name: &Option<String>| {
                name.as_ref().map(|name| names.number(&self.transaction, name)).transpose()
            };
            return Ok((number(&mut self.names, &call.tool)?, number(&mut self.paths, &call.path)?));
        }
        let known = self
            .transaction
            .prepare_cached("SELECT tool, path FROM main.tool_calls WHERE file = ?1 AND tool_use = ?2")?
            .query_row(params![file, id], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        Ok(known.unwrap_or((tool, None)))
    }

    /// Removes the words of messages that get no rows after all.
    pub(super) fn forget_numbers(&mut self, numbers: std::ops::Range<i64>) -> Result<(), IndexError> {
        let mut statement = self.transaction.prepare_cached("INSERT OR IGNORE INTO forgotten VALUES (?1)")?;
        for number in numbers {
            statement.execute([number])?;
        }
        Ok(())
    }

    pub(super) fn forget_messages(&mut self, file: i64) -> Result<(), IndexError> {
        let sql = "INSERT OR IGNORE INTO forgotten SELECT id FROM messages WHERE file = ?1";
        self.transaction.execute(sql, [file])?;
        self.transaction.execute("DELETE FROM messages WHERE file = ?1", [file])?;
        Ok(())
    }
}
