//! What a store looked like, and what has changed since: asked before every answer, so with as few questions to the system as
//! that takes.
//!
//! A folder's own time changes whenever a name comes or goes in it. As long as it is the same, the names are known, and
//! only files that grow in place are looked at: transcripts in projects, every file elsewhere. Whoever keeps something that was
//! made of a store keeps the sighting of before with it.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::path::PathBuf;
use std::time::UNIX_EPOCH;

use crate::digest::sha256;
use crate::identity::FileIdentity;
use crate::layout::ConfigDir;

/// A folder, as it was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Folder {
    /// Its identity and its time.
    pub(super) stamp: u64,
    /// Whether its time lay back far enough: what came in the same instant as the look might have been missed.
    pub(super) is_settled: bool,
    /// The files that are looked at, in the order of their names, each with identity, size and time in one number.
    pub(super) files: Vec<(String, u64)>,
}

/// What a store looked like: the text that is kept, and where in it what stands. Most of the time nothing has changed, and not
/// one name is copied.
#[derive(Clone, Debug, Default)]
pub struct Sighting {
    text: String,
    /// In the order of their paths.
    folders: Vec<Line>,
    files: Vec<Line>,
}

/// A line of the text: a folder with the files that follow it, or a file.
#[derive(Clone, Debug)]
struct Line {
    stamp: u64,
    is_settled: bool,
    name: Range<usize>,
    files: Range<usize>,
}

/// A folder of a sighting.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known<'s> {
    sighting: &'s Sighting,
    line: &'s Line,
}

impl<'s> Known<'s> {
    pub(super) fn path(self) -> &'s str {
        &self.sighting.text[self.line.name.clone()]
    }

    /// Whether it stands as it did, and nothing can have been missed.
    pub(super) fn is_same(self, stamp: u64) -> bool {
        self.line.is_settled && self.line.stamp == stamp
    }

    /// Its files, by name.
    pub(super) fn files(self) -> impl Iterator<Item = (&'s str, u64)> {
        let lines = &self.sighting.files[self.line.files.clone()];
        lines.iter().map(move |line| (&self.sighting.text[line.name.clone()], line.stamp))
    }

    /// A copy, to be changed.
    pub(super) fn to_folder(self) -> Folder {
        Folder {
            stamp: self.line.stamp,
            is_settled: self.line.is_settled,
            files: self.files().map(|(name, stamp)| (name.to_owned(), stamp)).collect(),
        }
    }
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
    /// What has changed.
    pub changes: Changes,
    /// The folders that are not as they were; none for those that are gone.
    pub(super) folders: BTreeMap<String, Option<Folder>>,
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
    /// A digest of its text.
    pub fn digest(&self) -> String {
        sha256(self.text.as_bytes())
    }

    /// Whether it is of this store, under this name: paths are kept as they were asked for.
    pub fn is_of(&self, config: &ConfigDir) -> bool {
        config.path().to_str().is_some_and(|path| self.folder(path).is_some())
    }

    /// All folders, in the order of their paths.
    pub(super) fn folders(&self) -> impl Iterator<Item = Known<'_>> {
        self.folders.iter().map(|line| Known { sighting: self, line })
    }

    /// A folder by its path.
    pub(super) fn folder(&self, path: &str) -> Option<Known<'_>> {
        let at = self.folders.binary_search_by(|line| self.text[line.name.clone()].cmp(path)).ok()?;
        Some(Known { sighting: self, line: &self.folders[at] })
    }

    /// What the store looked like after all when `seen` was compared with this, as a text to be kept. Its lines end with the one
    /// byte that no name has.
    pub fn updated(&self, seen: &Seen) -> String {
        let before = self.folders().filter(|known| !seen.folders.contains_key(known.path()));
        let mut all: BTreeMap<&str, Folder> = before.map(|known| (known.path(), known.to_folder())).collect();
        let after = seen.folders.iter().filter_map(|(path, folder)| Some((path.as_str(), folder.clone()?)));
        all.extend(after);
        let mut text = String::new();
        for (path, folder) in all {
            let settled = if folder.is_settled { 's' } else { 'u' };
            text.push_str(&format!("{settled} {:016x} {path}\0", folder.stamp));
            folder.files.iter().for_each(|(name, stamp)| text.push_str(&format!("f {stamp:016x} {name}\0")));
        }
        text
    }

    /// From its text; none where it is not one.
    pub fn parse(text: String) -> Option<Self> {
        let (mut folders, mut files): (Vec<Line>, Vec<Line>) = (Vec::new(), Vec::new());
        let mut at = 0;
        for line in text.split_terminator('\0') {
            let number = line.get(2..18)?;
            let stamp = u64::from_str_radix(number, 16).ok().filter(|_| line.get(18..19) == Some(" "))?;
            let name = at + 19..at + line.len();
            at += line.len() + 1;
            let here = files.len()..files.len();
            match line.get(..2)? {
                "f " => {
                    files.push(Line { stamp, is_settled: true, name, files: here });
                    folders.last_mut()?.files.end = files.len();
                }
                kind @ ("s " | "u ") => {
                    folders.push(Line { stamp, is_settled: kind == "s ", name, files: here })
                }
                _ => return None,
            }
        }
        Some(Self { text, folders, files })
    }
}
