//! Writes files and their cursors.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::RowWriter;
use crate::cursor::{Cursor, FileStamp};
use crate::error::IndexError;
use crate::extract::{Batch, IndexedFile, IndexedFileRole};

/// The file exists.
const THERE: i64 = 0;
/// The file was deleted; its rows are kept.
const GONE: i64 = 1;

/// A file in the index.
#[derive(Clone, Debug)]
pub(crate) struct KnownFile {
    pub(crate) id: i64,
    pub(crate) indexed_file: IndexedFile,
    pub(crate) is_there: bool,
    pub(crate) cursor: Cursor,
}

const COLUMNS: &str = "id, path, role, slug, session, agent, identity, bytes, modified, state, offset, lines, records, \
     is_open, prefix, tail";

fn of_row(row: &Row<'_>) -> rusqlite::Result<KnownFile> {
    let count = |at: usize| row.get::<_, i64>(at).map(|number| number as u64);
    Ok(KnownFile {
        id: row.get(0)?,
        indexed_file: IndexedFile {
            path: row.get(1)?,
            role: IndexedFileRole::from_number(row.get(2)?).unwrap_or(IndexedFileRole::Session),
            slug: row.get(3)?,
            session: row.get(4)?,
            agent: row.get(5)?,
        },
        is_there: row.get::<_, i64>(9)? == THERE,
        cursor: Cursor {
            stamp: FileStamp { identity: row.get(6)?, bytes: count(7)?, modified: row.get(8)? },
            offset: count(10)?,
            lines: count(11)?,
            records: count(12)?,
            is_open: row.get(13)?,
            prefix: row.get(14)?,
            tail: row.get(15)?,
        },
    })
}

pub(crate) fn known_files(connection: &Connection) -> Result<Vec<KnownFile>, IndexError> {
    let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM files"))?;
    let files = statement.query_map([], of_row)?;
    Ok(files.collect::<Result<_, _>>()?)
}

/// An existing file by its path relative to the config dir.
pub(crate) fn known_file(connection: &Connection, path: &str) -> Result<Option<KnownFile>, IndexError> {
    let sql = format!("SELECT {COLUMNS} FROM files WHERE path = ?1 AND state = {THERE}");
    Ok(connection.prepare_cached(&sql)?.query_row([path], of_row).optional()?)
}

impl RowWriter<'_> {
    /// Marks a file as deleted. Its rows stay, and its responses count if no existing file has them.
    pub(crate) fn mark_gone(&mut self, id: i64) -> Result<(), IndexError> {
        self.mark(id, GONE)
    }

    /// Marks a deleted file as existing again.
    pub(crate) fn mark_there(&mut self, id: i64) -> Result<(), IndexError> {
        self.mark(id, THERE)
    }

    fn mark(&mut self, id: i64, state: i64) -> Result<(), IndexError> {
        self.transaction.prepare_cached("UPDATE files SET state = ?2 WHERE id = ?1")?.execute([id, state])?;
        self.touch_responses(id)
    }

    /// Changes the path or the owner of a file; its rows stay.
    pub(crate) fn rename(&mut self, id: i64, indexed_file: &IndexedFile) -> Result<(), IndexError> {
        self.transaction
            .prepare_cached(
                "UPDATE files SET path = ?2, role = ?3, slug = ?4, session = ?5, agent = ?6, state = 0 WHERE id = ?1",
            )?
            .execute(params![id, indexed_file.path, indexed_file.role.number(), indexed_file.slug, indexed_file.session, indexed_file.agent])?;
        self.touch_responses(id)
    }

    /// The file of a batch that replaces: new, or with its rows removed.
    pub(super) fn begin_file(&mut self, batch: &Batch) -> Result<i64, IndexError> {
        let known: Option<i64> = self
            .transaction
            .prepare_cached("SELECT id FROM files WHERE path = ?1")?
            .query_row([&batch.indexed_file.path], |row| row.get(0))
            .optional()?;
        if let Some(id) = known {
            self.forget(id)?;
            self.rename(id, &batch.indexed_file)?;
            self.set_cursor(id, &batch.cursor)?;
            return Ok(id);
        }
        let Batch { indexed_file, cursor, .. } = batch;
        self.transaction
            .prepare_cached(&format!("INSERT INTO files ({COLUMNS}) VALUES (NULL, ?1, ?2, ?3, ?4, ?5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)"))?
            .execute(params![indexed_file.path, indexed_file.role.number(), indexed_file.slug, indexed_file.session, indexed_file.agent])?;
        let id = self.transaction.last_insert_rowid();
        self.set_cursor(id, cursor)?;
        Ok(id)
    }

    /// The file of a batch that appends, if it starts where the last one ended.
    pub(super) fn append_to(&mut self, batch: &Batch) -> Result<Option<i64>, IndexError> {
        let known: Option<(i64, i64)> = self
            .transaction
            .prepare_cached("SELECT id, offset FROM files WHERE path = ?1")?
            .query_row([&batch.indexed_file.path], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let Some((id, _)) = known.filter(|(_, offset)| *offset as u64 == batch.from) else { return Ok(None) };
        self.set_cursor(id, &batch.cursor)?;
        Ok(Some(id))
    }

    fn set_cursor(&mut self, id: i64, cursor: &Cursor) -> Result<(), IndexError> {
        let Cursor { stamp, offset, lines, records, is_open, prefix, tail } = cursor;
        self.transaction
            .prepare_cached(
                "UPDATE files SET identity = ?2, bytes = ?3, modified = ?4, state = 0, offset = ?5, lines = ?6,
                 records = ?7, is_open = ?8, prefix = ?9, tail = ?10 WHERE id = ?1",
            )?
            .execute(params![
                id,
                stamp.identity,
                stamp.bytes as i64,
                stamp.modified,
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
