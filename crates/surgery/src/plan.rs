//! What an operation would do: every edit by line, and every file that comes, goes or moves. Nothing is touched by a plan.

use std::path::{Path, PathBuf};

use annals_store::changes::Change;
use annals_store::digest::sha256_bytes;

use crate::edit::FileEdit;

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
    /// The sessions' files that must not be written to by anybody else meanwhile.
    pub locked: Vec<PathBuf>,
    /// The folder that paths in the trash are relative to: the config dir, or the folder of a lone file.
    pub root: PathBuf,
    /// Sessions whose usage no longer tells what a request would cost.
    pub usage_is_off: bool,
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

    /// Everything that it does to the disk, in order.
    pub fn all_changes(&self) -> Vec<Change> {
        let edited = self
            .edits
            .iter()
            .map(|edit| Change::Replace { path: edit.path().to_path_buf(), bytes: edit.result() });
        edited.chain(self.changes.iter().cloned()).collect()
    }
}
