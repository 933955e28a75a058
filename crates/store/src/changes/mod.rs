//! Changes several files as one: noted in the journal, staged, swapped in, and undone together.
//!
//! # The crash promise
//!
//! After `kill -9` or a loss of power at any instant the store is as before, as after, or in between with an entry in the
//! journal from which [`Journal::undo`](crate::journal::Journal::undo) restores every byte, also if the data folder is on
//! another file system. No file is ever half written: new bytes are synced under a temporary name before they take their
//! own, and old files are kept until the user empties the trash. What another program appends to a file meanwhile is not
//! lost: the change is reverted. So it is if a disk is full, or a file cannot be written.

mod apply;
mod index;
mod prepare;

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

pub(crate) use index::refresh_index;

use crate::data_dir::DataDir;
use crate::file_bytes::FileBytes;
use crate::files::WriteError;
use crate::journal::JournalEntry;
use crate::session::InUse;
use crate::source::Source;

/// One change of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// A file gets other bytes; of a link, its target does.
    Replace {
        /// The file.
        path: PathBuf,
        /// What it will hold.
        bytes: FileBytes,
    },
    /// The same for one that stays as old as it is: the time of the last change orders sessions.
    Rewrite {
        /// The file.
        path: PathBuf,
        /// What it will hold.
        bytes: FileBytes,
    },
    /// A file that is not there is made.
    Create {
        /// The file.
        path: PathBuf,
        /// What it will hold.
        bytes: FileBytes,
        /// Its permission bits; by default it is for its owner only.
        mode: Option<u32>,
    },
    /// Moves a prepared file, with its mode and times, to a path where nothing exists, or will exist once an earlier change
    /// is done. Undo moves it to the trash.
    Place {
        /// The prepared file.
        from: PathBuf,
        /// The file.
        path: PathBuf,
    },
    /// A folder that is not there is made.
    Folder {
        /// The folder.
        path: PathBuf,
        /// Its permission bits; by default those of the folder that it is made in.
        mode: Option<u32>,
    },
    /// Moves a file or folder to a path where nothing exists.
    Move {
        /// The old path.
        from: PathBuf,
        /// The new path.
        to: PathBuf,
    },
    /// A file or folder goes to the trash.
    Discard {
        /// What goes.
        path: PathBuf,
    },
    /// Once all else is done, the index of a project is brought up to date for a session. The index is a cache: without one,
    /// or if it cannot be read, nothing happens.
    RefreshIndex {
        /// The session's file, as it will be named.
        session: PathBuf,
    },
}

impl Change {
    /// The file that gets bytes.
    pub fn written(&self) -> Option<&Path> {
        match self {
            Self::Replace { path, .. } | Self::Rewrite { path, .. } | Self::Create { path, .. } => Some(path),
            _ => None,
        }
    }
}

/// Why changes were not made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChangesError {
    /// Nothing was changed, or all of it was reverted.
    #[error(transparent)]
    Before(WriteError),
    /// A file is not what the changes were made from. Nothing was changed.
    #[error("{}: the file changed since it was read", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// Another program wrote to a file meanwhile. All that was done was reverted.
    #[error(transparent)]
    InUse(InUse),
    /// After some changes, which could not be reverted: the journal entry undoes them.
    #[error("{source}; undo what was done so far: annals undo {id}")]
    Midway {
        /// The entry.
        id: String,
        /// What went wrong.
        source: WriteError,
    },
    /// The callback stopped it.
    #[error("stopped midway; undo what was done so far: annals undo {id}")]
    Stopped {
        /// The journal entry; empty if nothing was written to the journal yet.
        id: String,
    },
}

impl ChangesError {
    /// The error of the disk, if it is one.
    pub fn write_error(&self) -> Option<&WriteError> {
        match self {
            Self::Before(error) | Self::Midway { source: error, .. } => Some(error),
            Self::InUse(InUse::Write(error)) => Some(error),
            _ => None,
        }
    }
}

/// Changes that are made as one.
#[derive(Clone, Copy, Debug)]
pub struct ChangeSet<'a> {
    /// The changes, in order.
    pub changes: &'a [Change],
    /// A description, for the journal.
    pub what: &'a str,
    /// The folder that paths in the trash are relative to: the config dir, or the folder of a single file.
    pub root: &'a Path,
    /// What replaced files held when the changes were made up, by their sha256.
    pub based_on: &'a [(PathBuf, [u8; 32])],
}

impl ChangeSet<'_> {
    /// Makes the changes. `watch` is called before each step and may stop there, as a crash would.
    pub fn apply(
        &self,
        data: &DataDir,
        source: &dyn Source,
        watch: &mut dyn FnMut(usize) -> ControlFlow<()>,
    ) -> Result<JournalEntry, ChangesError> {
        apply::apply(self, data, source, watch)
    }
}

/// Makes changes, in order. `root` is the folder that paths in the trash are relative to; `watch` is called before each step
/// and may stop there, as a crash would.
pub fn apply(
    changes: &[Change],
    what: &str,
    root: &Path,
    data: &DataDir,
    source: &dyn Source,
    watch: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Result<JournalEntry, ChangesError> {
    ChangeSet { changes, what, root, based_on: &[] }.apply(data, source, watch)
}

fn not_a_file(path: &Path) -> WriteError {
    WriteError::new(path, io::Error::other("not a regular file"))
}
