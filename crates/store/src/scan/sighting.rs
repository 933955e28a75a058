//! What a store looked like, and what has changed since: asked before every answer, so with as few questions to the system as
//! that takes.
//!
//! A folder's own time changes whenever a name comes or goes in it. As long as it is the same, the names are known, and
//! only files that grow in place are looked at: transcripts in projects, every file elsewhere. Whoever keeps something that was
//! made of a store keeps the sighting of before with it.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use crate::identity::FileIdentity;

/// A folder, as it was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Folder {
    /// Its identity and its time.
    pub(super) stamp: u64,
    /// Whether its time lay back far enough: what came in the same instant as the look might have been missed.
    pub(super) is_settled: bool,
    /// The files that are looked at, by name, each with identity, size and time in one number.
    pub(super) files: BTreeMap<String, u64>,
}

/// What a store looked like.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sighting {
    pub(super) folders: BTreeMap<PathBuf, Folder>,
}

/// What has changed since a sighting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changes {
    /// Nothing.
    Nothing,
    /// These files, and nothing else; no name has come or gone.
    Files(Vec<PathBuf>),
    /// More than that.
    More,
}

/// A new look, and how it differs from the one before.
#[derive(Clone, Debug)]
pub struct Seen {
    /// What the store looks like now.
    pub sighting: Sighting,
    /// What has changed.
    pub changes: Changes,
}

/// One number for what a file or folder is and when it was written.
pub(super) fn stamp(metadata: &Metadata) -> u64 {
    let since = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let bytes = if metadata.is_file() { metadata.len() } else { 0 };
    let mut hasher = DefaultHasher::new();
    (FileIdentity::of(metadata), bytes, since.map(|since| since.as_nanos())).hash(&mut hasher);
    hasher.finish()
}

impl Sighting {
    /// As a text, to be kept. Folders whose names are no single line of text are left out: they are looked into each time.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for (path, folder) in &self.folders {
            let is_plain = |name: &str| !name.contains(['\n', '\r']);
            let Some(name) = path.to_str().filter(|name| is_plain(name)) else { continue };
            if !folder.files.keys().all(|name| is_plain(name)) {
                continue;
            }
            let settled = if folder.is_settled { 's' } else { 'u' };
            text.push_str(&format!("{settled} {:016x} {name}\n", folder.stamp));
            folder.files.iter().for_each(|(name, stamp)| text.push_str(&format!("f {stamp:016x} {name}\n")));
        }
        text
    }

    /// From its text; none where it is not one.
    pub fn parse(text: &str) -> Option<Self> {
        let mut sighting = Self::default();
        let mut open: Option<(PathBuf, Folder)> = None;
        for line in text.lines() {
            let (kind, rest) = line.split_at_checked(2)?;
            let (number, name) = rest.split_at_checked(17)?;
            let stamp = u64::from_str_radix(number.trim_end(), 16).ok()?;
            if kind == "f " {
                open.as_mut()?.1.files.insert(name.to_owned(), stamp);
                continue;
            }
            let is_settled = match kind {
                "s " => true,
                "u " => false,
                _ => return None,
            };
            sighting.folders.extend(open.replace((
                Path::new(name).to_path_buf(),
                Folder { stamp, is_settled, files: BTreeMap::new() },
            )));
        }
        sighting.folders.extend(open);
        Some(sighting)
    }
}
