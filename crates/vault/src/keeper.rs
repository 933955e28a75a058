//! A vault that is open for writing: its lock, and all that it holds, in memory.

use annals_store::files::replace_file;
use annals_store::read::read_file;

use crate::catalogue::Catalogue;
use crate::error::VaultError;
use crate::index::IndexFile;
use crate::shelves::{Shelf, Shelves};
use crate::vault::{Copy, Vault, VaultLock};
use crate::witness::{Nobody, Witness};

/// Whoever may write to a vault. There is one at a time.
#[derive(Debug)]
pub struct Keeper {
    vault: Vault,
    _lock: VaultLock,
    pub(crate) catalogue: Catalogue,
    pub(crate) shelves: Shelves,
}

impl Vault {
    /// Opens the vault for writing; what a crash cut short is brought to its end first.
    pub fn keeper(&self) -> Result<Keeper, VaultError> {
        let lock = self.lock()?;
        let mut catalogue = self.catalogue()?;
        // First of all: a pack that was replaced would count again if the one that replaced it went.
        self.retire(&catalogue.replaced, &mut Nobody)?;
        catalogue.replaced.clear();
        let shelves = self.shelves(&catalogue)?;
        let keeper = Keeper { vault: self.clone(), _lock: lock, catalogue, shelves };
        keeper.complete_copies()?;
        Ok(keeper)
    }
}

impl Keeper {
    /// The vault.
    pub fn vault(&self) -> &Vault {
        &self.vault
    }

    /// Its versions.
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// Makes a pack count, here and on the disk.
    pub(crate) fn publish(
        &mut self,
        id: String,
        index: IndexFile,
        witness: &mut dyn Witness,
    ) -> Result<u64, VaultError> {
        let stored = self.vault.publish(&id, &index, witness)?;
        self.catalogue.add(id.clone(), index.versions.versions);
        self.shelves.add(Shelf { id, places: index.places, is_there: true });
        Ok(stored)
    }

    /// Reads everything again, after packs were replaced.
    pub(crate) fn reload(&mut self) -> Result<(), VaultError> {
        self.catalogue = self.vault.catalogue()?;
        self.shelves = self.vault.shelves(&self.catalogue)?;
        Ok(())
    }

    /// An index that is there once is there twice.
    fn complete_copies(&self) -> Result<(), VaultError> {
        for id in self.catalogue.pack_ids() {
            let (first, second) = (self.vault.index(Copy::First, id), self.vault.index(Copy::Second, id));
            match (first.exists(), second.exists()) {
                (true, false) => replace_file(&second, &read_file(&first)?)?,
                (false, true) => replace_file(&first, &read_file(&second)?)?,
                _ => {}
            }
        }
        Ok(())
    }
}
