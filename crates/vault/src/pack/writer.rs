//! A pack being written: pieces in, frames out, parity last. It has its name only when all of it is on the disk.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::PathBuf;

use annals_store::files::new_file;

use super::squeeze::{Squeezed, Squeezer};
use super::{ChunkPlace, FramePlace, HEAD, Shape};
use crate::blocks::Guard;
use crate::error::VaultError;
use crate::frame::{FRAME, skipped, skipped_head};
use crate::id::ChunkId;

/// A pack that is not finished. Dropping it removes what was written.
#[derive(Debug)]
pub(crate) struct PackWriter {
    path: PathBuf,
    file: File,
    offset: u64,
    /// The pieces of the next frame.
    open: Vec<u8>,
    squeezer: Squeezer,
    shape: Shape,
    known: HashSet<ChunkId>,
    is_kept: bool,
}

impl PackWriter {
    /// Begins a file that must not be there.
    pub(crate) fn begin(path: PathBuf) -> Result<Self, VaultError> {
        let mut file = new_file(&path).map_err(VaultError::writing(&path))?;
        let head = skipped(HEAD);
        file.write_all(&head).map_err(VaultError::writing(&path))?;
        Ok(Self {
            path,
            file,
            offset: head.len() as u64,
            open: Vec::new(),
            squeezer: Squeezer::default(),
            shape: Shape::default(),
            known: HashSet::new(),
            is_kept: false,
        })
    }

    /// Whether the piece is in it already.
    pub(crate) fn has(&self, id: &ChunkId) -> bool {
        self.known.contains(id)
    }

    /// How many bytes are written so far.
    pub(crate) fn written(&self) -> u64 {
        self.offset
    }

    /// Adds a piece, once.
    pub(crate) fn add(&mut self, id: ChunkId, bytes: &[u8]) -> Result<(), VaultError> {
        if !self.known.insert(id) {
            return Ok(());
        }
        if self.open.len() + bytes.len() > FRAME {
            let full = std::mem::replace(&mut self.open, Vec::with_capacity(FRAME));
            self.end_frame(full.len());
            let ready = self.squeezer.push(full).map_err(VaultError::writing(&self.path))?;
            self.write(ready)?;
        }
        let (frame, at) = (self.shape.frames.len() as u32, self.open.len() as u32);
        self.shape.chunks.push(ChunkPlace { id, frame, at, length: bytes.len() as u32 });
        self.open.extend_from_slice(bytes);
        Ok(())
    }

    /// The frame's number is given away when it ends; where it stands is known when it is compressed.
    fn end_frame(&mut self, bytes: usize) {
        self.shape.frames.push(FramePlace { offset: 0, length: 0, bytes: bytes as u64 });
    }

    fn write(&mut self, frames: Vec<Squeezed>) -> Result<(), VaultError> {
        for (frame, _) in frames {
            let waiting = self.shape.frames.iter_mut().find(|place| place.length == 0);
            if let Some(place) = waiting {
                (place.offset, place.length) = (self.offset, frame.len() as u64);
            }
            self.file.write_all(&frame).map_err(VaultError::writing(&self.path))?;
            self.offset += frame.len() as u64;
        }
        Ok(())
    }

    /// Brings all of it to the disk, with its parity, and says what is where.
    pub(crate) fn finish(mut self) -> Result<Shape, VaultError> {
        let last = std::mem::take(&mut self.open);
        if !last.is_empty() {
            self.end_frame(last.len());
        }
        let ready = self.squeezer.finish(last).map_err(VaultError::writing(&self.path))?;
        self.write(ready)?;
        let mut readable = File::open(&self.path).map_err(VaultError::writing(&self.path))?;
        let (guard, parity) =
            Guard::make(&mut readable, self.offset).map_err(VaultError::writing(&self.path))?;
        let written = self
            .file
            .seek(SeekFrom::Start(self.offset))
            .and_then(|_| self.file.write_all(&skipped_head(parity.len())))
            .and_then(|()| self.file.write_all(&parity))
            .and_then(|()| self.file.sync_all());
        written.map_err(VaultError::writing(&self.path))?;
        self.is_kept = true;
        Ok(Shape { guard, ..std::mem::take(&mut self.shape) })
    }

    /// Leaves what was written lying there, as a crash would.
    pub(crate) fn abandon(mut self) {
        self.is_kept = true;
    }
}

impl Drop for PackWriter {
    fn drop(&mut self) {
        if !self.is_kept {
            let _ = fs::remove_file(&self.path);
        }
    }
}
