//! Why a pass over the store ended early. What was acknowledged until then is kept.

use std::path::PathBuf;

use annals_store::files::WriteError;
use annals_store::read::ReadError;

use crate::sink::SinkError;

/// Why nothing more was delivered.
#[derive(Debug, thiserror::Error)]
pub enum CollectError {
    /// Another process collects for the same sink.
    #[error("{}: another process collects for this sink", path.display())]
    Busy {
        /// The state file.
        path: PathBuf,
    },
    /// A state file that this release cannot read.
    #[error("{}: version {version} of the state is not known", path.display())]
    UnknownVersion {
        /// The state file.
        path: PathBuf,
        /// What it says.
        version: u64,
    },
    /// A state file that is none.
    #[error("{}: is no state of a collection", path.display())]
    Damaged {
        /// The state file.
        path: PathBuf,
    },
    /// The sink did not take a batch, however often it was tried.
    #[error("batch {batch} was not acknowledged in {attempts} attempts: {source}")]
    NotDelivered {
        /// Which batch.
        batch: u64,
        /// How often it was tried.
        attempts: u32,
        /// What the sink said last.
        source: SinkError,
    },
    /// What is ours could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// What is ours could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}
