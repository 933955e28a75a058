//! Writes todos, file copies and history prompts.

use rusqlite::params;

use super::RowWriter;
use crate::error::IndexError;
use crate::extract::SideRow;

impl RowWriter<'_> {
    pub(super) fn sides(&mut self, file: i64, rows: &[SideRow]) -> Result<(), IndexError> {
        for row in rows {
            match row {
                SideRow::Todo { span, number, content, status, active_form, priority } => self
                    .transaction
                    .prepare_cached("INSERT INTO todo_items VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")?
                    .execute(params![
                        file,
                        span.line as i64,
                        span.offset as i64,
                        span.length as i64,
                        number,
                        content,
                        status,
                        active_form,
                        priority
                    ])?,
                // Every snapshot lists all copies again; the first one counts.
                SideRow::Version { span, path, version, copy, time } => self
                    .transaction
                    .prepare_cached(
                        "INSERT OR IGNORE INTO file_copies VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                    )?
                    .execute(params![
                        file,
                        path,
                        version,
                        span.line as i64,
                        span.offset as i64,
                        span.length as i64,
                        copy,
                        time
                    ])?,
                SideRow::Prompt { span, millis, project, session, words } => self
                    .transaction
                    .prepare_cached("INSERT INTO asked VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")?
                    .execute(params![
                        file,
                        span.line as i64,
                        span.offset as i64,
                        span.length as i64,
                        millis,
                        project,
                        session,
                        words
                    ])?,
            };
        }
        Ok(())
    }
}
