//! The result of a pass.

use std::path::PathBuf;

use annals_store::FileProblem;
use annals_store::read::ReadError;

use crate::spool::UnclaimedBacklog;

/// The result of a pass.
#[derive(Debug, Default)]
pub struct PassReport {
    /// Lines and files that were delivered.
    pub items: u64,
    /// Those of them that an earlier pass had read.
    pub spooled: u64,
    /// Their bytes in the store.
    pub bytes: u64,
    /// The files that they are of.
    pub files: u64,
    /// Deleted files that were reported to the sink.
    pub gone: u64,
    /// Moved files that were reported to the sink.
    pub moved: u64,
    /// Files that are there again, and were reported to the sink.
    pub back: u64,
    /// Batches that were acknowledged.
    pub batches: u64,
    /// Attempts that failed.
    pub retries: u64,
    /// Known files that are read from the start again: cut, rewritten or replaced.
    pub restarted: u64,
    /// Items sent without their text, because secrets could not be removed.
    pub withheld: u64,
    /// Last lines that were sent without a line break, incomplete.
    pub torn: u64,
    /// Files that are too large to be sent as a whole.
    pub too_large: Vec<PathBuf>,
    /// Files that could not be read.
    pub unread: Vec<ReadError>,
    /// Folders that could not be listed, and links that are not followed.
    pub unlisted: Vec<FileProblem>,
    /// Items that no attempt can deliver; they are stored, and the rest is sent.
    pub set_aside: Vec<RefusedItem>,
    /// What waits in the spool of a store that is gone, or that is not known.
    pub unclaimed: Option<UnclaimedBacklog>,
    /// Known files that are not reported as deleted, because the whole store is missing or empty.
    pub absent: u64,
}

/// An item that its sink does not take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedItem {
    /// The file that it is of, relative to the config dir.
    pub file: String,
    /// Which line of it, counted from 1; 0 for a whole file.
    pub line: u64,
    /// Its bytes in the store.
    pub bytes: u64,
    pub reason: String,
    /// When, in milliseconds since 1970; `None` for one that an earlier release has set aside.
    pub time: Option<i64>,
    /// Where it is kept, with the others of its batch.
    pub path: PathBuf,
}
