//! Bytes read back, each piece and each whole compared with its sha256 before anybody may rely on it.

use std::collections::HashMap;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::error::VaultError;
use crate::frame::FRAME;
use crate::id::{ChunkId, ContentId};
use crate::mask::Unmasker;
use crate::pack::PackReader;
use crate::shelves::Shelves;
use crate::vault::Vault;

/// So many bytes of unfolded frames are kept: two whole ones, or many small ones. Pieces of a session stand in few.
const MOST_KEPT: usize = 2 * FRAME;

/// A frame, by its pack and its number, and what it holds.
type Unfolded = ((usize, u32), Arc<Vec<u8>>);

/// Reads contents.
#[derive(Debug)]
pub struct Reader<'s> {
    vault: &'s Vault,
    shelves: &'s Shelves,
    packs: HashMap<usize, PackReader<'s>>,
    /// The frame that was used last is the last.
    frames: Vec<Unfolded>,
    /// How many damaged blocks were healed on the way.
    pub healed: u64,
}

impl<'s> Reader<'s> {
    /// A reader of a vault whose shelves were read.
    pub fn new(vault: &'s Vault, shelves: &'s Shelves) -> Self {
        Self { vault, shelves, packs: HashMap::new(), frames: Vec::new(), healed: 0 }
    }

    /// Hands out the bytes of some contents. Only when this returns `Ok` are they what was kept: whoever takes them must
    /// not let them be seen before.
    pub fn content(
        &mut self,
        id: ContentId,
        sink: &mut dyn FnMut(&[u8]) -> Result<(), VaultError>,
    ) -> Result<(), VaultError> {
        let (mut hasher, mut length) = (Sha256::new(), 0);
        let mut plain = Vec::new();
        for content in self.shelves.chain(id)? {
            let mut unmasker = Unmasker::new(&content.mask);
            for chunk in &content.chunks {
                plain.clear();
                let unlike = |_| VaultError::Unlike { content: content.id };
                self.piece(chunk, &mut |bytes| unmasker.push(bytes, &mut plain).map_err(unlike))?;
                hasher.update(&plain);
                length += plain.len() as u64;
                sink(&plain)?;
            }
            // The beginning of a file that grew is itself something that was kept: it is checked as well.
            let digest: [u8; 32] = hasher.clone().finalize().into();
            if ContentId::of_digest(&digest) != content.id || length != content.bytes {
                return Err(VaultError::Unlike { content: content.id });
            }
        }
        Ok(())
    }

    /// Hands out a piece as it is stored.
    pub(crate) fn piece(
        &mut self,
        id: &ChunkId,
        take: &mut dyn FnMut(&[u8]) -> Result<(), VaultError>,
    ) -> Result<(), VaultError> {
        let (pack, place) = self.shelves.chunk(id).ok_or(VaultError::LostPiece { chunk: *id })?;
        let frame = self.frame(pack, place.frame)?;
        let reader = self.packs.get(&pack).ok_or(VaultError::LostPiece { chunk: *id })?;
        take(reader.piece(&frame, place)?)
    }

    fn frame(&mut self, pack: usize, number: u32) -> Result<Arc<Vec<u8>>, VaultError> {
        let wanted = (pack, number);
        if let Some(at) = self.frames.iter().position(|(key, _)| *key == wanted) {
            let kept = self.frames.remove(at);
            let bytes = Arc::clone(&kept.1);
            self.frames.push(kept);
            return Ok(bytes);
        }
        let coming = self.shelves.shape(pack).and_then(|shape| shape.frames.get(number as usize));
        let coming = coming.map_or(0, |place| place.bytes as usize);
        let kept = |frames: &[Unfolded]| frames.iter().map(|(_, bytes)| bytes.len()).sum::<usize>();
        while !self.frames.is_empty() && kept(&self.frames) + coming > MOST_KEPT {
            self.frames.remove(0);
        }
        let read = self.pack(pack)?.frame(number)?;
        self.healed += read.healed;
        self.frames.push((wanted, Arc::clone(&read.bytes)));
        Ok(read.bytes)
    }

    fn pack(&mut self, number: usize) -> Result<&mut PackReader<'s>, VaultError> {
        use std::collections::hash_map::Entry;
        match self.packs.entry(number) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(place) => {
                let id = &self.shelves.packs()[number].id;
                let path = self.vault.pack(id);
                let shape = self.shelves.shape(number);
                let shape = shape.ok_or_else(|| VaultError::PackGone { path: path.clone() })?;
                Ok(place.insert(PackReader::open(&path, shape)?))
            }
        }
    }
}
