//! A snapshot of a store's files, and the changes since: checked before every answer, so with as few system calls as
//! possible.
//!
//! A folder's time changes when a name is added or removed. While it is unchanged, the names are known, and only files that
//! grow in place are checked: transcripts in projects, every file elsewhere. Other files are compared only when the
//! folder's time changed. A cache derived from a store is saved with the snapshot from before it was read.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use memchr::memchr_iter;

use crate::digest::sha256;
use crate::layout::ConfigDir;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FolderState {
    /// Its identity and its time.
    pub(super) stamp: u64,
    /// Whether its time was old enough: a change in the same instant as the scan could be missed.
    pub(super) is_settled: bool,
    /// The checked files by name, each with a digest of identity, size and time.
    pub(super) files: Vec<(String, u64)>,
    /// A digest of the other files: each is written once, so only their names matter.
    pub(super) others: u64,
}

/// A snapshot of a store: its serialized text, and positions in it. Usually nothing has changed, and no name is copied.
#[derive(Clone, Debug, Default)]
pub struct StoreSnapshot {
    text: String,
    /// In the order of their paths.
    folders: Vec<SnapshotLine>,
    files: Vec<SnapshotLine>,
}

/// A line of the text: a folder with the files that follow it, or a file.
#[derive(Clone, Debug)]
struct SnapshotLine {
    stamp: u64,
    is_settled: bool,
    name: Range<usize>,
    files: Range<usize>,
    others: u64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct KnownFolder<'s> {
    snapshot: &'s StoreSnapshot,
    line: &'s SnapshotLine,
}

impl<'s> KnownFolder<'s> {
    pub(super) fn path(self) -> &'s str {
        &self.snapshot.text[self.line.name.clone()]
    }

    /// Whether it is unchanged and nothing can have been missed.
    pub(super) fn is_same(self, stamp: u64) -> bool {
        self.line.is_settled && self.line.stamp == stamp
    }

    /// Its files, by name.
    pub(super) fn files(self) -> impl Iterator<Item = (&'s str, u64)> {
        let lines = &self.snapshot.files[self.line.files.clone()];
        lines.iter().map(move |line| (&self.snapshot.text[line.name.clone()], line.stamp))
    }

    /// Its other files, in one number.
    pub(super) fn others(self) -> u64 {
        self.line.others
    }

    /// A copy, to be changed.
    pub(super) fn to_folder(self) -> FolderState {
        FolderState {
            stamp: self.line.stamp,
            is_settled: self.line.is_settled,
            files: self.files().map(|(name, stamp)| (name.to_owned(), stamp)).collect(),
            others: self.line.others,
        }
    }
}

/// What has changed since a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreChanges {
    /// Every file is as it was.
    Nothing,
    /// These files, and nothing else; no name has come or gone.
    Files(Vec<PathBuf>),
    /// More than that.
    More,
}

/// The difference between a scan and a snapshot.
#[derive(Clone, Debug)]
pub struct ScanDiff {
    /// What has changed.
    pub changes: StoreChanges,
    /// The folders that are not as they were; none for those that are gone.
    pub(super) folders: BTreeMap<String, Option<FolderState>>,
}

impl ScanDiff {
    /// How many folders were listed only because they had just been written to when the snapshot was taken. Once the updated
    /// snapshot is saved, they are not listed again.
    pub fn settled_folders(&self, known: &StoreSnapshot) -> usize {
        let is_settled = |(path, folder): &(&String, &Option<FolderState>)| {
            folder.as_ref().is_some_and(|folder| folder.is_settled)
                && known.folder(path).is_some_and(|known| !known.line.is_settled)
        };
        self.folders.iter().filter(is_settled).count()
    }
}

impl StoreSnapshot {
    /// Returns its digest, which identifies the state of the store.
    pub fn name(&self) -> &str {
        self.text.split_once('\0').map_or("", |(name, _)| name)
    }

    /// Whether it is of this store, under this path: paths are stored as given.
    pub fn is_of(&self, config: &ConfigDir) -> bool {
        config.path().to_str().is_some_and(|path| self.folder(path).is_some())
    }

    /// All folders, in the order of their paths.
    pub(super) fn folders(&self) -> impl Iterator<Item = KnownFolder<'_>> {
        self.folders.iter().map(|line| KnownFolder { snapshot: self, line })
    }

    /// How many folders there are.
    pub(super) fn folder_count(&self) -> usize {
        self.folders.len()
    }

    /// A folder by its path.
    pub(super) fn folder(&self, path: &str) -> Option<KnownFolder<'_>> {
        let at = self.folders.binary_search_by(|line| self.text[line.name.clone()].cmp(path)).ok()?;
        Some(KnownFolder { snapshot: self, line: &self.folders[at] })
    }

    /// What the store looked like after all when `diff` was compared with this.
    pub fn updated(&self, diff: &ScanDiff) -> Self {
        let before = self.folders().filter(|known| !diff.folders.contains_key(known.path()));
        let mut all: BTreeMap<&str, FolderState> =
            before.map(|known| (known.path(), known.to_folder())).collect();
        let after = diff.folders.iter().filter_map(|(path, folder)| Some((path.as_str(), folder.clone()?)));
        all.extend(after);
        let mut text = String::new();
        for (path, folder) in all {
            let settled = if folder.is_settled { 's' } else { 'u' };
            text.push_str(&format!("{settled} {:016x} {path}\0", folder.stamp));
            if folder.others != 0 {
                text.push_str(&format!("o {:016x} \0", folder.others));
            }
            folder.files.iter().for_each(|(name, stamp)| text.push_str(&format!("f {stamp:016x} {name}\0")));
        }
        // Text that was just written is valid.
        Self::parse(format!("{}\0{text}", sha256(text.as_bytes()))).unwrap_or_default()
    }

    /// The text to be kept: the name, then folders with their files. Its lines end with the one byte that no name has.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Parses the text; `None` if it is invalid.
    pub fn parse(text: String) -> Option<Self> {
        let bytes = text.as_bytes();
        let (mut folders, mut files): (Vec<SnapshotLine>, Vec<SnapshotLine>) = (Vec::new(), Vec::new());
        let mut ends = memchr_iter(0, bytes);
        let mut at = ends.next()? + 1;
        for end in ends {
            let (head, name) = (bytes[at..end].get(..19)?, at + 19..end);
            let stamp = hexadecimal(&head[2..18]).filter(|_| head[1] == b' ' && head[18] == b' ')?;
            at = end + 1;
            let here = files.len()..files.len();
            match head[0] {
                b'f' => {
                    files.push(SnapshotLine { stamp, is_settled: true, name, files: here, others: 0 });
                    folders.last_mut()?.files.end = files.len();
                }
                b'o' => folders.last_mut()?.others = stamp,
                kind @ (b's' | b'u') => folders.push(SnapshotLine {
                    stamp,
                    is_settled: kind == b's',
                    name,
                    files: here,
                    others: 0,
                }),
                _ => return None,
            }
        }
        (at == bytes.len()).then_some(Self { text, folders, files })
    }
}

fn hexadecimal(digits: &[u8]) -> Option<u64> {
    digits
        .iter()
        .try_fold(0_u64, |number, digit| Some(number << 4 | u64::from((*digit as char).to_digit(16)?)))
}
