//! The memory of projects: `projects/<slug>/memory/MEMORY.md` and other files beside it, which the client keeps for the model.

use std::path::PathBuf;

use crate::key::Slug;
use crate::layout::FileRole;
use crate::read::{ReadError, read_file};
use crate::scan::Discovery;

/// A file in which the client remembers something of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryFile {
    /// The project.
    pub slug: Slug,
    /// The path under `memory`, joined by `/`.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// When it was last written, in milliseconds since 1970.
    pub modified: Option<i64>,
}

impl MemoryFile {
    /// The name that no other memory file of the store has: `<project>/<path>`.
    pub fn full_name(&self) -> String {
        format!("{}/{}", self.slug, self.name)
    }

    /// The text; invalid UTF-8 reads as U+FFFD.
    pub fn text(&self) -> Result<String, ReadError> {
        read_file(&self.path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// All memory files, by path.
pub fn memory_files(discovery: &Discovery) -> Vec<MemoryFile> {
    let of_file = |file: &crate::scan::SideFile| match &file.role {
        FileRole::Memory { slug, name } => Some(MemoryFile {
            slug: slug.clone(),
            name: name.clone(),
            path: file.path.clone(),
            bytes: file.bytes,
            modified: file.modified,
        }),
        _ => None,
    };
    discovery.side_files.iter().filter_map(of_file).collect()
}
