//! The trash: what changes moved out of the store, one batch per change, until it is emptied.
//!
//! The journal has the origin of each file in it.

mod empty;
mod sessions;

use std::fs;
use std::path::{Path, PathBuf};

pub use empty::{EmptyPlan, SkipReason, SkippedBatch, empty, plan_empty};
pub use sessions::{TrashedFile, TrashedSession, sessions};

use crate::data_dir::DataDir;
use crate::files::covers;
use crate::journal::{Journal, JournalEntry};
use crate::scan::modified_millis;

/// What one change has in the trash: what it took away, and the old bytes of what it replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TrashBatch {
    /// The change's id.
    pub id: String,
    /// The folder.
    pub path: PathBuf,
    /// The journal entry of the change; `None` if there is none.
    pub entry: Option<JournalEntry>,
    /// How many files.
    pub files: u64,
    /// How many bytes.
    pub bytes: u64,
    /// When the change was made; without an entry, when the folder was last written to. In milliseconds since 1970.
    pub time: Option<i64>,
}

/// Everything in the trash, the newest change first. Folders without a file in them are nothing.
pub fn batches(data: &DataDir) -> Vec<TrashBatch> {
    let entries = Journal::new(data).entries();
    let mut found = Vec::new();
    for path in folders_in(&data.trash_root()) {
        let id = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (files, bytes) = size_of(&path);
        if files == 0 {
            continue;
        }
        let entry = entries.iter().find(|entry| entry.id == id).cloned();
        let touched = || fs::metadata(&path).ok().as_ref().and_then(modified_millis);
        let time = entry.as_ref().map(|entry| entry.time).or_else(touched);
        found.push(TrashBatch { id, entry, files, bytes, time, path });
    }
    found.sort_by(|left, right| right.id.cmp(&left.id));
    found
}

/// Whether two files or folders have the same content; links are compared, not followed.
pub fn is_same(left: &Path, right: &Path) -> bool {
    covers(left, right) && covers(right, left)
}

fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_dir() && !path.is_symlink()).collect()
}

/// How many files something is, and how many bytes; links are not followed.
fn size_of(path: &Path) -> (u64, u64) {
    let Ok(metadata) = fs::symlink_metadata(path) else { return (0, 0) };
    if !metadata.is_dir() {
        return (1, metadata.len());
    }
    let inside = fs::read_dir(path).into_iter().flatten().flatten().map(|entry| size_of(&entry.path()));
    inside.fold((0, 0), |(files, bytes), (more, larger)| (files + more, bytes + larger))
}
