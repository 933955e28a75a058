//! Pieces read from a pack: blocks checked and healed, frames kept for the next piece, each piece compared with its name.

use std::fs::File;
use std::io::{Read as _, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{ChunkPlace, Shape};
use crate::blocks::{BLOCK, Health};
use crate::error::VaultError;
use crate::frame::{decompress, skipped_head};
use crate::id::ChunkId;

/// A pack that is read.
#[derive(Debug)]
pub(crate) struct PackReader<'s> {
    path: PathBuf,
    file: File,
    shape: &'s Shape,
}

/// The bytes of a frame, and how many blocks had to be healed for them.
#[derive(Clone, Debug)]
pub(crate) struct Read {
    pub(crate) bytes: Arc<Vec<u8>>,
    pub(crate) healed: u64,
}

impl<'s> PackReader<'s> {
    /// Opens a pack that has this shape.
    pub(crate) fn open(path: &Path, shape: &'s Shape) -> Result<Self, VaultError> {
        let file = File::open(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => VaultError::PackGone { path: path.to_path_buf() },
            _ => VaultError::Read(annals_store::read::ReadError::new(path, error)),
        })?;
        Ok(Self { path: path.to_path_buf(), file, shape })
    }

    /// All bytes of a frame.
    pub(crate) fn frame(&mut self, number: u32) -> Result<Read, VaultError> {
        let damaged = |what| VaultError::Damaged { path: self.path.clone(), what };
        let place = self.shape.frames.get(number as usize).ok_or_else(|| damaged("it lacks a frame"))?;
        let stretch = self.shape.guard.stretch(&mut self.file, place.offset, place.length);
        let (frame, healed) = stretch.map_err(|_| damaged("several of its blocks"))?;
        let bytes =
            decompress(&frame, place.bytes as usize).map_err(|_| damaged("a frame does not unfold"))?;
        Ok(Read { bytes: Arc::new(bytes), healed })
    }

    /// A piece among the bytes of its frame, if it is what its name says.
    pub(crate) fn piece<'f>(&self, frame: &'f [u8], place: &ChunkPlace) -> Result<&'f [u8], VaultError> {
        let (from, to) = (place.at as usize, place.at as usize + place.length as usize);
        let bytes = frame.get(from..to).filter(|bytes| ChunkId::of(bytes) == place.id);
        bytes.ok_or_else(|| VaultError::Damaged {
            path: self.path.clone(),
            what: "a piece is not what its name says",
        })
    }

    /// Looks at every byte: how many blocks are damaged and can be healed, and how many cannot.
    pub(crate) fn survey(&mut self) -> (u64, u64) {
        let guard = &self.shape.guard;
        let (mut healable, mut lost) = (0, 0);
        for at in 0..guard.length.div_ceil(BLOCK) {
            match guard.block(&mut self.file, at) {
                Ok((_, Health::Whole)) => {}
                Ok((_, Health::Healed)) => healable += 1,
                Err(_) => lost += 1,
            }
        }
        let parity =
            (0..guard.parity.len() as u64).filter(|group| !guard.parity_is_whole(&mut self.file, *group));
        (healable + parity.count() as u64 + u64::from(!self.ends_well()), lost)
    }

    /// Whether the frame of the parity begins, and the file ends, as it should.
    fn ends_well(&mut self) -> bool {
        let guard = &self.shape.guard;
        let mut head = [0; 8];
        let read =
            self.file.seek(SeekFrom::Start(guard.length)).and_then(|_| self.file.read_exact(&mut head));
        let length = self.file.metadata().map(|metadata| metadata.len());
        read.is_ok()
            && head == skipped_head(guard.parity_length() as usize)
            && length.is_ok_and(|length| length == guard.file_length())
    }

    /// The guarded bytes of the file, healed, block by block.
    pub(crate) fn healed(
        &mut self,
        mut each: impl FnMut(&[u8]) -> Result<(), VaultError>,
    ) -> Result<(), VaultError> {
        let guard = &self.shape.guard;
        for at in 0..guard.length.div_ceil(BLOCK) {
            let block = guard.block(&mut self.file, at);
            let damaged = |_| VaultError::Damaged { path: self.path.clone(), what: "several of its blocks" };
            each(&block.map_err(damaged)?.0)?;
        }
        Ok(())
    }
}
