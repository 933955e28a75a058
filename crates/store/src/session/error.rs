//! Why a record was not written. Nothing that failed with one of these was acknowledged, and none moves the tip.

use std::path::PathBuf;

use annals_transcript::draft::{PlaceError, PlainError};

use super::InUse;
use crate::busy::Busy;
use crate::files::{NameError, WriteError};
use crate::read::ReadError;

/// Why a session could not be opened or written to.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// Somebody else is writing, or has written while we had it.
    #[error("{}: {busy}", path.display())]
    Busy {
        /// The session's file.
        path: PathBuf,
        /// Who.
        busy: Busy,
    },
    /// The record has no place in the session.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// A plain message that has no records.
    #[error(transparent)]
    Plain(#[from] PlainError),
    /// A progress record that is too large to be one.
    #[error("a progress record of {bytes} bytes: at most {most} are taken, results go into results", most = crate::durable::MOST_PROGRESS_BYTES)]
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
    #[error("{id:?} is no session id: a UUID is needed")]
    NotAUuid {
        /// The id.
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
