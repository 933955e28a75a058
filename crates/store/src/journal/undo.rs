//! Undoes a change: checks everything first, and touches nothing if a file has changed since.

use std::fs;
use std::path::{Path, PathBuf};

use super::Journal;
use super::effect::Effect;
use super::entry::{JournalEntry, Stage};
use crate::busy::{Busy, client_showing};
use crate::digest::sha256;
use crate::files::{WriteError, clear_left_overs, keep_time, move_path, replace_file, unstage};
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

/// Why something cannot come back from the trash.
const NOT_IN_TRASH: &str = "it is no longer in the trash";

impl Journal<'_> {
    /// Undoes a change, the last step first. A change that a crash cut short is undone as far as it got, and an
    /// undo that was cut short can be run again.
    pub fn undo(&self, mut entry: JournalEntry) -> Result<JournalEntry, UndoError> {
        if entry.stage == Stage::Undone {
            return Err(UndoError::AlreadyUndone { id: entry.id });
        }
        if entry.stage == Stage::Emptied {
            return Err(UndoError::Emptied { id: entry.id });
        }
        let mut locks = Vec::new();
        for (at, effect) in entry.effects.iter().enumerate() {
            if is_pending(effect, &entry.effects[..at]) {
                continue;
            }
            check(effect, &entry.effects[at + 1..])?;
            if let Effect::Moved { to, .. } = effect
                && let Some(busy) = client_showing(to)
            {
                return Err(UndoError::Busy { path: to.clone(), busy });
            }
            if let Effect::Appended { path, .. } | Effect::Created { path, .. } = effect {
                let lock = FileLock::try_take(self.data, path)?;
                locks.push(lock.ok_or_else(|| UndoError::Busy { path: path.clone(), busy: Busy::Locked })?);
            }
        }
        for (at, effect) in entry.effects.iter().enumerate().rev() {
            if is_pending(effect, &entry.effects[..at]) {
                continue;
            }
            self.revert(effect, &entry.id, at)?;
        }
        entry.stage = Stage::Undone;
        self.write(&entry)?;
        Ok(entry)
    }

    fn revert(&self, effect: &Effect, id: &str, at: usize) -> Result<(), WriteError> {
        if let Effect::Created { path, .. } | Effect::Replaced { path, .. } = effect {
            // New bytes that never took their name, ours or of a process that was killed.
            unstage(path);
            clear_left_overs(path);
        }
        match effect {
            Effect::Moved { from, to } if exists(to) => move_path(to, from),
            Effect::Created { path, .. } if exists(path) => {
                // Even what we made ourselves goes to the trash: the user may want it.
                let name = path.file_name().unwrap_or_default();
                move_path(path, &self.data.trash(id).join(format!("undone-{at}")).join(name))
            }
            Effect::Appended { path, from, .. } => {
                let bytes = fs::read(path).map_err(WriteError::at(path))?;
                let before = usize::try_from(*from).unwrap_or(usize::MAX).min(bytes.len());
                if before == bytes.len() { Ok(()) } else { replace_file(path, &bytes[..before]) }
            }
            Effect::Replaced { path, kept: Some(kept), .. } => {
                let bytes = fs::read(kept).map_err(WriteError::at(kept))?;
                replace_file(path, &bytes)?;
                keep_time(kept, path);
                Ok(())
            }
            Effect::Replaced { path, kept: None, .. } if exists(path) => {
                let name = path.file_name().unwrap_or_default();
                move_path(path, &self.data.trash(id).join(format!("undone-{at}")).join(name))
            }
            Effect::Moved { .. } | Effect::Created { .. } | Effect::Replaced { .. } => Ok(()),
        }
    }
}

/// Whether a file was to be made where another one still is: that one was to go first.
fn is_pending(effect: &Effect, earlier: &[Effect]) -> bool {
    let Effect::Created { path, .. } = effect else { return false };
    let is_there_still =
        |effect: &Effect| matches!(effect, Effect::Moved { from, to } if from == path && !exists(to));
    earlier.iter().any(is_there_still)
}

fn is_made_by(effects: &[Effect], place: &Path) -> bool {
    effects.iter().any(|effect| matches!(effect, Effect::Created { path, .. } if path == place))
}

fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Returns the path of a file after later steps of the same change moved it or a folder above it, as far as they were done.
fn place_now(path: &Path, later: &[Effect]) -> PathBuf {
    later.iter().fold(path.to_path_buf(), |place, effect| match effect {
        Effect::Moved { from, to } if !exists(from) && exists(to) => match place.strip_prefix(from) {
            Ok(inside) if inside.as_os_str().is_empty() => to.clone(),
            Ok(inside) => to.join(inside),
            Err(_) => place,
        },
        _ => place,
    })
}

fn check(effect: &Effect, later: &[Effect]) -> Result<(), UndoError> {
    let changed = |path: &Path, why| Err(UndoError::ChangedSince { path: path.to_path_buf(), why });
    let length = |path: &Path| fs::metadata(path).map(|metadata| metadata.len());
    match effect {
        Effect::Moved { from, to } => match (exists(from), exists(to)) {
            // What took its place in the same change goes first.
            (true, true) if is_made_by(later, from) => Ok(()),
            (true, true) => changed(from, "something else now exists at its old path"),
            (false, false) => changed(to, NOT_IN_TRASH),
            _ => Ok(()),
        },
        Effect::Created { path, bytes } => match length(path) {
            Ok(found) if found != *bytes => changed(path, "it was changed since"),
            _ => Ok(()),
        },
        Effect::Appended { path, from, to } => match length(path) {
            // The second case is an undo that was cut short.
            Ok(found) if found == *to || found == *from => Ok(()),
            Ok(_) => changed(path, "it was changed since"),
            Err(_) => changed(path, "it no longer exists"),
        },
        Effect::Replaced { path, kept, left } => {
            let path = &place_now(path, later);
            let same = |path: &Path, digest: &str| fs::read(path).is_ok_and(|bytes| sha256(&bytes) == digest);
            let is_old = match kept {
                Some(kept) => {
                    fs::read(kept).ok().is_some_and(|old| fs::read(path).is_ok_and(|bytes| bytes == old))
                }
                None => !exists(path),
            };
            match kept {
                Some(kept) if !exists(kept) => changed(kept, NOT_IN_TRASH),
                _ if same(path, left) || is_old => Ok(()),
                _ => changed(path, "it was changed since"),
            }
        }
    }
}
