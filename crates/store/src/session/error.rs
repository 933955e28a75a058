//! Why a record was not written. Nothing that failed with one of these was acknowledged, and none moves the tip.

use std::path::PathBuf;

use annals_transcript::draft::{DraftError, PlacementError};

use super::InUse;
use crate::busy::Busy;
use crate::files::{NameError, WriteError};
use crate::read::ReadError;

/// Why a session could not be opened or written to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AppendError {
    /// Another program is writing, or wrote while the file was open here.
    #[error("{}: {busy}", path.display())]
    Busy {
        /// The session's file.
        path: PathBuf,
        /// Who.
        busy: Busy,
    },
    /// The session was opened for reading only.
    #[error("{}: opened for reading only; open it for appending to write", path.display())]
    ReadOnly {
        /// The session's file.
        path: PathBuf,
    },
    /// The record has no place in the session.
    #[error(transparent)]
    Place(#[from] PlacementError),
    /// A plain message that has no records.
    #[error(transparent)]
    Plain(#[from] DraftError),
    /// A progress record that is too large to be one.
    #[error("the progress record is {bytes} bytes; the limit is {most}; put results in the tool result", most = crate::durable::MAX_PROGRESS_BYTES)]
    ProgressTooLarge {
        /// How large.
        bytes: usize,
    },
    /// The disk.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The file could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A name that could lead elsewhere.
    #[error(transparent)]
    Name(#[from] NameError),
    /// A session id that is no UUID: the client lists no others.
    #[error("{id:?} is not a session id: use a UUID")]
    NotAUuid {
        /// The text that is not a UUID.
        id: String,
    },
}

impl From<InUse> for AppendError {
    fn from(error: InUse) -> Self {
        match error {
            InUse::Busy { path, busy } => Self::Busy { path, busy },
            InUse::Write(error) => Self::Write(error),
        }
    }
}
