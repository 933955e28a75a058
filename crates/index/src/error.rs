//! Errors of the index.

use std::path::PathBuf;

/// Why the index could not be used.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// A file of the index cannot be removed.
    #[error("{}: cannot remove the file: {source}", path.display())]
    Remove {
        path: PathBuf,
        /// The error of the disk.
        source: std::io::Error,
    },
    /// Another process is updating the index.
    #[error("{}: another annals is updating the index", path.display())]
    Busy { path: PathBuf },
    /// The index was removed or rebuilt since it was opened, and must be opened again.
    #[error("{}: the index was rebuilt by another process", path.display())]
    Replaced { path: PathBuf },
    /// A file of the store cannot be read.
    #[error(transparent)]
    Read(#[from] annals_store::read::ReadError),
    /// The folder or the lock of the index cannot be written.
    #[error(transparent)]
    Write(#[from] annals_store::files::WriteError),
    /// The thread that writes words ended early.
    #[error("cannot write the words of the index")]
    WordThread,
    /// SQLite reported an error.
    #[error("the index: {0}")]
    Database(#[from] rusqlite::Error),
}

impl IndexError {
    /// Whether the system refused: no room, no permission, no disk.
    pub fn is_of_system(&self) -> bool {
        use rusqlite::ErrorCode::{
            CannotOpen, DiskFull, FileLockingProtocolFailed, NoLargeFileSupport, OutOfMemory,
            PermissionDenied, ReadOnly, SystemIoFailure,
        };
        match self {
            Self::Remove { .. } => true,
            Self::Database(rusqlite::Error::SqliteFailure(failure, _)) => matches!(
                failure.code,
                CannotOpen
                    | DiskFull
                    | FileLockingProtocolFailed
                    | NoLargeFileSupport
                    | OutOfMemory
                    | PermissionDenied
                    | ReadOnly
                    | SystemIoFailure
            ),
            _ => false,
        }
    }

    /// Whether another process is using the index, so that it is worth another try.
    pub fn is_busy(&self) -> bool {
        use rusqlite::ErrorCode::{DatabaseBusy, DatabaseLocked};
        match self {
            Self::Busy { .. } | Self::Replaced { .. } => true,
            Self::Database(rusqlite::Error::SqliteFailure(failure, _)) => {
                matches!(failure.code, DatabaseBusy | DatabaseLocked)
            }
            _ => false,
        }
    }

    /// Whether the index file is damaged and should be deleted.
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
