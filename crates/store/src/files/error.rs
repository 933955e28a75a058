//! Errors of writing files, distinguished by what the user can do about them.

use std::io;
use std::path::{Path, PathBuf};

use super::name::NameError;

/// Why something was not written. Nothing that failed with one of these was acknowledged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// No room.
    #[error("{}: the disk is full", path.display())]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// A file system or a folder that takes no changes.
    #[error("{}: the file system is read-only", path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// No permission.
    #[error("{}: cannot write: permission denied", path.display())]
    Denied {
        /// The file.
        path: PathBuf,
    },
    /// The file or a folder above it does not exist (any longer).
    #[error("{}: no such file or folder", path.display())]
    Vanished {
        /// The file.
        path: PathBuf,
    },
    /// Something is there that must not be overwritten.
    #[error("{}: already exists; existing files are never overwritten", path.display())]
    Exists {
        /// The existing path.
        path: PathBuf,
    },
    /// A part of a line was written before the disk refused the rest. The next append isolates it.
    #[error("{}: byte {offset}: only {written} of {length} bytes were written ({source})", path.display())]
    Torn {
        /// The file.
        path: PathBuf,
        /// Where the torn line begins.
        offset: u64,
        /// How much of it is there.
        written: usize,
        /// How much there should be.
        length: usize,
        /// The system error.
        source: io::Error,
    },
    /// A line that holds a line break.
    #[error("{}: a record must be one line", path.display())]
    NotOneLine {
        /// The file.
        path: PathBuf,
    },
    /// A name that could lead elsewhere.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The callback stopped it.
    #[error("stopped midway")]
    Stopped,
    /// Any other error.
    #[error("{}: {source}", path.display())]
    Io {
        /// Where.
        path: PathBuf,
        /// The system error.
        source: io::Error,
    },
}

impl WriteError {
    /// Classifies an error of the system.
    pub fn new(path: &Path, source: io::Error) -> Self {
        use io::ErrorKind as Kind;
        let path = path.to_path_buf();
        match source.kind() {
            Kind::StorageFull | Kind::QuotaExceeded | Kind::FileTooLarge => Self::Full { path },
            Kind::ReadOnlyFilesystem => Self::ReadOnly { path },
            Kind::PermissionDenied => Self::Denied { path },
            Kind::NotFound | Kind::NotADirectory | Kind::StaleNetworkFileHandle => Self::Vanished { path },
            Kind::AlreadyExists => Self::Exists { path },
            _ => Self::Io { path, source },
        }
    }

    /// Whether the disk, not the request, is why: it is full, read-only or refuses.
    pub fn is_environment(&self) -> bool {
        match self {
            Self::Full { .. } | Self::ReadOnly { .. } | Self::Denied { .. } => true,
            Self::Torn { source, .. } | Self::Io { source, .. } => source.raw_os_error().is_some(),
            _ => false,
        }
    }

    /// For `map_err`: the error of something done to this path.
    pub fn at(path: &Path) -> impl Fn(io::Error) -> Self + '_ {
        move |source| Self::new(path, source)
    }
}
