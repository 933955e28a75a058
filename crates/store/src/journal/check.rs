//! Whether a change can be undone: what each step of it left is looked at, and nothing is touched.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::effect::Effect;
use super::entry::Stage;
use super::undo::UndoError;
use crate::files::{MoveState, covers, digest_of, exists};

/// Why something cannot come back from the trash.
const NOT_IN_TRASH: &str = "it is no longer in the trash";
const CHANGED: &str = "it was changed since";

/// What a replaced file is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReplacedState {
    /// As the change left it.
    New,
    /// As it was before, perhaps with more at its end: the change did not get so far, or was undone.
    Old,
    /// Neither.
    Other,
}

impl ReplacedState {
    /// Looks at a file that was replaced.
    pub(super) fn of(path: &Path, kept: Option<&Path>, left: &str, bytes: Option<u64>) -> io::Result<Self> {
        if !exists(path) {
            return Ok(if kept.is_none() { Self::Old } else { Self::Other });
        }
        let length = fs::metadata(path)?.len();
        let digest = digest_of(path, bytes.unwrap_or(u64::MAX))?;
        if digest == left && bytes.is_none_or(|bytes| bytes == length) {
            return Ok(Self::New);
        }
        let Some(kept) = kept else { return Ok(Self::Other) };
        let old_length = fs::metadata(kept)?.len();
        let may_have_grown = match bytes {
            // It begins as the new one does: it is the old one only if that goes on from there.
            Some(bytes) if digest == left => old_length > bytes,
            Some(_) => true,
            None => old_length == length,
        };
        Ok(if may_have_grown && covers(path, kept) { Self::Old } else { Self::Other })
    }
}

/// Whether a file was to be made where another one still is: that one was to go first.
pub(super) fn is_pending(effect: &Effect, earlier: &[Effect]) -> bool {
    let Effect::Created { path, .. } = effect else { return false };
    let is_there_still = |effect: &Effect| match effect {
        Effect::Moved { from, to } if from == path => !exists(to) || (exists(from) && covers(from, to)),
        _ => false,
    };
    earlier.iter().any(is_there_still)
}

/// Whether a file is the index of a project: a cache, which clients and other changes write as well.
pub(super) fn is_index(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "sessions-index.json")
}

fn is_made_by(effects: &[Effect], place: &Path) -> bool {
    effects.iter().any(|effect| matches!(effect, Effect::Created { path, .. } if path == place))
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

/// Checks one step of a change; `later` are the steps after it.
pub(super) fn check(effect: &Effect, later: &[Effect], stage: Stage) -> Result<(), UndoError> {
    let changed = |path: &Path, why| Err(UndoError::ChangedSince { path: path.to_path_buf(), why });
    let length = |path: &Path| fs::metadata(path).map(|metadata| metadata.len());
    match effect {
        Effect::FolderCreated { .. } => Ok(()),
        Effect::Moved { from, to } => match MoveState::of(from, to) {
            // What took its place in the same change goes first.
            MoveState::Conflict if is_made_by(later, from) => Ok(()),
            MoveState::Conflict => changed(from, "something else now exists at its old path"),
            // One that was interrupted may not have got so far, and the file may be gone since.
            MoveState::Missing if stage != Stage::Begun => changed(to, NOT_IN_TRASH),
            _ => Ok(()),
        },
        Effect::Created { path, bytes } => match length(path) {
            Ok(found) if found != *bytes => changed(path, CHANGED),
            _ => Ok(()),
        },
        Effect::Appended { path, from, to, .. } => match length(path) {
            // The second case is an undo that was interrupted.
            Ok(found) if found == *to || found == *from => Ok(()),
            Ok(_) => changed(path, CHANGED),
            Err(_) => changed(path, "it no longer exists"),
        },
        Effect::Replaced { path, .. } if is_index(path) => Ok(()),
        Effect::Replaced { path, kept, left, bytes } => {
            let path = &place_now(path, later);
            match ReplacedState::of(path, kept.as_deref(), left, *bytes) {
                _ if kept.as_ref().is_some_and(|kept| !exists(kept)) => {
                    changed(kept.as_ref().unwrap_or(path), NOT_IN_TRASH)
                }
                Ok(ReplacedState::New | ReplacedState::Old) => Ok(()),
                Ok(ReplacedState::Other) | Err(_) => changed(path, CHANGED),
            }
        }
    }
}
