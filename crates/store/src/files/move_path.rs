//! Moving a file or a folder, also to another file system.
//!
//! Across file systems a move is a copy under a temporary name, which takes its own when it is complete; then the original
//! is set aside, the copy gets what came meanwhile, and the original goes. Whenever that is interrupted, at least one place
//! has all of it, and [`complete_move`] finishes it or takes it back.

use std::fs;
use std::io;
use std::path::Path;

use super::WriteError;
use super::copy::{catch_up, copy, covers, exists, remove};
use super::folder::{create_folder, sync_folder};
use super::steps::Steps;
use super::temporary::{all_aside, all_staged, aside, staged};

/// Moves a file or folder to a path where nothing exists.
pub fn move_path(from: &Path, to: &Path) -> Result<(), WriteError> {
    move_in_steps(from, to, &mut Steps::unwatched())
}

pub(crate) fn move_in_steps(from: &Path, to: &Path, steps: &mut Steps<'_>) -> Result<(), WriteError> {
    if exists(to) {
        return Err(WriteError::Exists { path: to.to_path_buf() });
    }
    create_folder(parent(to))?;
    match fs::rename(from, to) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => return move_across(from, to, steps),
        Err(error) => return Err(WriteError::new(from, error)),
    }
    sync_folder(parent(to))?;
    sync_folder(parent(from))
}

fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

fn move_across(from: &Path, to: &Path, steps: &mut Steps<'_>) -> Result<(), WriteError> {
    let new = staged(to);
    remove(&new)?;
    steps.step()?;
    if let Err(error) = copy(from, &new, steps) {
        if !matches!(error, WriteError::Stopped) {
            let _ = remove(&new);
        }
        return Err(error);
    }
    steps.step()?;
    fs::rename(&new, to).map_err(WriteError::at(to))?;
    sync_folder(parent(to))?;
    steps.step()?;
    let old = set_aside(from)?;
    steps.step()?;
    catch_up(&old, to)?;
    steps.step()?;
    remove(&old)
}

/// Takes a name away: from then on nobody finds the file by it. Returns where it is.
fn set_aside(path: &Path) -> Result<std::path::PathBuf, WriteError> {
    let old = aside(path);
    remove(&old)?;
    fs::rename(path, &old).map_err(WriteError::at(path))?;
    sync_folder(parent(path))?;
    Ok(old)
}

/// What is at the two places of a move, which may have been interrupted, in this direction or the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MoveState {
    /// Only at the old place.
    Before,
    /// Only at the new place.
    After,
    /// At both; the new place has all of it.
    NewHasAll,
    /// At both; the old place has all of it.
    OldHasAll,
    /// At both, and they differ.
    Conflict,
    /// At neither.
    Missing,
}

impl MoveState {
    /// Looks at both places.
    pub(crate) fn of(from: &Path, to: &Path) -> Self {
        match (exists(from) || is_aside(from, to), exists(to) || is_aside(to, from)) {
            (true, false) => Self::Before,
            (false, true) => Self::After,
            (false, false) => Self::Missing,
            (true, true) if !exists(from) => Self::NewHasAll,
            (true, true) if !exists(to) => Self::OldHasAll,
            (true, true) if covers(to, from) => Self::NewHasAll,
            (true, true) if covers(from, to) => Self::OldHasAll,
            (true, true) => Self::Conflict,
        }
    }
}

/// Whether the only copy of something is the one that was set aside.
fn is_aside(path: &Path, other: &Path) -> bool {
    !exists(other) && !all_aside(path).is_empty()
}

/// Moves what is at `from` to `to`, also if an earlier move, in this direction or the other, was interrupted: what is at both
/// places is compared, and goes from the place that has less.
pub(crate) fn complete_move(from: &Path, to: &Path, steps: &mut Steps<'_>) -> Result<(), WriteError> {
    for path in [from, to] {
        all_staged(path).iter().try_for_each(|staged| remove(staged))?;
    }
    for (path, other) in [(from, to), (to, from)] {
        take_in(path, other)?;
    }
    match MoveState::of(from, to) {
        MoveState::After => Ok(()),
        MoveState::Before => move_in_steps(from, to, steps),
        MoveState::NewHasAll => {
            let old = set_aside(from)?;
            steps.step()?;
            remove(&old)
        }
        MoveState::OldHasAll => {
            let old = set_aside(to)?;
            steps.step()?;
            remove(&old)?;
            move_in_steps(from, to, steps)
        }
        MoveState::Conflict => Err(WriteError::Exists { path: to.to_path_buf() }),
        MoveState::Missing => Err(WriteError::Vanished { path: from.to_path_buf() }),
    }
}

/// Adds what was set aside at a path to its copy at the other; without a copy it takes its name again.
fn take_in(path: &Path, other: &Path) -> Result<(), WriteError> {
    for old in all_aside(path) {
        if exists(other) {
            catch_up(&old, other)?;
            remove(&old)?;
        } else if !exists(path) {
            fs::rename(&old, path).map_err(WriteError::at(path))?;
            sync_folder(parent(path))?;
        }
    }
    Ok(())
}
