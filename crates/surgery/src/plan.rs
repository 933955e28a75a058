//! What an operation would do: every edit by line, and every file that comes, goes or moves. Nothing is touched by a plan.

use std::path::{Path, PathBuf};

use annals_store::changes::Change;
use annals_store::digest::sha256_bytes;

use crate::edit::{Age, FileEdit};

/// How much a preview says of each file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Every edit, by line.
    #[default]
    ByLine,
    /// A line for each file: many files change, all in the same way.
    ByFile,
}

/// A change to be made as one.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// What it is, in words, for the journal.
    pub what: String,
    /// Edits of files of lines, in place: sessions, sub-agents, histories.
    pub edits: Vec<FileEdit>,
    /// Files that are made, replaced, moved or discarded beside that, in order.
    pub changes: Vec<Change>,
    /// Files that it was made from besides those that it edits, and their digests: if one is another by then, nothing is done.
    pub rests_on: Vec<(PathBuf, [u8; 32])>,
    /// Files of people's own that it changes, each below its folder: if one is reached by a link by then, nothing is done.
    pub plain: Vec<(PathBuf, PathBuf)>,
    /// The sessions' files that must not be written to by anybody else meanwhile.
    pub locked: Vec<PathBuf>,
    /// The folder that paths in the trash are relative to: the config dir, or the folder of a lone file.
    pub root: PathBuf,
    /// Sessions whose usage no longer tells what a request would cost.
    pub usage_is_off: bool,
    /// How much of it is worth a look.
    pub detail: Detail,
    /// What a person should know besides.
    pub notes: Vec<String>,
}

impl Plan {
    /// A plan that does nothing yet.
    pub fn new(what: impl Into<String>, root: &Path) -> Self {
        Self { what: what.into(), root: root.to_path_buf(), ..Self::default() }
    }

    /// Adds the edits of a file, unless there are none, and says that the file must not be written to meanwhile.
    pub fn edit(&mut self, edit: FileEdit) {
        if !edit.is_empty() {
            self.locked.push(edit.path().to_path_buf());
            self.edits.push(edit);
        }
    }

    /// A file that was read, and that the plan is right for as it was.
    pub fn rest_on(&mut self, path: &Path, bytes: &[u8]) {
        self.rests_on.push((path.to_path_buf(), sha256_bytes(bytes)));
    }

    /// A file gets other bytes than it had when it was read.
    pub fn replace(&mut self, path: &Path, old: &[u8], new: Vec<u8>) {
        self.rest_on(path, old);
        self.changes.push(Change::Replace { path: path.to_path_buf(), bytes: new });
    }

    /// Whether it would do nothing.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty() && self.changes.is_empty()
    }

    /// Where a file is when all is done; none where it goes to the trash.
    pub fn place_after(&self, path: &Path) -> Option<PathBuf> {
        let mut place = path.to_path_buf();
        for change in &self.changes {
            match change {
                Change::Move { from, to } => {
                    if let Ok(inside) = place.strip_prefix(from) {
                        place = if inside.as_os_str().is_empty() { to.clone() } else { to.join(inside) };
                    }
                }
                Change::Discard { path } if place.starts_with(path) => return None,
                _ => {}
            }
        }
        Some(place)
    }

    /// Everything that it does to the disk, in order.
    pub fn all_changes(&self) -> Vec<Change> {
        let edited = self.edits.iter().map(|edit| {
            let (path, bytes) = (edit.path().to_path_buf(), edit.result());
            match edit.age() {
                Age::New => Change::Replace { path, bytes },
                Age::Kept => Change::Rewrite { path, bytes },
            }
        });
        edited.chain(self.changes.iter().cloned()).collect()
    }
}
