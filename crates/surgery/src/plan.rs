//! A plan: every edit by line, and every file that is created, moved or removed. Making a plan changes nothing.

use std::path::{Path, PathBuf};

use annals_store::FileBytes;
use annals_store::changes::Change;
use annals_store::digest::sha256_bytes;

use crate::edit::{FileEdit, Mtime};

/// How detailed the preview of a plan is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PreviewDetail {
    /// Every edit by line.
    #[default]
    ByLine,
    /// One line per file, for many files that change in the same way.
    ByFile,
}

/// Changes that are applied together.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// A short description, for the journal.
    pub what: String,
    /// Edits of files of lines: sessions, sub-agents, histories.
    pub edits: Vec<FileEdit>,
    /// Other files to create, replace, move or discard, in order.
    pub changes: Vec<Change>,
    /// Other files that the plan was made from, with their digests: if one has changed, nothing is applied.
    pub depends_on: Vec<(PathBuf, [u8; 32])>,
    /// Files of the user that are changed, each with its folder: if a link leads to one by then, nothing is applied.
    pub plain: Vec<(PathBuf, PathBuf)>,
    /// Session files that are locked while the plan is applied.
    pub locked: Vec<PathBuf>,
    /// The folder that paths in the trash are relative to: the config dir, or the folder of a single file.
    pub root: PathBuf,
    /// Whether the recorded usage no longer tells what a request would cost.
    pub usage_is_off: bool,
    /// How detailed the preview is.
    pub detail: PreviewDetail,
    /// Notes for the user.
    pub notes: Vec<String>,
}

impl Plan {
    /// A plan without changes.
    pub fn new(what: impl Into<String>, root: &Path) -> Self {
        Self { what: what.into(), root: root.to_path_buf(), ..Self::default() }
    }

    /// Adds the edits of a file, if any, and locks the file.
    pub fn edit(&mut self, edit: FileEdit) {
        if !edit.is_empty() {
            self.locked.push(edit.path().to_path_buf());
            self.edits.push(edit);
        }
    }

    /// Makes the plan depend on the content of a file.
    pub fn depend_on(&mut self, path: &Path, bytes: &[u8]) {
        self.depends_on.push((path.to_path_buf(), sha256_bytes(bytes)));
    }

    /// Replaces a file, whose content must still be the old one.
    pub fn replace(&mut self, path: &Path, old: &[u8], new: impl Into<FileBytes>) {
        self.depend_on(path, old);
        self.changes.push(Change::Replace { path: path.to_path_buf(), bytes: new.into() });
    }

    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty() && self.changes.is_empty()
    }

    /// The path of a file after the plan is applied; `None` if it goes to the trash.
    pub fn path_after(&self, path: &Path) -> Option<PathBuf> {
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

    /// All changes to the disk, in order.
    pub fn all_changes(&self) -> Vec<Change> {
        let edited = self.edits.iter().map(|edit| {
            let (path, bytes) = (edit.path().to_path_buf(), edit.result().into());
            match edit.mtime() {
                Mtime::New => Change::Replace { path, bytes },
                Mtime::Kept => Change::Rewrite { path, bytes },
            }
        });
        edited.chain(self.changes.iter().cloned()).collect()
    }
}
