//! Why a pass over the store ended early. What was acknowledged before stays acknowledged.

use std::path::PathBuf;

use annals_store::files::WriteError;
use annals_store::read::ReadError;

use crate::sink::SinkError;
use crate::spool::Backlog;

/// Why a pass ended early.
#[derive(Debug, thiserror::Error)]
pub enum CollectError {
    /// Another process collects for the same sink.
    #[error("{}: another process is collecting for this sink", path.display())]
    Busy {
        /// The state file.
        path: PathBuf,
    },
    /// A state file or a batch that this release cannot read.
    #[error("{}: unknown version {version}", path.display())]
    UnknownVersion {
        path: PathBuf,
        /// What it says.
        version: u64,
    },
    /// A state file that cannot be read.
    #[error("{}: damaged, or not a state file of `annals collect`", path.display())]
    Damaged {
        /// The state file.
        path: PathBuf,
    },
    /// A batch in the spool that cannot be read.
    #[error("{}: damaged, or not a batch of the spool", path.display())]
    DamagedBatch { path: PathBuf },
    /// The sink did not acknowledge a batch, in all attempts.
    #[error("batch {batch} was not acknowledged in {attempts} attempts: {source}")]
    NotDelivered {
        batch: u64,
        /// How often it was tried.
        attempts: u32,
        /// What is in the spool, this batch included.
        waiting: Backlog,
        /// What the sink said last.
        source: SinkError,
    },
    /// A file of ours could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file of ours could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}
