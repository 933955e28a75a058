//! The database of words: where it lies, its tables, and whether it goes with the rows.

use std::path::{Path, PathBuf};

use annals_store::files::{WriteError, create_file};
use rusqlite::Connection;

use crate::error::IndexError;

const SCHEMA: &str = include_str!("words.sql");

/// Where the words of an index lie.
pub(crate) fn path_beside(index: &Path) -> PathBuf {
    index.with_extension("words")
}

/// Makes the tables, in a file that is not there yet.
pub(crate) fn make(index: &Path, form: i64) -> Result<(), IndexError> {
    let path = path_beside(index);
    // Made by us first, so that only its owner may read it; the database's own side files take its mode.
    match create_file(&path, b"") {
        Ok(_) | Err(WriteError::Exists { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    let connection = Connection::open(&path)?;
    connection.execute_batch(&format!(
        "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL;
         BEGIN;\n{SCHEMA}\nPRAGMA user_version = {form};\nCOMMIT;"
    ))?;
    Ok(())
}

/// Lets the words be asked through the connection to the rows.
pub(crate) fn attach(connection: &Connection, index: &Path) -> rusqlite::Result<()> {
    let path = path_beside(index);
    connection.execute("ATTACH DATABASE ?1 AS words", [path.to_string_lossy()])?;
    Ok(())
}

/// Whether the words are of this form, and reach as far as the rows: after the power failed they may not.
pub(crate) fn go_with(connection: &Connection, form: i64) -> rusqlite::Result<bool> {
    let theirs: i64 = connection.query_row("PRAGMA words.user_version", [], |row| row.get(0))?;
    if theirs != form {
        return Ok(false);
    }
    let reached: i64 = connection.query_row("SELECT message FROM words.reached", [], |row| row.get(0))?;
    Ok(reached >= super::reached_by_rows(connection)?)
}
