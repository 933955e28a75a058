//! Errors of the vault.

use std::io;
use std::path::{Path, PathBuf};

use annals_store::files::WriteError;
use annals_store::read::ReadError;

use crate::id::{ChunkId, ContentId};

/// Why a vault operation failed. Versions that were there before are never changed by a failure.
#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    /// Another annals process is writing to the vault.
    #[error("another annals is writing to the vault")]
    Locked,
    /// A file in a format that this release does not know.
    #[error("{}: unknown vault format (version {version}); a newer annals wrote it", path.display())]
    UnknownFormat {
        path: PathBuf,
        /// The format version that it names.
        version: String,
    },
    /// A file is damaged and cannot be repaired.
    #[error("{}: damaged: {what}", path.display())]
    Damaged {
        path: PathBuf,
        /// What is damaged.
        what: &'static str,
    },
    /// An index lists a pack whose file is missing.
    #[error("{}: no longer exists", path.display())]
    PackMissing {
        /// The path of the pack.
        path: PathBuf,
    },
    /// No pack holds a chunk that a version needs.
    #[error("a chunk of a file is missing from the vault ({chunk})")]
    LostChunk {
        /// The missing chunk.
        chunk: ChunkId,
    },
    /// No index describes a content that a version needs.
    #[error("the description of a file is missing from the vault ({content})")]
    LostContent {
        /// The missing content.
        content: ContentId,
    },
    /// What was read does not have the expected sha256. It was not returned.
    #[error("a file in the vault does not match its checksum ({content})")]
    ContentMismatch {
        /// The expected content.
        content: ContentId,
    },
    /// The path of a file in a version leads out of its folder.
    #[error("{path:?}: the path is outside the store")]
    PathOutsideStore {
        /// The path as stored.
        path: String,
    },
    /// Writing to the disk failed.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// Reading from the disk failed.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The caller asked to stop.
    #[error("stopped; everything that was archived before is still there")]
    Stopped,
}

impl VaultError {
    /// For `map_err`: the error of writing to this path.
    pub(crate) fn writing(path: &Path) -> impl Fn(io::Error) -> Self + '_ {
        move |error| Self::Write(WriteError::new(path, error))
    }

    /// Whether the vault is damaged, as opposed to an error of the disk or a conflict with another process.
    pub fn is_damage(&self) -> bool {
        matches!(
            self,
            Self::Damaged { .. }
                | Self::PackMissing { .. }
                | Self::LostChunk { .. }
                | Self::LostContent { .. }
                | Self::ContentMismatch { .. }
        )
    }
}
