//! What a set of changes will do, and copies of what it will replace. Nothing of the store is touched.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Change, ChangeSet, ChangesError, not_a_file};
use crate::data_dir::DataDir;
use crate::digest::sha256;
use crate::files::{OldFile, WriteError, copy_file, create_folder, exists, sync_folder, target_of};
use crate::journal::Effect;

/// What will happen.
pub(super) struct Preparation {
    /// Folders first; then one effect for each change, in their order, but for indexes and folders.
    pub(super) effects: Vec<Effect>,
    /// How many of them are folders.
    pub(super) folders: usize,
    /// The files that will be replaced, by their effects.
    pub(super) old_files: Vec<(usize, OldFile)>,
}

impl Preparation {
    pub(super) fn new(set: &ChangeSet<'_>, data: &DataDir, trash: &Path) -> Result<Self, ChangesError> {
        let effects: Vec<Effect> = missing_folders(set.changes, data)
            .into_iter()
            .map(|path| Effect::FolderCreated { path })
            .collect();
        let mut prepared = Self { folders: effects.len(), effects, old_files: Vec::new() };
        for (at, change) in set.changes.iter().enumerate() {
            if let Some(effect) = prepared.effect(change, &set.changes[..at], set, trash)? {
                prepared.effects.push(effect);
            }
        }
        Ok(prepared)
    }

    fn effect(
        &mut self,
        change: &Change,
        earlier: &[Change],
        set: &ChangeSet<'_>,
        trash: &Path,
    ) -> Result<Option<Effect>, ChangesError> {
        let is_cleared = |place: &PathBuf| {
            earlier.iter().any(|change| matches!(change, Change::Discard { path } if path == place))
        };
        let fail = |error: WriteError| Err(ChangesError::Before(error));
        Ok(Some(match change {
            Change::Folder { .. } | Change::RefreshIndex { .. } => return Ok(None),
            Change::Replace { path, bytes } | Change::Rewrite { path, bytes } => {
                self.replacing(path, bytes, &trash.join(format!("kept-{}", earlier.len())), set)?
            }
            Change::Place { path, .. } if exists(path) && !is_cleared(path) => {
                return fail(WriteError::Exists { path: path.clone() });
            }
            Change::Place { from, path } => {
                let bytes =
                    fs::metadata(from).map_err(WriteError::at(from)).map_err(ChangesError::Before)?.len();
                Effect::Created { path: path.clone(), bytes }
            }
            Change::Create { path, .. } if exists(path) => {
                return fail(WriteError::Exists { path: path.clone() });
            }
            Change::Create { path, bytes, .. } => {
                Effect::Created { path: path.clone(), bytes: bytes.len() as u64 }
            }
            Change::Move { to, .. } if exists(to) => return fail(WriteError::Exists { path: to.clone() }),
            Change::Move { from, .. } | Change::Discard { path: from } if !exists(from) => {
                return fail(WriteError::Vanished { path: from.clone() });
            }
            Change::Move { from, to } => Effect::Moved { from: from.clone(), to: to.clone() },
            Change::Discard { path } => {
                let inside =
                    path.strip_prefix(set.root).unwrap_or_else(|_| path.strip_prefix("/").unwrap_or(path));
                Effect::Moved { from: path.clone(), to: trash.join(inside) }
            }
        }))
    }

    /// Copies the old file to the data folder, and keeps it open.
    fn replacing(
        &mut self,
        path: &Path,
        bytes: &[u8],
        folder: &Path,
        set: &ChangeSet<'_>,
    ) -> Result<Effect, ChangesError> {
        let target = target_of(path).map_err(ChangesError::Before)?;
        let mut kept = None;
        if exists(&target) {
            let (copy, old, digest) = keep(&target, folder).map_err(ChangesError::Before)?;
            let base = set.based_on.iter().find(|(based, _)| based == path);
            if base.is_some_and(|(_, base)| *base != digest) {
                return Err(ChangesError::Changed { path: path.to_path_buf() });
            }
            self.old_files.push((self.effects.len(), old));
            kept = Some(copy);
        }
        Ok(Effect::Replaced { path: target, kept, left: sha256(bytes), bytes: Some(bytes.len() as u64) })
    }
}

/// Copies a file to a folder of the trash, synced; returns the copy, the file itself, still open, and its sha256.
pub(super) fn keep(path: &Path, folder: &Path) -> Result<(PathBuf, OldFile, [u8; 32]), WriteError> {
    if !path.is_file() {
        return Err(not_a_file(path));
    }
    create_folder(folder)?;
    let kept = folder.join(path.file_name().unwrap_or_default());
    let copied = copy_file(path, &kept)?;
    sync_folder(folder)?;
    let digest = copied.digest;
    Ok((kept, OldFile::new(path, copied), digest))
}

/// The folders that have to be made, the topmost first.
fn missing_folders(changes: &[Change], data: &DataDir) -> Vec<PathBuf> {
    let is_moved_there = |folder: &Path| {
        changes.iter().any(|change| match change {
            Change::Move { to, .. } => folder.starts_with(to),
            _ => false,
        })
    };
    let mut missing: Vec<PathBuf> = Vec::new();
    for change in changes {
        let lowest = match change {
            Change::Replace { path, .. } | Change::Rewrite { path, .. } | Change::Create { path, .. } => {
                path.parent()
            }
            Change::Place { path, .. } | Change::Move { to: path, .. } => path.parent(),
            Change::Folder { path, .. } => Some(path.as_path()),
            Change::Discard { .. } | Change::RefreshIndex { .. } => None,
        };
        let folders = lowest.into_iter().flat_map(Path::ancestors).take_while(|folder| !folder.is_dir());
        let new = folders.filter(|folder| {
            !folder.as_os_str().is_empty() && !folder.starts_with(data.path()) && !is_moved_there(folder)
        });
        missing.extend(new.map(Path::to_path_buf));
    }
    missing.sort();
    missing.dedup();
    missing
}
