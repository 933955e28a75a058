//! An index in memory of where packs, chunks and contents are.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use crate::catalogue::Catalogue;
use crate::error::VaultError;
use crate::id::{ChunkId, ContentId};
use crate::index::{Locations, StoredContent, read_locations};
use crate::pack::{ChunkLocation, PackLayout};
use crate::vault::{IndexCopy, Vault};

/// Finds chunks and contents in the packs of a vault.
#[derive(Debug, Default)]
pub struct ChunkIndex {
    packs: Vec<PackEntry>,
    chunks: HashMap<ChunkId, (usize, usize)>,
    contents: HashMap<ContentId, (usize, usize)>,
    /// Indexes of which both copies of the locations are unreadable.
    pub(crate) unreadable: Vec<PathBuf>,
}

/// A pack and what its index lists.
#[derive(Debug)]
pub(crate) struct PackEntry {
    pub(crate) id: String,
    pub(crate) locations: Locations,
    /// Whether the pack file exists.
    pub(crate) is_there: bool,
}

impl Vault {
    /// Reads the locations of all packs.
    pub fn chunk_index(&self, catalogue: &Catalogue) -> Result<ChunkIndex, VaultError> {
        let mut chunk_index = ChunkIndex::default();
        for id in catalogue.pack_ids() {
            match self.read_either(id, read_locations) {
                Ok(locations) => {
                    let is_there = locations.layout.is_none() || self.pack(id).exists();
                    chunk_index.add(PackEntry { id: id.clone(), locations, is_there });
                }
                Err(error @ VaultError::UnknownFormat { .. }) => return Err(error),
                Err(_) => chunk_index.unreadable.push(self.index(IndexCopy::First, id)),
            }
        }
        Ok(chunk_index)
    }
}

impl ChunkIndex {
    /// Adds a pack. Chunks of a missing pack file are not listed, so that the next archive run stores them again.
    pub(crate) fn add(&mut self, entry: PackEntry) {
        let number = self.packs.len();
        if let Some(layout) = entry.locations.layout.as_ref().filter(|_| entry.is_there) {
            for (at, chunk) in layout.chunks.iter().enumerate() {
                self.chunks.insert(chunk.id, (number, at));
            }
        }
        for (at, content) in entry.locations.contents.iter().enumerate() {
            // The later description wins: contents are only described again if chunks of the earlier one were lost.
            self.contents.insert(content.id, (number, at));
        }
        self.packs.push(entry);
    }

    pub(crate) fn packs(&self) -> &[PackEntry] {
        &self.packs
    }

    pub(crate) fn layout(&self, pack: usize) -> Option<&PackLayout> {
        self.packs.get(pack)?.locations.layout.as_ref()
    }

    pub(crate) fn has_chunk(&self, id: &ChunkId) -> bool {
        self.chunks.contains_key(id)
    }

    /// The pack that holds a chunk, and its location there.
    pub(crate) fn chunk(&self, id: &ChunkId) -> Option<(usize, &ChunkLocation)> {
        let (pack, at) = *self.chunks.get(id)?;
        Some((pack, self.layout(pack)?.chunks.get(at)?))
    }

    pub(crate) fn content(&self, id: &ContentId) -> Option<&StoredContent> {
        let (pack, at) = *self.contents.get(id)?;
        self.packs.get(pack)?.locations.contents.get(at)
    }

    /// A content and the contents that it starts with, the innermost first.
    pub(crate) fn chain(&self, id: ContentId) -> Result<Vec<&StoredContent>, VaultError> {
        let mut chain = Vec::new();
        let mut next = Some(id);
        while let Some(id) = next {
            let content = self.content(&id).ok_or(VaultError::LostContent { content: id })?;
            chain.push(content);
            // Each base is shorter than the content that starts with it; a cycle is damage.
            next = content.base;
            let is_shorter =
                |base: &ContentId| self.content(base).is_none_or(|base| base.bytes < content.bytes);
            if !next.as_ref().is_none_or(is_shorter) {
                return Err(VaultError::LostContent { content: id });
            }
        }
        chain.reverse();
        Ok(chain)
    }

    /// Whether all chunks of a content are there.
    pub(crate) fn is_whole(&self, id: ContentId) -> bool {
        self.chain(id).is_ok_and(|chain| {
            chain.iter().all(|content| content.chunks.iter().all(|chunk| self.has_chunk(chunk)))
        })
    }

    /// The contents and chunks that these contents need.
    pub(crate) fn needed(
        &self,
        contents: impl Iterator<Item = ContentId>,
    ) -> (HashSet<ContentId>, HashSet<ChunkId>) {
        let (mut needed, mut chunks) = (HashSet::new(), HashSet::new());
        for id in contents {
            let mut next = Some(id);
            while let Some(id) = next.filter(|id| needed.insert(*id)) {
                let content = self.content(&id);
                chunks.extend(content.iter().flat_map(|content| content.chunks.iter().copied()));
                next = content.and_then(|content| content.base);
            }
        }
        (needed, chunks)
    }
}
