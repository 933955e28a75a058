//! Reverts the steps of a change, one by one. Each can be run again, and finishes what was interrupted.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use super::check::{ReplacedState, is_index, is_pending};
use super::effect::Effect;
use super::entry::JournalEntry;
use crate::data_dir::DataDir;
use crate::files::{
    MoveState, Steps, WriteError, clear_left_overs, complete_move, create_folder_like_parent, exists,
    folder_of, forget_old_files, old_file_of, set_staged_time, stage, swap_and_carry_over, take_back,
};
use crate::layout::{ConfigDir, FileRole};
use crate::scan::modified_millis;
use crate::sessions_index;

/// Reverts a change.
pub(crate) struct Reverter<'r, 'w> {
    pub(crate) data: &'r DataDir,
    pub(crate) entry: &'r JournalEntry,
    pub(crate) steps: &'r mut Steps<'w>,
}

impl Reverter<'_, '_> {
    /// Reverts all steps, the last first, as far as they were made.
    pub(crate) fn revert_all(&mut self) -> Result<(), WriteError> {
        self.entry.make_folders_writable();
        for at in (0..self.entry.effects.len()).rev() {
            self.revert(at)?;
        }
        self.update_indexes();
        remove_empty_folders(&self.data.trash(&self.entry.id));
        Ok(())
    }

    /// Reverts one step.
    pub(crate) fn revert(&mut self, at: usize) -> Result<(), WriteError> {
        let entry = self.entry;
        let effect = &entry.effects[at];
        if is_pending(effect, &entry.effects[..at]) {
            return Ok(());
        }
        self.steps.step()?;
        match effect {
            // One that is in use by now stays.
            Effect::FolderCreated { path } => {
                let _ = fs::remove_dir(path);
                Ok(())
            }
            Effect::Moved { from, to } => {
                if exists(to) {
                    create_folder_like_parent(folder_of(from))?;
                }
                match MoveState::of(to, from) {
                    MoveState::Missing => Ok(()),
                    _ => complete_move(to, from, self.steps),
                }
            }
            Effect::Created { path, .. } | Effect::Replaced { path, kept: None, .. } => {
                self.discard(path, at)
            }
            Effect::Appended { path, from, to, modified_ns } => cut(path, *from, *to, *modified_ns),
            Effect::Replaced { path, kept: Some(kept), left, bytes } => {
                put_back(path, kept, left, *bytes, self.steps)
            }
        }
    }

    /// Even what we made ourselves goes to the trash: the user may want it.
    fn discard(&mut self, path: &Path, at: usize) -> Result<(), WriteError> {
        clear_left_overs(path);
        let name = path.file_name().unwrap_or_default();
        let place = self.data.trash(&self.entry.id).join(format!("undone-{at}")).join(name);
        match MoveState::of(path, &place) {
            MoveState::Missing => Ok(()),
            _ => complete_move(path, &place, self.steps),
        }
    }

    /// Corrects the indexes that could not be restored to their bytes. They are caches: an error here loses nothing.
    fn update_indexes(&self) {
        for effect in &self.entry.effects {
            let (Effect::Created { path, .. }
            | Effect::Moved { from: path, .. }
            | Effect::Appended { path, .. }) = effect
            else {
                continue;
            };
            let moved = match effect {
                Effect::Moved { to, .. } => Some(to),
                _ => None,
            };
            for path in [Some(path), moved].into_iter().flatten() {
                let Some(config) = ConfigDir::containing(path) else { continue };
                let FileRole::Session { slug, session, .. } = config.role(path) else { continue };
                let index = config.sessions_index(&slug);
                let is_stale = match self.index_effect(&index) {
                    Some(is_restored) => !is_restored,
                    None => !exists(path) && self.was_written_since(&index),
                };
                if is_stale {
                    let _ = sessions_index::refresh(&config, &slug, &session);
                }
            }
        }
    }

    /// Whether a file was written after the change began: else it is as it was before, whatever it says.
    fn was_written_since(&self, path: &Path) -> bool {
        let modified = fs::metadata(path).ok().and_then(|metadata| modified_millis(&metadata));
        modified.is_none_or(|modified| modified >= self.entry.time)
    }

    /// Whether an index that the change replaced is as it was; `None` if the change did not replace it.
    fn index_effect(&self, index: &Path) -> Option<bool> {
        self.entry.effects.iter().find_map(|effect| match effect {
            Effect::Replaced { path, kept, left, bytes } if path == index => {
                let state = ReplacedState::of(path, kept.as_deref(), left, *bytes);
                Some(matches!(state, Ok(ReplacedState::Old)))
            }
            _ => None,
        })
    }
}

/// Takes lines from the end of a file again, and gives it the time that it had.
fn cut(path: &Path, from: u64, to: u64, modified_ns: Option<u64>) -> Result<(), WriteError> {
    let file = File::open(path).map_err(WriteError::at(path))?;
    if file.metadata().map_err(WriteError::at(path))?.len() == from {
        return Ok(());
    }
    stage(path, &mut file.take(from))?;
    if let Some(modified) = modified_ns {
        set_staged_time(path, UNIX_EPOCH + Duration::from_nanos(modified));
    }
    swap_and_carry_over(path, to)
}

/// Gives a file its old bytes and its old time.
fn put_back(
    path: &Path,
    kept: &Path,
    left: &str,
    bytes: Option<u64>,
    steps: &mut Steps<'_>,
) -> Result<(), WriteError> {
    clear_left_overs(path);
    let state = ReplacedState::of(path, Some(kept), left, bytes).map_err(WriteError::at(path))?;
    if state == ReplacedState::New {
        let length = fs::metadata(path).map_err(WriteError::at(path))?.len();
        match old_file_of(path, kept) {
            Some(old) => take_back(&old, path, length)?,
            None => {
                let file = File::open(kept).map_err(WriteError::at(kept))?;
                let time = file.metadata().and_then(|metadata| metadata.modified());
                stage(path, &mut { file })?;
                if let Ok(time) = time {
                    set_staged_time(path, time);
                }
                steps.step()?;
                swap_and_carry_over(path, length)?;
            }
        }
    } else if state == ReplacedState::Other && !is_index(path) {
        return Err(WriteError::Exists { path: path.to_path_buf() });
    }
    steps.step()?;
    forget_old_files(path);
    Ok(())
}

/// Removes the folders of a batch that have nothing in them any more.
fn remove_empty_folders(folder: &Path) {
    let inside: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    for path in inside.iter().filter(|path| !path.is_symlink() && path.is_dir()) {
        remove_empty_folders(path);
    }
    let _ = fs::remove_dir(folder);
}
