//! Files and their cursors.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::Writer;
use crate::cursor::{Cursor, Look};
use crate::error::IndexError;
use crate::extract::{Batch, FileRole, Subject};

/// A file is where the index says.
const THERE: i64 = 0;
/// It is not any more; its rows are kept.
const GONE: i64 = 1;

/// A file that the index knows.
#[derive(Clone, Debug)]
pub(crate) struct KnownFile {
    pub(crate) id: i64,
    pub(crate) subject: Subject,
    pub(crate) is_there: bool,
    pub(crate) cursor: Cursor,
}

const COLUMNS: &str = "id, path, role, slug, session, agent, identity, bytes, modified, state, offset, lines, records, \
     is_open, prefix, tail";

fn of_row(row: &Row<'_>) -> rusqlite::Result<KnownFile> {
    let count = |at: usize| row.get::<_, i64>(at).map(|number| number as u64);
    Ok(KnownFile {
        id: row.get(0)?,
        subject: Subject {
            path: row.get(1)?,
            role: FileRole::numbered(row.get(2)?).unwrap_or(FileRole::Session),
            slug: row.get(3)?,
            session: row.get(4)?,
            agent: row.get(5)?,
        },
        is_there: row.get::<_, i64>(9)? == THERE,
        cursor: Cursor {
            look: Look { identity: row.get(6)?, bytes: count(7)?, modified: row.get(8)? },
            offset: count(10)?,
            lines: count(11)?,
            records: count(12)?,
            is_open: row.get(13)?,
            prefix: row.get(14)?,
            tail: row.get(15)?,
        },
    })
}

/// Every file that the index knows.
pub(crate) fn known_files(connection: &Connection) -> Result<Vec<KnownFile>, IndexError> {
    let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM files"))?;
    let files = statement.query_map([], of_row)?;
    Ok(files.collect::<Result<_, _>>()?)
}

/// A file by its path below the config dir, if the index knows it and it is there.
pub(crate) fn known_file(connection: &Connection, path: &str) -> Result<Option<KnownFile>, IndexError> {
    let sql = format!("SELECT {COLUMNS} FROM files WHERE path = ?1 AND state = {THERE}");
    Ok(connection.prepare_cached(&sql)?.query_row([path], of_row).optional()?)
}

impl Writer<'_> {
    /// A file is not where it was; its rows stay, and what it cost counts where no file has it that is there.
    pub(crate) fn mark_gone(&mut self, id: i64) -> Result<(), IndexError> {
        self.mark(id, GONE)
    }

    /// A file is back.
    pub(crate) fn mark_there(&mut self, id: i64) -> Result<(), IndexError> {
        self.mark(id, THERE)
    }

    fn mark(&mut self, id: i64, state: i64) -> Result<(), IndexError> {
        self.transaction.prepare_cached("UPDATE files SET state = ?2 WHERE id = ?1")?.execute([id, state])?;
        self.touch_responses(id)
    }

    /// A file has another name, or belongs to another session now; what is known of it stays.
    pub(crate) fn rename(&mut self, id: i64, subject: &Subject) -> Result<(), IndexError> {
        self.transaction
            .prepare_cached(
                "UPDATE files SET path = ?2, role = ?3, slug = ?4, session = ?5, agent = ?6, state = 0 WHERE id = ?1",
            )?
            .execute(params![id, subject.path, subject.role.number(), subject.slug, subject.session, subject.agent])?;
        self.touch_responses(id)
    }

    /// The file of a batch that begins: new, or with all that was known of it forgotten.
    pub(super) fn begin_file(&mut self, batch: &Batch) -> Result<i64, IndexError> {
        let known: Option<i64> = self
            .transaction
            .prepare_cached("SELECT id FROM files WHERE path = ?1")?
            .query_row([&batch.subject.path], |row| row.get(0))
            .optional()?;
        if let Some(id) = known {
            self.forget(id)?;
            self.rename(id, &batch.subject)?;
            self.set_cursor(id, &batch.cursor)?;
            return Ok(id);
        }
        let Batch { subject, cursor, .. } = batch;
        self.transaction
            .prepare_cached(&format!("INSERT INTO files ({COLUMNS}) VALUES (NULL, ?1, ?2, ?3, ?4, ?5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)"))?
            .execute(params![subject.path, subject.role.number(), subject.slug, subject.session, subject.agent])?;
        let id = self.transaction.last_insert_rowid();
        self.set_cursor(id, cursor)?;
        Ok(id)
    }

    /// The file of a batch that goes on, if it does so where the last one ended.
    pub(super) fn go_on(&mut self, batch: &Batch) -> Result<Option<i64>, IndexError> {
        let known: Option<(i64, i64)> = self
            .transaction
            .prepare_cached("SELECT id, offset FROM files WHERE path = ?1")?
            .query_row([&batch.subject.path], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let Some((id, _)) = known.filter(|(_, offset)| *offset as u64 == batch.from) else { return Ok(None) };
        self.set_cursor(id, &batch.cursor)?;
        Ok(Some(id))
    }

    fn set_cursor(&mut self, id: i64, cursor: &Cursor) -> Result<(), IndexError> {
        let Cursor { look, offset, lines, records, is_open, prefix, tail } = cursor;
        self.transaction
            .prepare_cached(
                "UPDATE files SET identity = ?2, bytes = ?3, modified = ?4, state = 0, offset = ?5, lines = ?6,
                 records = ?7, is_open = ?8, prefix = ?9, tail = ?10 WHERE id = ?1",
            )?
            .execute(params![
                id,
                look.identity,
                look.bytes as i64,
                look.modified,
                *offset as i64,
                *lines as i64,
                *records as i64,
                is_open,
                prefix,
                tail
            ])?;
        Ok(())
    }
}
