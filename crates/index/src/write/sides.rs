//! Todos, copies of edited files, prompts of the history.

use rusqlite::params;

use super::Writer;
use crate::error::IndexError;
use crate::extract::SideRow;

impl Writer<'_> {
    pub(super) fn sides(&mut self, file: i64, rows: &[SideRow]) -> Result<(), IndexError> {
        for row in rows {
            match row {
                SideRow::Todo { place, number, content, status } => self
                    .transaction
                    .prepare_cached("INSERT INTO todo_items VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?
                    .execute(params![
                        file,
                        place.line as i64,
                        place.offset as i64,
                        place.length as i64,
                        number,
                        content,
                        status
                    ])?,
                // Every snapshot lists all copies again: the first that does is where it was made.
                SideRow::Version { place, path, version, copy, time } => self
                    .transaction
                    .prepare_cached(
                        "INSERT OR IGNORE INTO file_copies VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                    )?
                    .execute(params![
                        file,
                        path,
                        *version as i64,
                        place.line as i64,
                        place.offset as i64,
                        place.length as i64,
                        copy,
                        time
                    ])?,
                SideRow::Prompt { place, millis, project, session, words } => self
                    .transaction
                    .prepare_cached("INSERT INTO asked VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")?
                    .execute(params![
                        file,
                        place.line as i64,
                        place.offset as i64,
                        place.length as i64,
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
