//! The vault folder: its layout, its lock, and how a pack is published.
//!
//! # Crash safety
//!
//! After `kill -9` or a power failure at any instant every old version is there, and a new one is there completely or not
//! at all. A pack is written and synced under a temporary name (`.new`); writing its index publishes it; then follow the
//! second copy of the index and the final name of the pack. The next holder of the lock finishes or removes what a crash
//! left over. A pack that has its final name and no index is never removed: only damage can cause that.

use std::fs;
use std::path::{Path, PathBuf};

use annals_store::DataDir;
use annals_store::files::{WriteError, create_folder, move_path, replace_file, sync_folder};
use annals_store::lock::FileLock;

use crate::error::VaultError;
use crate::index::IndexFile;
use crate::progress::Progress;

const INDEX_ENDING: &str = ".index";
const PACK_ENDING: &str = ".zst";
const NEW_ENDING: &str = ".zst.new";

/// A vault on disk.
#[derive(Clone, Debug)]
pub struct Vault {
    data: DataDir,
    root: PathBuf,
}

/// The write lock of a vault; dropping it releases it.
#[derive(Debug)]
pub(crate) struct VaultLock {
    _lock: FileLock,
}

/// The two copies of the indexes: if a file is damaged in one, the other is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IndexCopy {
    First,
    Second,
}

impl Vault {
    /// The vault of a data dir. Reads nothing; the folder need not exist.
    pub fn new(data: &DataDir) -> Self {
        Self { root: data.vault(), data: data.clone() }
    }

    /// The folder of the vault.
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// The data dir that the vault is in.
    pub fn data(&self) -> &DataDir {
        &self.data
    }

    /// The size of all its files in bytes.
    pub fn size(&self) -> u64 {
        let folders = [self.packs(), self.indexes(IndexCopy::First), self.indexes(IndexCopy::Second)];
        let files = folders.iter().flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
        files.filter_map(|file| file.metadata().ok()).map(|metadata| metadata.len()).sum()
    }

    /// Takes the write lock and cleans up after a crash.
    pub(crate) fn lock(&self) -> Result<VaultLock, VaultError> {
        let lock = FileLock::try_take(&self.data, &self.root)?.ok_or(VaultError::Locked)?;
        for folder in [self.packs(), self.indexes(IndexCopy::First), self.indexes(IndexCopy::Second)] {
            create_folder(&folder)?;
        }
        self.clean_up()?;
        Ok(VaultLock { _lock: lock })
    }

    pub(crate) fn packs(&self) -> PathBuf {
        self.root.join("packs")
    }

    pub(crate) fn indexes(&self, copy: IndexCopy) -> PathBuf {
        self.root.join(if copy == IndexCopy::First { "index" } else { "mirror" })
    }

    /// Where versions are unpacked to before they are put in place.
    pub(crate) fn unpack_root(&self) -> PathBuf {
        self.root.join("unpacked")
    }

    pub(crate) fn index(&self, copy: IndexCopy, id: &str) -> PathBuf {
        self.indexes(copy).join(format!("{id}{INDEX_ENDING}"))
    }

    pub(crate) fn named_pack(&self, id: &str) -> PathBuf {
        self.packs().join(format!("{id}{PACK_ENDING}"))
    }

    pub(crate) fn new_pack(&self, id: &str) -> PathBuf {
        self.packs().join(format!("{id}{NEW_ENDING}"))
    }

    /// The path of a pack under its current name.
    pub(crate) fn pack(&self, id: &str) -> PathBuf {
        let (named, new) = (self.named_pack(id), self.new_pack(id));
        if !named.exists() && new.exists() { new } else { named }
    }

    /// The ids of all indexes in either copy, in order of time.
    pub(crate) fn index_ids(&self) -> Vec<String> {
        let mut ids = names(&self.indexes(IndexCopy::First), INDEX_ENDING);
        ids.extend(names(&self.indexes(IndexCopy::Second), INDEX_ENDING));
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// Packs that no index lists. They are never removed.
    pub(crate) fn packs_without_index(&self) -> Vec<PathBuf> {
        let known = self.index_ids();
        let is_unknown = |id: &String| known.binary_search(id).is_err();
        names(&self.packs(), PACK_ENDING)
            .into_iter()
            .filter(is_unknown)
            .map(|id| self.named_pack(&id))
            .collect()
    }

    /// Publishes a pack, see "Crash safety". The pack file, if any, is synced under its temporary name.
    pub(crate) fn publish(
        &self,
        id: &str,
        index: &IndexFile,
        progress: &mut dyn Progress,
    ) -> Result<u64, VaultError> {
        let has_pack = index.locations.layout.is_some();
        if has_pack {
            sync_folder(&self.packs())?;
        }
        let path = self.index(IndexCopy::First, id);
        let bytes = index.bytes().map_err(VaultError::writing(&path))?;
        progress.check()?;
        replace_file(&path, &bytes)?;
        progress.check()?;
        replace_file(&self.index(IndexCopy::Second, id), &bytes)?;
        progress.check()?;
        if has_pack {
            move_path(&self.new_pack(id), &self.named_pack(id))?;
        }
        let pack = index.locations.layout.as_ref().map_or(0, |layout| layout.block_checks.file_length());
        Ok(2 * bytes.len() as u64 + pack)
    }

    /// Removes packs that were replaced.
    pub(crate) fn remove_packs(&self, ids: &[String], progress: &mut dyn Progress) -> Result<(), VaultError> {
        for id in ids {
            // The first index goes last: while it exists, the pack is known.
            let parts = [self.pack(id), self.index(IndexCopy::Second, id), self.index(IndexCopy::First, id)];
            for path in parts {
                progress.check()?;
                remove(&path)?;
            }
        }
        Ok(())
    }

    /// Finishes what a crash interrupted, and removes packs that were not published.
    fn clean_up(&self) -> Result<(), VaultError> {
        for id in names(&self.packs(), NEW_ENDING) {
            let is_known =
                self.index(IndexCopy::First, &id).exists() || self.index(IndexCopy::Second, &id).exists();
            let new = self.new_pack(&id);
            if !is_known || self.named_pack(&id).exists() {
                remove(&new)?;
            } else {
                move_path(&new, &self.named_pack(&id))?;
            }
        }
        crate::unpack::remove_leftovers(&self.unpack_root());
        Ok(())
    }
}

/// The names in a folder that have this ending, without it.
fn names(folder: &Path, ending: &str) -> Vec<String> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let name = |file: fs::DirEntry| Some(file.file_name().to_str()?.strip_suffix(ending)?.to_owned());
    let mut found: Vec<String> = files.filter_map(name).filter(|name| !name.starts_with('.')).collect();
    found.sort_unstable();
    found
}

fn remove(path: &Path) -> Result<(), VaultError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(WriteError::new(path, error).into())
        }
        _ => Ok(()),
    }
}
