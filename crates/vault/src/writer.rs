//! A vault that is open for writing, with its lock and indexes.

use annals_store::files::replace_file;
use annals_store::read::read_file;

use crate::catalogue::Catalogue;
use crate::chunk_index::{ChunkIndex, PackEntry};
use crate::error::VaultError;
use crate::index::IndexFile;
use crate::progress::{NoProgress, Progress};
use crate::vault::{IndexCopy, Vault, VaultLock};

/// Writes to a vault. There is one at a time.
#[derive(Debug)]
pub struct VaultWriter {
    vault: Vault,
    _lock: VaultLock,
    pub(crate) catalogue: Catalogue,
    pub(crate) chunk_index: ChunkIndex,
}

impl Vault {
    /// Opens the vault for writing, and finishes what a crash interrupted.
    pub fn writer(&self) -> Result<VaultWriter, VaultError> {
        let lock = self.lock()?;
        let mut catalogue = self.catalogue()?;
        // This comes first: a replaced pack would count again if the pack that replaced it were lost.
        self.remove_packs(&catalogue.replaced, &mut NoProgress)?;
        catalogue.replaced.clear();
        let chunk_index = self.chunk_index(&catalogue)?;
        let writer = VaultWriter { vault: self.clone(), _lock: lock, catalogue, chunk_index };
        writer.complete_copies()?;
        Ok(writer)
    }
}

impl VaultWriter {
    /// The vault that it writes to.
    pub fn vault(&self) -> &Vault {
        &self.vault
    }

    /// The versions of the vault.
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// Publishes a pack on the disk and in memory.
    pub(crate) fn publish(
        &mut self,
        id: String,
        index: IndexFile,
        progress: &mut dyn Progress,
    ) -> Result<u64, VaultError> {
        let stored = self.vault.publish(&id, &index, progress)?;
        self.catalogue.add(id.clone(), index.versions.versions);
        self.chunk_index.add(PackEntry { id, locations: index.locations, is_there: true });
        Ok(stored)
    }

    /// Reads the indexes again, after packs were replaced.
    pub(crate) fn reload(&mut self) -> Result<(), VaultError> {
        self.catalogue = self.vault.catalogue()?;
        self.chunk_index = self.vault.chunk_index(&self.catalogue)?;
        Ok(())
    }

    /// Restores the second copy of an index that has only one.
    fn complete_copies(&self) -> Result<(), VaultError> {
        for id in self.catalogue.pack_ids() {
            let (first, second) =
                (self.vault.index(IndexCopy::First, id), self.vault.index(IndexCopy::Second, id));
            match (first.exists(), second.exists()) {
                (true, false) => replace_file(&second, &read_file(&first)?)?,
                (false, true) => replace_file(&first, &read_file(&second)?)?,
                _ => {}
            }
        }
        Ok(())
    }
}
