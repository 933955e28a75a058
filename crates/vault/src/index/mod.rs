//! The index of a pack: what is in it, and which versions came with it. Small, and kept twice.
//!
//! An index is two frames of zstd after a head that decompressors pass over; unfolded, both are lines of JSON. The first
//! lists versions, which is all that a list of sessions needs; the second says what is where.

mod file;
mod lines;
mod places;

pub(crate) use file::{IndexFile, is_whole, read_places, read_versions};

use crate::id::{ChunkId, ContentId};
use crate::pack::Shape;
use crate::version::Version;

/// The versions that came with a pack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Versions {
    /// The packs that this one stands for: they count no more, even if they are still there.
    pub(crate) replaces: Vec<String>,
    /// In the order in which they were kept.
    pub(crate) versions: Vec<Version>,
}

/// What is where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Places {
    /// The pack; none where nothing new was to be stored.
    pub(crate) shape: Option<Shape>,
    /// Contents that came with it.
    pub(crate) contents: Vec<Content>,
}

/// How the bytes of a file are put together again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Content {
    /// The sha256 of all of them.
    pub(crate) id: ContentId,
    /// How many they are.
    pub(crate) bytes: u64,
    /// Contents that these begin with.
    pub(crate) base: Option<ContentId>,
    /// The word that was taken out of the rest; empty for none.
    pub(crate) mask: String,
    /// The pieces of the rest.
    pub(crate) chunks: Vec<ChunkId>,
}
