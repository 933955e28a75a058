//! Changes several files as one: staged, written to the journal, swapped in, and undone together.
//!
//! # The crash promise
//!
//! After `kill -9` or a loss of power at any instant the store is as before, as after, or in between with an entry in the
//! journal from which [`Journal::undo`](crate::journal::Journal::undo) restores every byte. No file is ever half written:
//! new bytes are synced in a file next to the old one before the first rename, and old files are kept until the user
//! empties the trash.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::data_dir::DataDir;
use crate::files::{WriteError, move_path, stage_file, stage_with_old_time, swap_in, unstage};
use crate::journal::{Effect, Journal, JournalEntry};
use crate::source::Source;

/// One change of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// A file gets other bytes.
    Replace {
        /// The file.
        path: PathBuf,
        /// What it will hold.
        bytes: Vec<u8>,
    },
    /// The same for one that stays as old as it is: the time of the last change orders sessions.
    Rewrite {
        /// The file.
        path: PathBuf,
        /// What it will hold.
        bytes: Vec<u8>,
    },
    /// A file that is not there is made.
    Create {
        /// The file.
        path: PathBuf,
        /// What it will hold.
        bytes: Vec<u8>,
    },
    /// Moves a prepared file, with its mode and times, to a path where nothing exists, or will exist once an earlier change
    /// is done. Undo moves it to the trash.
    Place {
        /// The prepared file.
        from: PathBuf,
        /// The file.
        path: PathBuf,
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
}

impl Change {
    /// The file that gets bytes.
    pub fn written(&self) -> Option<&Path> {
        match self {
            Self::Replace { path, .. } | Self::Rewrite { path, .. } | Self::Create { path, .. } => Some(path),
            Self::Place { .. } | Self::Move { .. } | Self::Discard { .. } => None,
        }
    }
}

/// Why changes were not made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChangesError {
    /// Before the first change: nothing was changed.
    #[error(transparent)]
    Before(WriteError),
    /// After some changes: the journal entry undoes them.
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
    let mut steps = 0;
    let mut goes_on = || {
        steps += 1;
        watch(steps - 1).is_continue()
    };
    let id = Journal::new_id(source);
    let trash = data.trash(&id);
    let mut staged: Vec<PathBuf> = Vec::new();
    let abandon = |staged: &[PathBuf], error: WriteError| {
        staged.iter().for_each(|path| unstage(path));
        ChangesError::Before(error)
    };
    for change in changes {
        if !goes_on() {
            return Err(ChangesError::Stopped { id: String::new() });
        }
        let done = match change {
            Change::Replace { path, bytes } | Change::Create { path, bytes } => stage_file(path, bytes),
            Change::Rewrite { path, bytes } => stage_with_old_time(path, bytes),
            Change::Place { .. } | Change::Move { .. } | Change::Discard { .. } => continue,
        };
        done.map_err(|error| abandon(&staged, error))?;
        staged.extend(change.written().map(Path::to_path_buf));
    }
    let effects: Result<Vec<_>, _> =
        changes.iter().enumerate().map(|(at, change)| effect(change, &changes[..at], root, &trash)).collect();
    let effects = effects.map_err(|error| abandon(&staged, error))?;
    if !goes_on() {
        return Err(ChangesError::Stopped { id: String::new() });
    }
    let journal = Journal::new(data);
    let entry = journal.begin(id, source.now(), what, effects).map_err(|error| abandon(&staged, error))?;
    for (change, effect) in changes.iter().zip(&entry.effects) {
        if !goes_on() {
            return Err(ChangesError::Stopped { id: entry.id });
        }
        let done = match effect {
            Effect::Created { path, .. } if let Change::Place { from, .. } = change => move_path(from, path),
            Effect::Replaced { path, .. } | Effect::Created { path, .. } => swap_in(path),
            Effect::Moved { from, to } => move_path(from, to),
            Effect::Appended { .. } => Ok(()),
        };
        done.map_err(|source| ChangesError::Midway { id: entry.id.clone(), source })?;
    }
    if !goes_on() {
        return Err(ChangesError::Stopped { id: entry.id });
    }
    let id = entry.id.clone();
    journal.finish(entry).map_err(|source| ChangesError::Midway { id, source })
}

fn effect(change: &Change, earlier: &[Change], root: &Path, trash: &Path) -> Result<Effect, WriteError> {
    let exists = |path: &Path| std::fs::symlink_metadata(path).is_ok();
    let is_cleared = |place: &PathBuf| {
        earlier.iter().any(|change| matches!(change, Change::Discard { path } if path == place))
    };
    match change {
        Change::Replace { path, bytes } | Change::Rewrite { path, bytes } => {
            Effect::replacing(path, bytes, &trash.join(format!("kept-{}", earlier.len())))
        }
        Change::Place { path, .. } if exists(path) && !is_cleared(path) => {
            Err(WriteError::Exists { path: path.clone() })
        }
        Change::Place { from, path } => {
            let bytes = std::fs::metadata(from).map_err(WriteError::at(from))?.len();
            Ok(Effect::Created { path: path.clone(), bytes })
        }
        Change::Create { path, .. } if exists(path) => Err(WriteError::Exists { path: path.clone() }),
        Change::Create { path, bytes } => {
            Ok(Effect::Created { path: path.clone(), bytes: bytes.len() as u64 })
        }
        Change::Move { to, .. } if exists(to) => Err(WriteError::Exists { path: to.clone() }),
        Change::Move { from, .. } | Change::Discard { path: from } if !exists(from) => {
            Err(WriteError::Vanished { path: from.clone() })
        }
        Change::Move { from, to } => Ok(Effect::Moved { from: from.clone(), to: to.clone() }),
        Change::Discard { path } => {
            let inside = path.strip_prefix(root).unwrap_or_else(|_| path.strip_prefix("/").unwrap_or(path));
            Ok(Effect::Moved { from: path.clone(), to: trash.join(inside) })
        }
    }
}
