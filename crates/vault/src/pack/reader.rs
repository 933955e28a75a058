//! Reads chunks from a pack: checks and repairs blocks, and compares each chunk with its id.

use std::fs::File;
use std::io::{Read as _, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{ChunkLocation, PackLayout};
use crate::blocks::{BLOCK, BlockState};
use crate::error::VaultError;
use crate::frame::{decompress, skippable_head};
use crate::id::ChunkId;

#[derive(Debug)]
pub(crate) struct PackReader<'s> {
    path: PathBuf,
    file: File,
    layout: &'s PackLayout,
}

/// The plain bytes of a frame, and how many blocks were repaired to read it.
#[derive(Clone, Debug)]
pub(crate) struct FrameData {
    pub(crate) bytes: Arc<Vec<u8>>,
    pub(crate) healed: u64,
}

impl<'s> PackReader<'s> {
    pub(crate) fn open(path: &Path, layout: &'s PackLayout) -> Result<Self, VaultError> {
        let file = File::open(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => VaultError::PackMissing { path: path.to_path_buf() },
            _ => VaultError::Read(annals_store::read::ReadError::new(path, error)),
        })?;
        Ok(Self { path: path.to_path_buf(), file, layout })
    }

    pub(crate) fn frame(&mut self, number: u32) -> Result<FrameData, VaultError> {
        let damaged = |what| VaultError::Damaged { path: self.path.clone(), what };
        let location =
            self.layout.frames.get(number as usize).ok_or_else(|| damaged("a frame is missing"))?;
        let read_range =
            self.layout.block_checks.read_range(&mut self.file, location.offset, location.length);
        let (frame, healed) = read_range.map_err(|_| damaged("several blocks of one group"))?;
        let bytes = decompress(&frame, location.bytes as usize)
            .map_err(|_| damaged("a frame cannot be decompressed"))?;
        Ok(FrameData { bytes: Arc::new(bytes), healed })
    }

    /// A chunk of a frame, if its bytes have its id.
    pub(crate) fn chunk<'f>(
        &self,
        frame: &'f [u8],
        location: &ChunkLocation,
    ) -> Result<&'f [u8], VaultError> {
        let (from, to) = (location.at as usize, location.at as usize + location.length as usize);
        let bytes = frame.get(from..to).filter(|bytes| ChunkId::of(bytes) == location.id);
        bytes.ok_or_else(|| VaultError::Damaged {
            path: self.path.clone(),
            what: "a chunk does not match its id",
        })
    }

    /// Reads every byte and counts the damaged blocks: those that can be repaired, and those that cannot.
    pub(crate) fn count_damage(&mut self) -> (u64, u64) {
        let block_checks = &self.layout.block_checks;
        let (mut healable, mut lost) = (0, 0);
        for at in 0..block_checks.length.div_ceil(BLOCK) {
            match block_checks.block(&mut self.file, at) {
                Ok((_, BlockState::Intact)) => {}
                Ok((_, BlockState::Repaired)) => healable += 1,
                Err(_) => lost += 1,
            }
        }
        let parity = (0..block_checks.parity.len() as u64)
            .filter(|group| !block_checks.parity_is_whole(&mut self.file, *group));
        (healable + parity.count() as u64 + u64::from(!self.has_valid_end()), lost)
    }

    /// Whether the parity frame starts and the file ends where they should.
    fn has_valid_end(&mut self) -> bool {
        let block_checks = &self.layout.block_checks;
        let mut head = [0; 8];
        let read = self
            .file
            .seek(SeekFrom::Start(block_checks.length))
            .and_then(|_| self.file.read_exact(&mut head));
        let length = self.file.metadata().map(|metadata| metadata.len());
        read.is_ok()
            && head == skippable_head(block_checks.parity_length() as usize)
            && length.is_ok_and(|length| length == block_checks.file_length())
    }

    /// Passes on all covered bytes, repaired, block by block.
    pub(crate) fn healed(
        &mut self,
        mut each: impl FnMut(&[u8]) -> Result<(), VaultError>,
    ) -> Result<(), VaultError> {
        let block_checks = &self.layout.block_checks;
        for at in 0..block_checks.length.div_ceil(BLOCK) {
            let block = block_checks.block(&mut self.file, at);
            let damaged =
                |_| VaultError::Damaged { path: self.path.clone(), what: "several blocks of one group" };
            each(&block.map_err(damaged)?.0)?;
        }
        Ok(())
    }
}
