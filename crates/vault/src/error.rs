//! What can go wrong with a vault.

use std::io;
use std::path::{Path, PathBuf};

use annals_store::files::WriteError;
use annals_store::read::ReadError;

use crate::id::{ChunkId, ContentId};

/// Why something was not kept, or did not come back. What fails with one of these has changed no version that was there.
#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    /// Another process of ours writes to the vault.
    #[error("another annals is writing to the vault")]
    Locked,
    /// A file in a form that this release does not know.
    #[error("{}: is in a form of the vault that this annals does not know (version {version})", path.display())]
    UnknownForm {
        /// The file.
        path: PathBuf,
        /// The version that it names.
        version: String,
    },
    /// A file that is not what was written, and cannot be healed.
    #[error("{}: is damaged: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: &'static str,
    },
    /// A pack that is listed and not there.
    #[error("{}: is not there any more", path.display())]
    PackGone {
        /// The file.
        path: PathBuf,
    },
    /// A piece that no pack holds.
    #[error("the vault has lost a piece ({chunk}) of a file")]
    LostPiece {
        /// The piece.
        chunk: ChunkId,
    },
    /// Contents that no index lists.
    #[error("the vault has lost the description of a file ({content})")]
    LostContent {
        /// The contents.
        content: ContentId,
    },
    /// What was read back is not what was kept. It was not handed on.
    #[error("a file came back unlike what was kept ({content})")]
    Unlike {
        /// The contents.
        content: ContentId,
    },
    /// A path that leads out of the folder that it belongs to.
    #[error("{path:?} leads out of the store")]
    Outside {
        /// The path.
        path: String,
    },
    /// The disk, writing.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The disk, reading.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Whoever watched said stop.
    #[error("stopped in the midst; all that was kept before is there")]
    Stopped,
}

impl VaultError {
    /// For `map_err`: the error of something written to this path.
    pub(crate) fn writing(path: &Path) -> impl Fn(io::Error) -> Self + '_ {
        move |error| Self::Write(WriteError::new(path, error))
    }

    /// Whether the vault itself is at fault, and not the disk or whoever else writes.
    pub fn is_damage(&self) -> bool {
        matches!(
            self,
            Self::Damaged { .. }
                | Self::PackGone { .. }
                | Self::LostPiece { .. }
                | Self::LostContent { .. }
                | Self::Unlike { .. }
        )
    }
}
