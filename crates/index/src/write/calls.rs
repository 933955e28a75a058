//! Writes tool calls: call and result may be in different batches, in any order.

use std::collections::BTreeMap;

use rusqlite::params;

use super::RowWriter;
use crate::error::IndexError;
use crate::extract::CallRow;

impl RowWriter<'_> {
    pub(super) fn calls(&mut self, file: i64, calls: &BTreeMap<String, CallRow>) -> Result<(), IndexError> {
        for (id, call) in calls {
            let tool = match &call.tool {
                Some(tool) => Some(self.names.number(&self.transaction, tool)?),
                None => None,
            };
            let path = match &call.path {
                Some(path) => Some(self.paths.number(&self.transaction, path)?),
                None => None,
            };
            // Fields that this batch does not know keep their values; the first result stays.
            self.transaction
                .prepare_cached(
                    "INSERT INTO main.tool_calls VALUES (NULL, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
                     ON CONFLICT (file, tool_use) DO UPDATE SET
                       tool = coalesce(excluded.tool, tool), called = coalesce(excluded.called, called),
                       started = coalesce(excluded.started, started), path = coalesce(excluded.path, path),
                       prompt = coalesce(excluded.prompt, prompt), input = max(excluded.input, input),
                       is_error = iif(answered IS NULL, excluded.is_error, is_error),
                       ended = iif(answered IS NULL, excluded.ended, ended),
                       agent = iif(answered IS NULL, excluded.agent, agent),
                       result = iif(answered IS NULL, excluded.result, result),
                       answered = coalesce(answered, excluded.answered)",
                )?
                .execute(params![
                    file,
                    id,
                    tool,
                    call.called.map(|line| line as i64),
                    call.answered.map(|line| line as i64),
                    call.started,
                    call.ended,
                    call.is_error,
                    path,
                    call.agent,
                    call.prompt,
                    call.input as i64,
                    call.result as i64,
                ])?;
        }
        Ok(())
    }
}
