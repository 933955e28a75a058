//! All versions of a vault, in memory: what a list needs.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use crate::error::VaultError;
use crate::index::{Versions, read_versions};
use crate::vault::{Copy, Vault};
use crate::version::{Place, Version};

/// The versions of a vault.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    /// The packs that count, in order of time, each with its versions.
    packs: Vec<(String, Vec<Version>)>,
    /// Packs that were replaced and are still there.
    pub(crate) replaced: Vec<String>,
    /// Indexes that cannot be read in either copy.
    pub(crate) unreadable: Vec<PathBuf>,
}

impl Vault {
    /// Reads the lists of all versions. What is unreadable in one copy is read from the other.
    pub fn catalogue(&self) -> Result<Catalogue, VaultError> {
        let mut catalogue = Catalogue::default();
        let mut replaced = HashSet::new();
        for id in self.index_ids() {
            match self.either(&id, read_versions) {
                Ok(Versions { replaces, versions }) => {
                    replaced.extend(replaces);
                    catalogue.packs.push((id, versions));
                }
                Err(error @ VaultError::UnknownForm { .. }) => return Err(error),
                Err(_) => catalogue.unreadable.push(self.index(Copy::First, &id)),
            }
        }
        let (gone, packs) = catalogue.packs.into_iter().partition(|(id, _)| replaced.contains(id));
        catalogue.packs = packs;
        catalogue.replaced = Vec::into_iter(gone).map(|(id, _)| id).collect();
        Ok(catalogue)
    }

    /// Reads from the first copy of an index, else from the second.
    pub(crate) fn either<T>(
        &self,
        id: &str,
        read: impl Fn(&Path) -> Result<T, VaultError>,
    ) -> Result<T, VaultError> {
        read(&self.index(Copy::First, id)).or_else(|error| {
            // What the first one says is the better explanation where neither can be read.
            read(&self.index(Copy::Second, id)).map_err(|_| error)
        })
    }
}

impl Catalogue {
    /// The ids of the packs that count.
    pub(crate) fn pack_ids(&self) -> impl Iterator<Item = &String> {
        self.packs.iter().map(|(id, _)| id)
    }

    /// The versions that came with a pack.
    pub(crate) fn versions_of(&self, pack: &str) -> &[Version] {
        self.packs.iter().find(|(id, _)| id == pack).map_or(&[], |(_, versions)| versions)
    }

    /// All versions, the oldest first.
    pub fn versions(&self) -> Vec<&Version> {
        let mut all: Vec<_> = self.packs.iter().flat_map(|(_, versions)| versions).collect();
        all.sort_by(|left, right| (left.time, &left.id).cmp(&(right.time, &right.id)));
        all
    }

    /// The sessions, each with its versions, the oldest first.
    pub fn sessions(&self) -> BTreeMap<Place, Vec<&Version>> {
        let mut sessions: BTreeMap<Place, Vec<&Version>> = BTreeMap::new();
        for version in self.versions() {
            sessions.entry(version.place()).or_default().push(version);
        }
        sessions
    }

    /// The newest version of each session.
    pub fn newest(&self) -> BTreeMap<Place, &Version> {
        self.versions().into_iter().map(|version| (version.place(), version)).collect()
    }
}

impl Catalogue {
    /// A pack that came to count.
    pub(crate) fn add(&mut self, pack: String, versions: Vec<Version>) {
        self.packs.push((pack, versions));
    }
}
