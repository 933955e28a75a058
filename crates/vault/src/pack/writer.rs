//! Writes a pack: chunks in, frames out, parity last. It is renamed to its final name only after everything is on the disk.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::PathBuf;

use annals_store::files::new_file;

use super::compress::{CompressedFrame, FrameCompressor};
use super::{ChunkLocation, FrameLocation, HEAD, PackLayout};
use crate::blocks::BlockChecks;
use crate::error::VaultError;
use crate::frame::{FRAME, skippable_frame, skippable_head};
use crate::id::ChunkId;

/// A pack that is not finished. Dropping it removes the file.
#[derive(Debug)]
pub(crate) struct PackWriter {
    path: PathBuf,
    file: File,
    offset: u64,
    /// The chunks of the next frame.
    open: Vec<u8>,
    compressor: FrameCompressor,
    layout: PackLayout,
    known: HashSet<ChunkId>,
    should_keep: bool,
}

impl PackWriter {
    /// Creates a file that must not exist.
    pub(crate) fn begin(path: PathBuf) -> Result<Self, VaultError> {
        let mut file = new_file(&path).map_err(VaultError::writing(&path))?;
        let head = skippable_frame(HEAD);
        file.write_all(&head).map_err(VaultError::writing(&path))?;
        Ok(Self {
            path,
            file,
            offset: head.len() as u64,
            open: Vec::new(),
            compressor: FrameCompressor::default(),
            layout: PackLayout::default(),
            known: HashSet::new(),
            should_keep: false,
        })
    }

    pub(crate) fn has(&self, id: &ChunkId) -> bool {
        self.known.contains(id)
    }

    pub(crate) fn written(&self) -> u64 {
        self.offset
    }

    /// Adds a chunk unless the pack has it.
    pub(crate) fn add(&mut self, id: ChunkId, bytes: &[u8]) -> Result<(), VaultError> {
        if !self.known.insert(id) {
            return Ok(());
        }
        if self.open.len() + bytes.len() > FRAME {
            let full = std::mem::replace(&mut self.open, Vec::with_capacity(FRAME));
            self.end_frame(full.len());
            let ready = self.compressor.push(full).map_err(VaultError::writing(&self.path))?;
            self.write(ready)?;
        }
        let (frame, at) = (self.layout.frames.len() as u32, self.open.len() as u32);
        self.layout.chunks.push(ChunkLocation { id, frame, at, length: bytes.len() as u32 });
        self.open.extend_from_slice(bytes);
        Ok(())
    }

    /// Numbers a frame when it ends; its offset is known only after compression.
    fn end_frame(&mut self, bytes: usize) {
        self.layout.frames.push(FrameLocation { offset: 0, length: 0, bytes: bytes as u64 });
    }

    fn write(&mut self, frames: Vec<CompressedFrame>) -> Result<(), VaultError> {
        for (frame, _) in frames {
            let waiting = self.layout.frames.iter_mut().find(|location| location.length == 0);
            if let Some(location) = waiting {
                (location.offset, location.length) = (self.offset, frame.len() as u64);
            }
            self.file.write_all(&frame).map_err(VaultError::writing(&self.path))?;
            self.offset += frame.len() as u64;
        }
        Ok(())
    }

    /// Writes everything and the parity to the disk, and returns the layout.
    pub(crate) fn finish(mut self) -> Result<PackLayout, VaultError> {
        let last = std::mem::take(&mut self.open);
        if !last.is_empty() {
            self.end_frame(last.len());
        }
        let ready = self.compressor.finish(last).map_err(VaultError::writing(&self.path))?;
        self.write(ready)?;
        let mut readable = File::open(&self.path).map_err(VaultError::writing(&self.path))?;
        let (block_checks, parity) =
            BlockChecks::compute(&mut readable, self.offset).map_err(VaultError::writing(&self.path))?;
        let written = self
            .file
            .seek(SeekFrom::Start(self.offset))
            .and_then(|_| self.file.write_all(&skippable_head(parity.len())))
            .and_then(|()| self.file.write_all(&parity))
            .and_then(|()| self.file.sync_all());
        written.map_err(VaultError::writing(&self.path))?;
        self.should_keep = true;
        Ok(PackLayout { block_checks, ..std::mem::take(&mut self.layout) })
    }

    /// Leaves the unfinished file behind, as a crash would.
    pub(crate) fn abandon(mut self) {
        self.should_keep = true;
    }
}

impl Drop for PackWriter {
    fn drop(&mut self) {
        if !self.should_keep {
            let _ = fs::remove_file(&self.path);
        }
    }
}
