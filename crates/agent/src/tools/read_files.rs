//! Tracks which files the model has read: an edit is refused if the file was never read, or has changed since.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::past_reads::RecordedFile;

/// How much of a file was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadExtent {
    Whole,
    /// The requested lines.
    Part,
}

/// The length and hash of a file's content. Modification times are not used: they are too coarse to show a quick change, and
/// change when the content does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    length: u64,
    hash: u64,
}

impl Fingerprint {
    /// The fingerprint of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let mut hasher = DefaultHasher::new();
        hasher.write(bytes);
        Self { length: bytes.len() as u64, hash: hasher.finish() }
    }

    /// A short hash, for names.
    pub(crate) fn short(self) -> u32 {
        (self.hash ^ (self.hash >> 32)) as u32
    }
}

/// Whether the model has read a file's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadState {
    /// Never read.
    Unread,
    /// It has not changed since this much of it was read.
    Known(ReadExtent),
    /// It has changed since this much of it was read.
    Changed(ReadExtent),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum KnownContent {
    /// Its fingerprint.
    Read(Fingerprint),
    /// What the session tells of it.
    Recorded(RecordedFile),
}

/// The files that were read in a session, by their real paths.
#[derive(Debug, Default)]
pub struct ReadFiles {
    files: Mutex<HashMap<PathBuf, (KnownContent, ReadExtent)>>,
    /// Files that were used since [`Self::take_used`].
    used: Mutex<Vec<PathBuf>>,
}

impl ReadFiles {
    /// No files yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Notes that a file with this content was read or written. Reading a part does not undo that the whole is known.
    pub fn note(&self, path: &Path, print: Fingerprint, extent: ReadExtent) {
        self.used.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_path_buf());
        let mut files = self.files();
        let whole_before = files.get(path) == Some(&(KnownContent::Read(print), ReadExtent::Whole));
        let extent = if whole_before { ReadExtent::Whole } else { extent };
        files.insert(path.to_path_buf(), (KnownContent::Read(print), extent));
    }

    /// Returns the files that were read or written since the last time, each once.
    pub(crate) fn take_used(&self) -> Vec<PathBuf> {
        let used = std::mem::take(&mut *self.used.lock().unwrap_or_else(PoisonError::into_inner));
        let mut each = Vec::new();
        for path in used {
            if !each.contains(&path) {
                each.push(path);
            }
        }
        each
    }

    /// Notes what the session tells of a file. A part does not undo that the whole is known.
    pub(super) fn record(&self, path: &Path, recorded: RecordedFile, extent: ReadExtent) {
        let mut files = self.files();
        if extent == ReadExtent::Part && matches!(files.get(path), Some((_, ReadExtent::Whole))) {
            return;
        }
        files.insert(path.to_path_buf(), (KnownContent::Recorded(recorded), extent));
    }

    /// How much of a file was read, whatever it says now.
    pub(super) fn extent_of(&self, path: &Path) -> Option<ReadExtent> {
        self.files().get(path).map(|(_, extent)| *extent)
    }

    /// Forgets all files: after a compaction the model has seen none of them.
    pub fn forget_all(&self) {
        self.files().clear();
    }

    /// Whether the model has read this content of a file.
    pub fn state_of(&self, path: &Path, now: &[u8]) -> ReadState {
        let Some((known, extent)) = self.files().get(path).cloned() else { return ReadState::Unread };
        let is_same = match known {
            KnownContent::Read(print) => print == Fingerprint::of(now),
            KnownContent::Recorded(recorded) => recorded.matches(path, now, extent),
        };
        if is_same { ReadState::Known(extent) } else { ReadState::Changed(extent) }
    }

    fn files(&self) -> MutexGuard<'_, HashMap<PathBuf, (KnownContent, ReadExtent)>> {
        // A panic cannot leave the map half written.
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
