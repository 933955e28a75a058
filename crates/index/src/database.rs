//! Opens, creates and removes a database file with its side files.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use annals_store::files::{WriteError, create_file};
use rusqlite::{Connection, ErrorCode};

use crate::error::IndexError;

/// How long a writer waits for readers.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// How often, and how far apart, to retry where SQLite does not wait itself.
const MAX_TRIES: u32 = 500;
const RETRY_DELAY: Duration = Duration::from_millis(10);

/// Opens a database for writing with a page cache of this size; creates it if it does not exist.
pub(crate) fn open(path: &Path, cache_kib: u32) -> Result<Connection, IndexError> {
    create(path)?;
    let connection = Connection::open(path)?;
    connection.set_prepared_statement_cache_capacity(64);
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // A crash may lose the last transactions; their files are read again.
    connection.execute_batch(&format!(
        "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -{cache_kib}; PRAGMA temp_store = MEMORY;
         PRAGMA wal_autocheckpoint = 12288;"
    ))?;
    Ok(connection)
}

/// Creates the file of a database unless it exists, readable by its owner only; SQLite gives its side files the same mode.
pub(crate) fn create(path: &Path) -> Result<(), IndexError> {
    match create_file(path, b"") {
        Ok(_) | Err(WriteError::Exists { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Makes the tables of an empty database. Pages of 8 KiB make the word lists smaller. The journal mode cannot be set while
/// another connection reads the database, and SQLite does not wait for that itself.
pub(crate) fn make_tables(connection: &Connection, schema: &str, format: i64) -> rusqlite::Result<()> {
    let mut tries = 0;
    while let Err(error) = connection.execute_batch("PRAGMA page_size = 8192; PRAGMA journal_mode = WAL;") {
        if !is_locked(&error) || tries == MAX_TRIES {
            return Err(error);
        }
        tries += 1;
        thread::sleep(RETRY_DELAY);
    }
    connection.execute_batch(&format!("BEGIN;\n{schema}\nPRAGMA user_version = {format};\nCOMMIT;"))
}

fn is_locked(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// The size of a database on the disk with its write-ahead log.
pub(crate) fn size(path: &Path) -> u64 {
    let of = |path: &Path| fs::metadata(path).map_or(0, |metadata| metadata.len());
    of(path) + of(&beside(path, "-wal"))
}

/// Removes a database if it exists.
pub(crate) fn remove(path: &Path) -> Result<(), IndexError> {
    let files = [path.to_path_buf(), beside(path, "-wal"), beside(path, "-shm")];
    files.iter().try_for_each(|file| remove_file(file))
}

/// Removes a file if it exists.
pub(crate) fn remove_file(path: &Path) -> Result<(), IndexError> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(IndexError::Remove { path: path.to_path_buf(), source })
        }
        _ => Ok(()),
    }
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
