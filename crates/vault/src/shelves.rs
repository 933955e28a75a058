//! What is where in a vault, in memory: packs, pieces, contents.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use crate::catalogue::Catalogue;
use crate::error::VaultError;
use crate::id::{ChunkId, ContentId};
use crate::index::{Content, Places, read_places};
use crate::pack::{ChunkPlace, Shape};
use crate::vault::{Copy, Vault};

/// Where everything is.
#[derive(Debug, Default)]
pub struct Shelves {
    packs: Vec<Shelf>,
    chunks: HashMap<ChunkId, (usize, usize)>,
    contents: HashMap<ContentId, (usize, usize)>,
    /// Indexes whose places cannot be read in either copy.
    pub(crate) unreadable: Vec<PathBuf>,
}

/// A pack and what came with it.
#[derive(Debug)]
pub(crate) struct Shelf {
    pub(crate) id: String,
    pub(crate) places: Places,
    /// Whether its file is there.
    pub(crate) is_there: bool,
}

impl Vault {
    /// Reads where everything is.
    pub fn shelves(&self, catalogue: &Catalogue) -> Result<Shelves, VaultError> {
        let mut shelves = Shelves::default();
        for id in catalogue.pack_ids() {
            match self.either(id, read_places) {
                Ok(places) => {
                    let is_there = places.shape.is_none() || self.pack(id).exists();
                    shelves.add(Shelf { id: id.clone(), places, is_there });
                }
                Err(error @ VaultError::UnknownForm { .. }) => return Err(error),
                Err(_) => shelves.unreadable.push(self.index(Copy::First, id)),
            }
        }
        Ok(shelves)
    }
}

impl Shelves {
    /// Adds a pack. Pieces of one that is not there are not listed: whoever has them may bring them again.
    pub(crate) fn add(&mut self, shelf: Shelf) {
        let number = self.packs.len();
        if let Some(shape) = shelf.places.shape.as_ref().filter(|_| shelf.is_there) {
            for (at, chunk) in shape.chunks.iter().enumerate() {
                self.chunks.insert(chunk.id, (number, at));
            }
        }
        for (at, content) in shelf.places.contents.iter().enumerate() {
            // The later one counts: contents are only described again where the earlier pieces are lost.
            self.contents.insert(content.id, (number, at));
        }
        self.packs.push(shelf);
    }

    pub(crate) fn packs(&self) -> &[Shelf] {
        &self.packs
    }

    pub(crate) fn shape(&self, pack: usize) -> Option<&Shape> {
        self.packs.get(pack)?.places.shape.as_ref()
    }

    pub(crate) fn has_chunk(&self, id: &ChunkId) -> bool {
        self.chunks.contains_key(id)
    }

    /// The pack that holds a piece, and where in it.
    pub(crate) fn chunk(&self, id: &ChunkId) -> Option<(usize, &ChunkPlace)> {
        let (pack, at) = *self.chunks.get(id)?;
        Some((pack, self.shape(pack)?.chunks.get(at)?))
    }

    pub(crate) fn content(&self, id: &ContentId) -> Option<&Content> {
        let (pack, at) = *self.contents.get(id)?;
        self.packs.get(pack)?.places.contents.get(at)
    }

    /// Contents and those that they begin with, the beginning first.
    pub(crate) fn chain(&self, id: ContentId) -> Result<Vec<&Content>, VaultError> {
        let mut chain = Vec::new();
        let mut next = Some(id);
        while let Some(id) = next {
            let content = self.content(&id).ok_or(VaultError::LostContent { content: id })?;
            chain.push(content);
            // Each base is shorter than what it is the base of: a ring is damage.
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

    /// Whether all pieces of some contents are there.
    pub(crate) fn is_whole(&self, id: ContentId) -> bool {
        self.chain(id).is_ok_and(|chain| {
            chain.iter().all(|content| content.chunks.iter().all(|chunk| self.has_chunk(chunk)))
        })
    }

    /// What these contents need: contents and pieces.
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
