//! What can go wrong with an index.

use std::path::PathBuf;

/// Why the index could not be used.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The index's own file cannot be removed.
    #[error("{}: {source}", path.display())]
    Stuck {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Another process brings the index up to date.
    #[error("{}: another annals is bringing the index up to date", path.display())]
    Busy {
        /// The index.
        path: PathBuf,
    },
    /// Since it was opened the index was removed, or made anew: what is at its path is to be opened.
    #[error("{}: the index was made anew meanwhile", path.display())]
    Replaced {
        /// The index.
        path: PathBuf,
    },
    /// A file of the store.
    #[error(transparent)]
    Read(#[from] annals_store::read::ReadError),
    /// The folder of the index, or its lock.
    #[error(transparent)]
    Write(#[from] annals_store::files::WriteError),
    /// The thread that writes words ended before its time.
    #[error("the index: its words could not be written")]
    Words,
    /// The database.
    #[error("the index: {0}")]
    Database(#[from] rusqlite::Error),
}

impl IndexError {
    /// Whether the index's own file is damaged: deleting it is the cure.
    pub fn is_damage(&self) -> bool {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
        match self {
            Self::Database(rusqlite::Error::SqliteFailure(failure, _)) => {
                matches!(failure.code, DatabaseCorrupt | NotADatabase)
            }
            _ => false,
        }
    }
}
