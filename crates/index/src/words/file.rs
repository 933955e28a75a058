//! The database of words: where it lies, its tables, and whether it goes with the rows.

use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::database;
use crate::error::IndexError;

const SCHEMA: &str = include_str!("words.sql");
/// So much of the words is kept in memory while they are written, in KiB.
const KEPT_KIB: u32 = 16 * 1024;

/// Where the words of an index lie.
pub(crate) fn path_beside(index: &Path) -> PathBuf {
    index.with_extension("words")
}

/// Opens it to be written.
pub(crate) fn open(path: &Path) -> Result<Connection, IndexError> {
    database::open(path, KEPT_KIB)
}

/// Makes it anew, without words.
pub(crate) fn make(index: &Path, form: i64) -> Result<(), IndexError> {
    let path = path_beside(index);
    database::remove(&path)?;
    Ok(database::make_tables(&open(&path)?, SCHEMA, form)?)
}

/// Lets the words be asked through the connection to the rows.
pub(crate) fn attach(connection: &Connection, index: &Path) -> rusqlite::Result<()> {
    // As bytes: a path need not be text.
    let path = path_beside(index);
    connection.execute("ATTACH DATABASE ?1 AS words", [path.as_os_str().as_encoded_bytes()])?;
    Ok(())
}

/// Whether the words are of this form, and reach as far as the rows: after the power failed they may not.
pub(crate) fn go_with(connection: &Connection, form: i64) -> rusqlite::Result<bool> {
    let theirs: i64 = connection.query_row("PRAGMA words.user_version", [], |row| row.get(0))?;
    if theirs != form {
        return Ok(false);
    }
    // In this order: whoever writes meanwhile writes words first.
    let rows = super::reached_by_rows(connection)?;
    let words: i64 = connection.query_row("SELECT message FROM words.reached", [], |row| row.get(0))?;
    Ok(words >= rows)
}
