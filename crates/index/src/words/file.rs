//! The database of words: path, tables, and whether it matches the rows.

use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::database;
use crate::error::IndexError;

const SCHEMA: &str = include_str!("words.sql");
/// The page cache while words are written.
const CACHE_KIB: u32 = 16 * 1024;

pub(crate) fn path_beside(index: &Path) -> PathBuf {
    index.with_extension("words")
}

pub(crate) fn open(path: &Path) -> Result<Connection, IndexError> {
    database::open(path, CACHE_KIB)
}

/// Creates it without words, in place of an old one.
pub(crate) fn make(index: &Path, format: i64) -> Result<(), IndexError> {
    let path = path_beside(index);
    database::remove(&path)?;
    Ok(database::make_tables(&open(&path)?, SCHEMA, format)?)
}

/// Attaches the words to the connection to the rows.
pub(crate) fn attach(connection: &Connection, index: &Path) -> rusqlite::Result<()> {
    // As bytes: a path need not be UTF-8.
    let path = path_beside(index);
    connection.execute("ATTACH DATABASE ?1 AS words", [path.as_os_str().as_encoded_bytes()])?;
    Ok(())
}

/// Whether the words have this format and reach as far as the rows; after a power failure they may not.
pub(crate) fn match_rows(connection: &Connection, format: i64) -> rusqlite::Result<bool> {
    let theirs: i64 = connection.query_row("PRAGMA words.user_version", [], |row| row.get(0))?;
    if theirs != format {
        return Ok(false);
    }
    // In this order, since writers write words first.
    let rows = super::next_message(connection)?;
    let words: i64 = connection.query_row("SELECT message FROM words.reached", [], |row| row.get(0))?;
    Ok(words >= rows)
}
