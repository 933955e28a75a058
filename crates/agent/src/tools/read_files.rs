//! Tracks which files the model has read: an edit is refused if the file was never read, or has changed since.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How much of a file was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadExtent {
    /// All of it.
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

/// The files that were read in a session, by their real paths.
#[derive(Debug, Default)]
pub struct ReadFiles {
    files: Mutex<HashMap<PathBuf, (Fingerprint, ReadExtent)>>,
}

impl ReadFiles {
    /// No files yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Notes that a file with this content was read or written. Reading a part does not undo that the whole is known.
    pub fn note(&self, path: &Path, print: Fingerprint, extent: ReadExtent) {
        let mut files = self.files();
        let whole_before = files.get(path) == Some(&(print, ReadExtent::Whole));
        files.insert(path.to_path_buf(), (print, if whole_before { ReadExtent::Whole } else { extent }));
    }

    /// Forgets all files: after a compaction the model has seen none of them.
    pub fn forget_all(&self) {
        self.files().clear();
    }

    /// Whether the model has read this content of a file.
    pub fn state_of(&self, path: &Path, now: Fingerprint) -> ReadState {
        match self.files().get(path) {
            None => ReadState::Unread,
            Some((print, extent)) if *print == now => ReadState::Known(*extent),
            Some((_, extent)) => ReadState::Changed(*extent),
        }
    }

    fn files(&self) -> MutexGuard<'_, HashMap<PathBuf, (Fingerprint, ReadExtent)>> {
        // A panic cannot leave the map half written.
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
