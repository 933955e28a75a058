//! Reads contents back and compares every chunk and every whole with its sha256.

use std::collections::HashMap;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::chunk_index::ChunkIndex;
use crate::error::VaultError;
use crate::frame::FRAME;
use crate::id::{ChunkId, ContentId};
use crate::mask::Unmasker;
use crate::pack::PackReader;
use crate::vault::Vault;

/// The size of the cache of frames: two full ones, or many small ones. The chunks of a session are in few frames.
const MAX_CACHED_BYTES: usize = 2 * FRAME;

/// A frame by its pack and number, and its plain bytes.
type CachedFrame = ((usize, u32), Arc<Vec<u8>>);

/// Reads contents from a vault.
#[derive(Debug)]
pub struct VaultReader<'s> {
    vault: &'s Vault,
    chunk_index: &'s ChunkIndex,
    packs: HashMap<usize, PackReader<'s>>,
    /// The most recently used is last.
    frames: Vec<CachedFrame>,
    /// How many damaged blocks were repaired while reading.
    pub healed: u64,
}

impl<'s> VaultReader<'s> {
    /// A reader of a vault with the chunk index that was read from it.
    pub fn new(vault: &'s Vault, chunk_index: &'s ChunkIndex) -> Self {
        Self { vault, chunk_index, packs: HashMap::new(), frames: Vec::new(), healed: 0 }
    }

    /// Passes the bytes of a content to `sink`. They are only verified when this returns `Ok`; until then the caller must
    /// not publish them.
    pub fn content(
        &mut self,
        id: ContentId,
        sink: &mut dyn FnMut(&[u8]) -> Result<(), VaultError>,
    ) -> Result<(), VaultError> {
        let (mut hasher, mut length) = (Sha256::new(), 0);
        let mut plain = Vec::new();
        for content in self.chunk_index.chain(id)? {
            let mut unmasker = Unmasker::new(&content.mask);
            for chunk in &content.chunks {
                plain.clear();
                let unlike = |_| VaultError::ContentMismatch { content: content.id };
                self.chunk(chunk, &mut |bytes| unmasker.push(bytes, &mut plain).map_err(unlike))?;
                hasher.update(&plain);
                length += plain.len() as u64;
                sink(&plain)?;
            }
            // The start of a file that grew is a content itself and is verified as well.
            let digest: [u8; 32] = hasher.clone().finalize().into();
            if ContentId::of_digest(&digest) != content.id || length != content.bytes {
                return Err(VaultError::ContentMismatch { content: content.id });
            }
        }
        Ok(())
    }

    /// Passes on a chunk as it is stored.
    pub(crate) fn chunk(
        &mut self,
        id: &ChunkId,
        take: &mut dyn FnMut(&[u8]) -> Result<(), VaultError>,
    ) -> Result<(), VaultError> {
        let (pack, location) = self.chunk_index.chunk(id).ok_or(VaultError::LostChunk { chunk: *id })?;
        let frame = self.frame(pack, location.frame)?;
        let reader = self.packs.get(&pack).ok_or(VaultError::LostChunk { chunk: *id })?;
        take(reader.chunk(&frame, location)?)
    }

    fn frame(&mut self, pack: usize, number: u32) -> Result<Arc<Vec<u8>>, VaultError> {
        let wanted = (pack, number);
        if let Some(at) = self.frames.iter().position(|(key, _)| *key == wanted) {
            let kept = self.frames.remove(at);
            let bytes = Arc::clone(&kept.1);
            self.frames.push(kept);
            return Ok(bytes);
        }
        let coming = self.chunk_index.layout(pack).and_then(|layout| layout.frames.get(number as usize));
        let coming = coming.map_or(0, |location| location.bytes as usize);
        let kept = |frames: &[CachedFrame]| frames.iter().map(|(_, bytes)| bytes.len()).sum::<usize>();
        while !self.frames.is_empty() && kept(&self.frames) + coming > MAX_CACHED_BYTES {
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
            Entry::Vacant(location) => {
                let id = &self.chunk_index.packs()[number].id;
                let path = self.vault.pack(id);
                let layout = self.chunk_index.layout(number);
                let layout = layout.ok_or_else(|| VaultError::PackMissing { path: path.clone() })?;
                Ok(location.insert(PackReader::open(&path, layout)?))
            }
        }
    }
}
