//! A pack: pieces in frames of zstd, one after another, and parity at the end.
//!
//! The file is a stream that `zstd -dc` reads: what is not pieces stands in frames that decompressors pass over. What is
//! where, only the index of the pack says.

mod reader;
mod squeeze;
mod writer;

pub(crate) use reader::PackReader;
pub(crate) use writer::PackWriter;

use crate::blocks::Guard;
use crate::id::ChunkId;

/// How every pack begins, inside of a frame that is passed over.
const HEAD: &[u8] = b"annals vault pack, version 1\n";

/// Where a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChunkPlace {
    /// The piece.
    pub(crate) id: ChunkId,
    /// The frame, by its number.
    pub(crate) frame: u32,
    /// Where it begins among the bytes of the frame.
    pub(crate) at: u32,
    /// How long it is.
    pub(crate) length: u32,
}

/// Where a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FramePlace {
    /// Where it begins in the file.
    pub(crate) offset: u64,
    /// How long it is there.
    pub(crate) length: u64,
    /// How many bytes it holds.
    pub(crate) bytes: u64,
}

/// All that is known of a pack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Its frames.
    pub(crate) frames: Vec<FramePlace>,
    /// Its pieces, in their order.
    pub(crate) chunks: Vec<ChunkPlace>,
    /// What it must look like.
    pub(crate) guard: Guard,
}
