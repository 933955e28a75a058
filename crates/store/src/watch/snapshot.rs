//! How files stand, in a few bytes, so that two looks can be compared. Nothing is read but what the folder knows.

use std::fs::{self, Metadata};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use super::Subject;
use crate::identity::FileIdentity;

/// Deeper folders are not looked at: a link may lead back up.
const MOST_DEPTH: usize = 8;

/// How files stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Snapshot {
    files: u32,
    /// The sum of what is known of each: the order in which a folder is listed does not matter.
    digest: u64,
}

impl Snapshot {
    /// Looks.
    pub(super) fn of(subject: &Subject) -> Self {
        let mut snapshot = Self::default();
        match subject {
            Subject::File(path) => snapshot.add(path, fs::metadata(path).ok().as_ref()),
            Subject::Tree(folder) => snapshot.add_folder(folder, 0),
        }
        snapshot
    }

    /// How many files and folders there are.
    pub(super) fn files(self) -> u32 {
        self.files
    }

    fn add(&mut self, path: &Path, metadata: Option<&Metadata>) {
        let mut hasher = DefaultHasher::new();
        path.hash(&mut hasher);
        if let Some(metadata) = metadata {
            FileIdentity::of(metadata).hash(&mut hasher);
            // A folder's size and time say only what its entries say too.
            if !metadata.is_dir() {
                metadata.len().hash(&mut hasher);
                metadata.modified().ok().hash(&mut hasher);
            }
        }
        self.files = self.files.saturating_add(1);
        self.digest = self.digest.wrapping_add(hasher.finish());
    }

    fn add_folder(&mut self, folder: &Path, depth: usize) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let metadata = fs::metadata(&path).ok();
            self.add(&path, metadata.as_ref());
            if depth < MOST_DEPTH && metadata.is_some_and(|metadata| metadata.is_dir()) {
                self.add_folder(&path, depth + 1);
            }
        }
    }
}
