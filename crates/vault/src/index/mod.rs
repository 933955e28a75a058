//! The index of a pack: its contents and the versions that came with it. Small, and stored twice.
//!
//! An index is two zstd frames behind a skippable head; both hold lines of JSON. The first lists versions, which is all
//! that listing sessions needs; the second lists locations.

mod file;
mod locations;
mod versions;

pub(crate) use file::{IndexFile, is_whole, read_locations, read_versions};

use crate::id::{ChunkId, ContentId};
use crate::pack::PackLayout;
use crate::version::Version;

/// The versions that came with a pack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PackVersions {
    /// Packs that this one replaces: they are ignored even if their files are still there.
    pub(crate) replaces: Vec<String>,
    /// In the order in which they were archived.
    pub(crate) versions: Vec<Version>,
}

/// Where the chunks of a pack are, and how files are made of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Locations {
    /// `None` if nothing new had to be stored.
    pub(crate) layout: Option<PackLayout>,
    pub(crate) contents: Vec<StoredContent>,
}

/// How the bytes of a file are put together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredContent {
    pub(crate) id: ContentId,
    pub(crate) bytes: u64,
    /// A content that this one starts with.
    pub(crate) base: Option<ContentId>,
    /// The session id that was masked in the rest; empty for none.
    pub(crate) mask: String,
    /// The chunks of the rest.
    pub(crate) chunks: Vec<ChunkId>,
}
