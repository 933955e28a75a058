//! A pack file: chunks in zstd frames, and parity at the end.
//!
//! The file is a stream that `zstd -dc` reads; everything that is not chunks is in skippable frames. Only the index of the
//! pack knows where each chunk is.

mod compress;
mod reader;
mod writer;

pub(crate) use reader::PackReader;
pub(crate) use writer::PackWriter;

use crate::blocks::BlockChecks;
use crate::id::ChunkId;

/// The first bytes of a pack, inside a skippable frame.
const HEAD: &[u8] = b"annals vault pack, version 1\n";

/// Where a chunk is in a pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChunkLocation {
    pub(crate) id: ChunkId,
    /// The number of its frame.
    pub(crate) frame: u32,
    /// Its offset in the plain bytes of the frame.
    pub(crate) at: u32,
    pub(crate) length: u32,
}

/// Where a frame is in a pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrameLocation {
    pub(crate) offset: u64,
    /// Its compressed length.
    pub(crate) length: u64,
    /// Its plain length.
    pub(crate) bytes: u64,
}

/// The structure of a pack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PackLayout {
    pub(crate) frames: Vec<FrameLocation>,
    pub(crate) chunks: Vec<ChunkLocation>,
    pub(crate) block_checks: BlockChecks,
}
