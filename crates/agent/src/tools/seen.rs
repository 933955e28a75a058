//! What the model has seen of files: an edit of a file that it never read, or that is not any more what it read, is refused.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How much of a file was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All of it.
    Whole,
    /// The lines that were asked for.
    Part,
}

/// The bytes of a file, told apart from others. Times are not used: they are too coarse to show a quick change, and change
/// when nothing did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Print {
    length: u64,
    hash: u64,
}

impl Print {
    /// That of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let mut hasher = DefaultHasher::new();
        hasher.write(bytes);
        Self { length: bytes.len() as u64, hash: hasher.finish() }
    }

    /// A short number of it, for names.
    pub(crate) fn short(self) -> u32 {
        (self.hash ^ (self.hash >> 32)) as u32
    }
}

/// How a file stands with the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Never read.
    Unread,
    /// It is what was read, this much of it.
    Known(Extent),
    /// It is something else now.
    Changed(Extent),
}

/// The files of a session that were read, by their real paths.
#[derive(Debug, Default)]
pub struct Seen {
    files: Mutex<HashMap<PathBuf, (Print, Extent)>>,
}

impl Seen {
    /// Nothing was read yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Notes that a file was read or written, and what it holds. A part does not undo that the whole is known.
    pub fn note(&self, path: &Path, print: Print, extent: Extent) {
        let mut files = self.files();
        let whole_before = files.get(path) == Some(&(print, Extent::Whole));
        files.insert(path.to_path_buf(), (print, if whole_before { Extent::Whole } else { extent }));
    }

    /// Forgets all: after a compaction the model has seen nothing.
    pub fn forget_all(&self) {
        self.files().clear();
    }

    /// How a file with these bytes stands.
    pub fn standing(&self, path: &Path, now: Print) -> Standing {
        match self.files().get(path) {
            None => Standing::Unread,
            Some((print, extent)) if *print == now => Standing::Known(*extent),
            Some((_, extent)) => Standing::Changed(*extent),
        }
    }

    fn files(&self) -> MutexGuard<'_, HashMap<PathBuf, (Print, Extent)>> {
        // A thread that panicked has left a whole map.
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
