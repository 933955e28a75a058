//! A session in one file, to move it to another store: the session, its sub-agents and its side files, byte for byte.
//!
//! The file is a tar archive compressed with zstd, laid out as a config dir, with a manifest in front: see docs/bundle.md.

mod gather;
mod manifest;
mod plan;
mod read;
mod tar;
#[cfg(test)]
mod tests;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use annals_store::layout::FileRole;
use annals_store::{AgentEntry, ConfigDir, FileBytes, SessionKey, Slug};

pub use gather::{GatherError, gather};
pub use plan::{ImportIds, ImportPlan, ImportPlanError, ImportTarget, plan};
pub use read::BundleError;
pub use tar::TarError;

use crate::session::{AgentFile, Session};
use crate::session_files::SessionFile;

/// The level of compression.
const LEVEL: i32 = 9;

/// A session with everything that belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    pub session: SessionKey,
    /// The folder of its project.
    pub slug: Slug,
    /// Its files, the session first.
    pub files: Vec<BundleFile>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleFile {
    /// Its path relative to a config dir, with `/` between its parts.
    pub path: String,
    /// Its content.
    pub bytes: FileBytes,
}

impl Bundle {
    /// Writes the file; the same session gives the same bytes.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut packed = zstd::stream::write::Encoder::new(out, LEVEL)?;
        packed.include_checksum(true)?;
        tar::write_file(&mut packed, manifest::MANIFEST, &manifest::write(self))?;
        for file in &self.files {
            tar::write_file(&mut packed, &file.path, &file.bytes)?;
        }
        tar::write_end(&mut packed)?;
        packed.finish()?.flush()
    }

    /// How many bytes its files have.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes.len() as u64).sum()
    }

    /// The session and its side files, as if they were in a config dir.
    fn unpack(&self, root: &Path) -> (Session, Vec<SessionFile>) {
        let config = ConfigDir::new(root);
        let mut session = Session {
            path: config.session(&self.slug, &self.session),
            key: self.session.clone(),
            bytes: FileBytes::default(),
            agents: Vec::new(),
            home: Some((config, self.slug.clone())),
        };
        let mut side_files = Vec::new();
        for file in &self.files {
            let (path, bytes) = (root.join(&file.path), file.bytes.clone());
            match FileRole::of_relative(Path::new(&file.path)) {
                FileRole::Session { .. } => session.bytes = bytes,
                FileRole::SubAgent { slug, place, agent } => {
                    let mut entry = AgentEntry::new(agent, slug, place, path);
                    entry.session = Some(self.session.clone());
                    entry.bytes = bytes.len() as u64;
                    session.agents.push(AgentFile { entry, bytes });
                }
                role => side_files.push(SessionFile { role, path, bytes }),
            }
        }
        (session, side_files)
    }

    /// The content of a file.
    fn file(&self, path: &Path) -> Option<&[u8]> {
        let file = self.files.iter().find(|file| Path::new(&file.path) == path)?;
        Some(&file.bytes)
    }

    /// Files that sessions share: plans and pastes, by their paths relative to a config dir.
    fn shared(&self) -> impl Iterator<Item = (PathBuf, &BundleFile)> {
        let is_shared = |file: &&BundleFile| {
            let role = FileRole::of_relative(Path::new(&file.path));
            matches!(role, FileRole::Plan { .. } | FileRole::PasteCache { .. })
        };
        self.files.iter().filter(is_shared).map(|file| (PathBuf::from(&file.path), file))
    }
}
