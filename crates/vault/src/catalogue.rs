//! The versions of a vault, in memory.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use crate::error::VaultError;
use crate::index::{PackVersions, read_versions};
use crate::vault::{IndexCopy, Vault};
use crate::version::{SessionLocation, Version};

/// The versions of a vault.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    /// The current packs in order of time, each with its versions.
    packs: Vec<(String, Vec<Version>)>,
    /// Packs that were replaced but not removed yet.
    pub(crate) replaced: Vec<String>,
    /// Indexes of which both copies are unreadable.
    pub(crate) unreadable: Vec<PathBuf>,
}

impl Vault {
    /// Reads the versions of all packs. If one copy of an index is unreadable, the other is read.
    pub fn catalogue(&self) -> Result<Catalogue, VaultError> {
        let mut catalogue = Catalogue::default();
        let mut replaced = HashSet::new();
        for id in self.index_ids() {
            match self.read_either(&id, read_versions) {
                Ok(PackVersions { replaces, versions }) => {
                    replaced.extend(replaces);
                    catalogue.packs.push((id, versions));
                }
                Err(error @ VaultError::UnknownFormat { .. }) => return Err(error),
                Err(_) => catalogue.unreadable.push(self.index(IndexCopy::First, &id)),
            }
        }
        let (gone, packs) = catalogue.packs.into_iter().partition(|(id, _)| replaced.contains(id));
        catalogue.packs = packs;
        catalogue.replaced = Vec::into_iter(gone).map(|(id, _)| id).collect();
        Ok(catalogue)
    }

    /// Reads the first copy of an index, or the second if that fails.
    pub(crate) fn read_either<T>(
        &self,
        id: &str,
        read: impl Fn(&Path) -> Result<T, VaultError>,
    ) -> Result<T, VaultError> {
        read(&self.index(IndexCopy::First, id)).or_else(|error| {
            // If both fail, the error of the first copy explains more.
            read(&self.index(IndexCopy::Second, id)).map_err(|_| error)
        })
    }
}

impl Catalogue {
    pub(crate) fn pack_ids(&self) -> impl Iterator<Item = &String> {
        self.packs.iter().map(|(id, _)| id)
    }

    pub(crate) fn versions_of(&self, pack: &str) -> &[Version] {
        self.packs.iter().find(|(id, _)| id == pack).map_or(&[], |(_, versions)| versions)
    }

    /// All versions, oldest first.
    pub fn versions(&self) -> Vec<&Version> {
        let mut all: Vec<_> = self.packs.iter().flat_map(|(_, versions)| versions).collect();
        all.sort_by(|left, right| (left.time, &left.id).cmp(&(right.time, &right.id)));
        all
    }

    /// The sessions, each with its versions, oldest first.
    pub fn sessions(&self) -> BTreeMap<SessionLocation, Vec<&Version>> {
        let mut sessions: BTreeMap<SessionLocation, Vec<&Version>> = BTreeMap::new();
        for version in self.versions() {
            sessions.entry(version.location()).or_default().push(version);
        }
        sessions
    }

    /// The newest version of each session.
    pub fn newest(&self) -> BTreeMap<SessionLocation, &Version> {
        self.versions().into_iter().map(|version| (version.location(), version)).collect()
    }
}

impl Catalogue {
    pub(crate) fn add(&mut self, pack: String, versions: Vec<Version>) {
        self.packs.push((pack, versions));
    }
}
