//! A database as a file: opened to be written, settled, and removed with what lies beside it.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use annals_store::files::{WriteError, create_file};
use rusqlite::{Connection, ErrorCode};

use crate::error::IndexError;

/// How long whoever writes waits for those who only look.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often, and how far apart, it is tried where SQLite does not wait by itself.
const MOST_TRIES: u32 = 500;
const BETWEEN_TRIES: Duration = Duration::from_millis(10);

/// Opens a database to write into it, with so many KiB of its pages kept in memory; one that is not there is made.
pub(crate) fn open(path: &Path, kept_kib: u32) -> Result<Connection, IndexError> {
    create(path)?;
    let connection = Connection::open(path)?;
    connection.set_prepared_statement_cache_capacity(64);
    connection.busy_timeout(PATIENCE)?;
    // A crash may lose the last transactions, which are read again.
    connection.execute_batch(&format!(
        "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -{kept_kib}; PRAGMA temp_store = MEMORY;
         PRAGMA wal_autocheckpoint = 12288;"
    ))?;
    Ok(connection)
}

/// Makes the file of a database, if it is not there: by us, so that only its owner may read it; the database's own side files take
/// its mode.
pub(crate) fn create(path: &Path) -> Result<(), IndexError> {
    match create_file(path, b"") {
        Ok(_) | Err(WriteError::Exists { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Makes the tables of an empty database, of this form. Pages of 8 KiB make the word lists smaller. The kind of journal cannot be
/// changed, not even to what it is, while somebody looks at the database, and SQLite does not wait for that by itself.
pub(crate) fn make_tables(connection: &Connection, schema: &str, form: i64) -> rusqlite::Result<()> {
    let mut tries = 0;
    while let Err(error) = connection.execute_batch("PRAGMA page_size = 8192; PRAGMA journal_mode = WAL;") {
        if !is_locked(&error) || tries == MOST_TRIES {
            return Err(error);
        }
        tries += 1;
        thread::sleep(BETWEEN_TRIES);
    }
    connection.execute_batch(&format!("BEGIN;\n{schema}\nPRAGMA user_version = {form};\nCOMMIT;"))
}

fn is_locked(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// How many bytes a database has on the disk, with what was written last.
pub(crate) fn size(path: &Path) -> u64 {
    let of = |path: &Path| fs::metadata(path).map_or(0, |metadata| metadata.len());
    of(path) + of(&beside(path, "-wal"))
}

/// Removes a database, if it is there.
pub(crate) fn remove(path: &Path) -> Result<(), IndexError> {
    let files = [path.to_path_buf(), beside(path, "-wal"), beside(path, "-shm")];
    files.iter().try_for_each(|file| remove_file(file))
}

/// Removes a file, if it is there.
pub(crate) fn remove_file(path: &Path) -> Result<(), IndexError> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(IndexError::Stuck { path: path.to_path_buf(), source })
        }
        _ => Ok(()),
    }
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
