//! A digest of the metadata of files, so that two states can be compared. No file is opened.

use std::fs::{self, Metadata};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use super::WatchTarget;
use crate::identity::FileIdentity;

/// Deeper folders are not read: a link may lead back up.
const MAX_DEPTH: usize = 8;

/// A digest of the metadata of files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct WatchSnapshot {
    files: u32,
    /// The sum over all files, independent of the order of a listing.
    digest: u64,
}

impl WatchSnapshot {
    /// Looks.
    pub(super) fn of(target: &WatchTarget) -> Self {
        let mut snapshot = Self::default();
        match target {
            WatchTarget::File(path) => snapshot.add(path, fs::metadata(path).ok().as_ref()),
            WatchTarget::Tree(folder) => snapshot.add_folder(folder, 0),
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
            if depth < MAX_DEPTH && metadata.is_some_and(|metadata| metadata.is_dir()) {
                self.add_folder(&path, depth + 1);
            }
        }
    }
}
