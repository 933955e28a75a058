//! Undoes a change: checks everything first, and touches nothing if a file has changed since.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::check::{check, is_pending};
use super::effect::Effect;
use super::entry::{JournalEntry, Stage};
use super::{Journal, Reverter};
use crate::busy::{Busy, client_showing};
use crate::files::{Steps, WriteError};
use crate::lock::FileLock;

/// Why a change was not undone.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UndoError {
    /// It was undone before.
    #[error("{id} is already undone")]
    AlreadyUndone {
        /// The entry.
        id: String,
    },
    /// What it took away was deleted for good.
    #[error("{id} can no longer be undone: the trash was emptied")]
    Emptied {
        /// The entry.
        id: String,
    },
    /// A file is not as the change left it.
    #[error("{}: {why}", path.display())]
    ChangedSince {
        /// The file.
        path: PathBuf,
        /// How.
        why: &'static str,
    },
    /// Another process is writing to a file.
    #[error("{}: {busy}", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
        /// Who.
        busy: Busy,
    },
    /// The disk.
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl Journal<'_> {
    /// Undoes a change, the last step first. A change that a crash interrupted is undone as far as it got, and an
    /// undo that was interrupted can be run again.
    pub fn undo(&self, entry: JournalEntry) -> Result<JournalEntry, UndoError> {
        self.undo_in_steps(entry, &mut Steps::unwatched())
    }

    /// The same; a watcher of the steps may stop it at one, as a crash would.
    pub fn undo_in_steps(
        &self,
        mut entry: JournalEntry,
        steps: &mut Steps<'_>,
    ) -> Result<JournalEntry, UndoError> {
        if entry.stage == Stage::Undone {
            return Err(UndoError::AlreadyUndone { id: entry.id });
        }
        if entry.stage == Stage::Emptied {
            return Err(UndoError::Emptied { id: entry.id });
        }
        let _locks = self.lock_files(&entry)?;
        for (at, effect) in entry.effects.iter().enumerate() {
            if !is_pending(effect, &entry.effects[..at]) {
                check(effect, &entry.effects[at + 1..], entry.stage)?;
            }
        }
        Reverter { data: self.data, entry: &entry, steps }.revert_all()?;
        steps.step()?;
        entry.stage = Stage::Undone;
        self.write(&entry)?;
        Ok(entry)
    }

    /// Locks the files that undo writes to, and looks for clients that show them.
    fn lock_files(&self, entry: &JournalEntry) -> Result<Vec<FileLock>, UndoError> {
        let is_lines = |path: &Path| path.extension().is_some_and(|extension| extension == "jsonl");
        let mut paths = BTreeSet::new();
        for effect in &entry.effects {
            match effect {
                Effect::FolderCreated { .. } => {}
                Effect::Moved { from, to } => {
                    let ours = [from, to].into_iter().filter(|path| !path.starts_with(self.data.path()));
                    paths.extend(ours.filter(|path| is_lines(path)));
                }
                Effect::Created { path, .. }
                | Effect::Appended { path, .. }
                | Effect::Replaced { path, .. } => {
                    paths.insert(path);
                }
            }
            let shown = match effect {
                Effect::Moved { to, .. } => to,
                other => other.path(),
            };
            if let Some(busy) = client_showing(shown) {
                return Err(UndoError::Busy { path: shown.clone(), busy });
            }
        }
        let mut locks: Vec<FileLock> = Vec::new();
        let mut taken = BTreeSet::new();
        for path in paths.into_iter().filter(|path| taken.insert(self.data.lock_of(path))) {
            let lock = FileLock::try_take(self.data, path)?;
            locks.push(lock.ok_or_else(|| UndoError::Busy { path: path.clone(), busy: Busy::Locked })?);
        }
        Ok(locks)
    }
}
