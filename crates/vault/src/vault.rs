//! The vault as a folder: where its files are, who may write, and how a pack becomes part of it.
//!
//! # The crash promise
//!
//! After `kill -9` or a loss of power at any instant every version that was there is there, and a new one is there whole or
//! not at all. A pack is written and synced under a name of its own (`.new`); its index makes it count; its copy and the
//! pack's last name follow. Whatever is left over by a crash is finished, or removed, by whoever takes the lock next. A pack
//! that has its last name and no index is never removed: it can only be the work of damage.

use std::fs;
use std::path::{Path, PathBuf};

use annals_store::DataDir;
use annals_store::files::{WriteError, create_folder, move_path, replace_file, sync_folder};
use annals_store::lock::FileLock;

use crate::error::VaultError;
use crate::index::IndexFile;
use crate::witness::Witness;

const INDEX_ENDING: &str = ".index";
const PACK_ENDING: &str = ".zst";
const NEW_ENDING: &str = ".zst.new";

/// A vault on disk.
#[derive(Clone, Debug)]
pub struct Vault {
    data: DataDir,
    root: PathBuf,
}

/// The right to write to a vault; dropping it gives it back.
#[derive(Debug)]
pub(crate) struct VaultLock {
    _lock: FileLock,
}

/// The two folders of indexes: what is damaged in one is whole in the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Copy {
    First,
    Second,
}

impl Vault {
    /// The vault of a data dir. Nothing is read yet, and it need not be there.
    pub fn new(data: &DataDir) -> Self {
        Self { root: data.vault(), data: data.clone() }
    }

    /// Its folder.
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// The data dir that it is in.
    pub fn data(&self) -> &DataDir {
        &self.data
    }

    /// How many bytes its files have.
    pub fn size(&self) -> u64 {
        let folders = [self.packs(), self.indexes(Copy::First), self.indexes(Copy::Second)];
        let files = folders.iter().flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
        files.filter_map(|file| file.metadata().ok()).map(|metadata| metadata.len()).sum()
    }

    /// Takes the right to write, and clears up what a crash has left lying about.
    pub(crate) fn lock(&self) -> Result<VaultLock, VaultError> {
        let lock = FileLock::try_take(&self.data, &self.root)?.ok_or(VaultError::Locked)?;
        for folder in [self.packs(), self.indexes(Copy::First), self.indexes(Copy::Second)] {
            create_folder(&folder)?;
        }
        self.clear_up()?;
        Ok(VaultLock { _lock: lock })
    }

    pub(crate) fn packs(&self) -> PathBuf {
        self.root.join("packs")
    }

    pub(crate) fn indexes(&self, copy: Copy) -> PathBuf {
        self.root.join(if copy == Copy::First { "index" } else { "mirror" })
    }

    /// Where folders are unpacked to before they take their place.
    pub(crate) fn workshop(&self) -> PathBuf {
        self.root.join("unpacked")
    }

    pub(crate) fn index(&self, copy: Copy, id: &str) -> PathBuf {
        self.indexes(copy).join(format!("{id}{INDEX_ENDING}"))
    }

    pub(crate) fn named_pack(&self, id: &str) -> PathBuf {
        self.packs().join(format!("{id}{PACK_ENDING}"))
    }

    pub(crate) fn new_pack(&self, id: &str) -> PathBuf {
        self.packs().join(format!("{id}{NEW_ENDING}"))
    }

    /// Where a pack is, whichever name it has.
    pub(crate) fn pack(&self, id: &str) -> PathBuf {
        let (named, new) = (self.named_pack(id), self.new_pack(id));
        if !named.exists() && new.exists() { new } else { named }
    }

    /// The ids of all indexes, of either folder, in order of time.
    pub(crate) fn index_ids(&self) -> Vec<String> {
        let mut ids = names(&self.indexes(Copy::First), INDEX_ENDING);
        ids.extend(names(&self.indexes(Copy::Second), INDEX_ENDING));
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// Packs that no index lists. They are left where they are.
    pub(crate) fn packs_without_index(&self) -> Vec<PathBuf> {
        let known = self.index_ids();
        let is_unknown = |id: &String| known.binary_search(id).is_err();
        names(&self.packs(), PACK_ENDING)
            .into_iter()
            .filter(is_unknown)
            .map(|id| self.named_pack(&id))
            .collect()
    }

    /// Makes a pack count: see the promise. The pack, where there is one, lies synced under its new name.
    pub(crate) fn publish(
        &self,
        id: &str,
        index: &IndexFile,
        witness: &mut dyn Witness,
    ) -> Result<u64, VaultError> {
        let has_pack = index.places.shape.is_some();
        if has_pack {
            sync_folder(&self.packs())?;
        }
        let path = self.index(Copy::First, id);
        let bytes = index.bytes().map_err(VaultError::writing(&path))?;
        witness.goes_on()?;
        replace_file(&path, &bytes)?;
        witness.goes_on()?;
        replace_file(&self.index(Copy::Second, id), &bytes)?;
        witness.goes_on()?;
        if has_pack {
            move_path(&self.new_pack(id), &self.named_pack(id))?;
        }
        let pack = index.places.shape.as_ref().map_or(0, |shape| shape.guard.file_length());
        Ok(2 * bytes.len() as u64 + pack)
    }

    /// Removes packs that another one stands for.
    pub(crate) fn retire(&self, ids: &[String], witness: &mut dyn Witness) -> Result<(), VaultError> {
        for id in ids {
            // Its index goes last: as long as that is there, the pack counts for something.
            let parts = [self.pack(id), self.index(Copy::Second, id), self.index(Copy::First, id)];
            for path in parts {
                witness.goes_on()?;
                remove(&path)?;
            }
        }
        Ok(())
    }

    /// Finishes what a crash cut short, and removes what never came to count.
    fn clear_up(&self) -> Result<(), VaultError> {
        for id in names(&self.packs(), NEW_ENDING) {
            let is_known = self.index(Copy::First, &id).exists() || self.index(Copy::Second, &id).exists();
            let new = self.new_pack(&id);
            if !is_known || self.named_pack(&id).exists() {
                remove(&new)?;
            } else {
                move_path(&new, &self.named_pack(&id))?;
            }
        }
        crate::unpack::clear_left_overs(&self.workshop());
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
