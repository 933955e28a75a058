//! Why a pass over the store ended early. What was acknowledged until then is kept.

use std::path::PathBuf;

use annals_store::files::WriteError;
use annals_store::read::ReadError;

use crate::sink::SinkError;
use crate::spool::Waiting;

/// Why nothing more was delivered.
#[derive(Debug, thiserror::Error)]
pub enum CollectError {
    /// Another process collects for the same sink.
    #[error("{}: another process collects for this sink", path.display())]
    Busy {
        /// The state file.
        path: PathBuf,
    },
    /// A state file or a batch that this release cannot read.
    #[error("{}: version {version} of the file is not known", path.display())]
    UnknownVersion {
        /// The file.
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
    /// A batch in the spool that is none.
    #[error("{}: is no batch that waits for a sink, or a damaged one", path.display())]
    DamagedBatch {
        /// Its file.
        path: PathBuf,
    },
    /// The sink did not take a batch, however often it was tried.
    #[error("batch {batch} was not acknowledged in {attempts} attempts: {source}")]
    NotDelivered {
        /// Which batch.
        batch: u64,
        /// How often it was tried.
        attempts: u32,
        /// What is in the spool, this batch included.
        waiting: Waiting,
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
