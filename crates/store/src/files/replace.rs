//! A file is replaced as a whole: readers see the old bytes or the new ones, never a mixture, at any instant.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::WriteError;
use super::folder::{create_folder, new_file, sync_folder};
use super::temporary::{all_staged, staged};
use crate::platform;

/// Replaces or creates a file: the bytes go to a new file next to it, are synced, and the new file is renamed.
///
/// After a crash at any instant the old file or the new one exists; a leftover ends in `.annals-new` and is removed by the
/// next replacement, or by undo. The file keeps its mode; a new one is 0600.
pub fn replace_file(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    stage_file(path, bytes)?;
    swap_in(path).inspect_err(|_| unstage(path))
}

/// The first half of a replacement: writes and syncs the new bytes next to the file, which stays unchanged.
pub fn stage_file(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    stage(path, &mut &bytes[..])
}

/// The same for bytes that come from elsewhere.
pub(crate) fn stage(path: &Path, bytes: &mut dyn io::Read) -> Result<(), WriteError> {
    create_folder(folder_of(path))?;
    clear_left_overs(path);
    let beside = staged(path);
    let file = new_file(&beside).map_err(WriteError::at(path))?;
    let done = fill(file, bytes).and_then(|()| keep_mode(path, &beside));
    // The old file is unchanged; the staged one is useless.
    done.map_err(WriteError::at(path)).inspect_err(|_| unstage(path))
}

/// The same for a file that stays as old as it is.
pub fn stage_with_old_time(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    stage_file(path, bytes)?;
    if let Ok(time) = fs::metadata(path).and_then(|metadata| metadata.modified()) {
        set_staged_time(path, time);
    }
    Ok(())
}

/// Gives the staged file permission bits.
pub(crate) fn set_staged_mode(path: &Path, mode: u32) -> Result<(), WriteError> {
    platform::set_mode(&staged(path), mode).map_err(WriteError::at(path)).inspect_err(|_| unstage(path))
}

/// Gives the staged file a time. The time of the last change orders sessions: worth keeping, not worth failing for.
pub(crate) fn set_staged_time(path: &Path, time: SystemTime) {
    if let Ok(file) = File::options().write(true).open(staged(path)) {
        let _ = file.set_modified(time);
    }
}

/// The second half: renames the staged file and syncs the folder.
pub fn swap_in(path: &Path) -> Result<(), WriteError> {
    fs::rename(staged(path), path).map_err(WriteError::at(path))?;
    sync_folder(folder_of(path))
}

/// The second half for a file that must not be there yet.
pub(crate) fn place_new(path: &Path) -> Result<(), WriteError> {
    let new = staged(path);
    match fs::hard_link(&new, path) {
        Ok(()) => fs::remove_file(&new).map_err(WriteError::at(path))?,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(WriteError::new(path, error));
        }
        // A file system without hard links.
        Err(_) => fs::rename(&new, path).map_err(WriteError::at(path))?,
    }
    sync_folder(folder_of(path))
}

/// Removes the staged file.
pub fn unstage(path: &Path) {
    let _ = fs::remove_file(staged(path));
}

/// Makes a file that must not be there yet: 0600, synced, its name too.
pub fn create_file(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    create_folder(folder_of(path))?;
    let file = new_file(path).map_err(WriteError::at(path))?;
    if let Err(error) = fill(file, &mut &bytes[..]) {
        let _ = fs::remove_file(path);
        return Err(WriteError::new(path, error));
    }
    sync_folder(folder_of(path))
}

/// Removes staged files of dead processes, and of this one.
pub(crate) fn clear_left_overs(path: &Path) {
    for left_over in all_staged(path) {
        let _ = fs::remove_file(left_over);
    }
}

/// The file that a path leads to: links are followed, so that what is written changes their target and not them.
pub(crate) fn target_of(path: &Path) -> Result<PathBuf, WriteError> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => fs::canonicalize(path).map_err(WriteError::at(path)),
        _ => Ok(path.to_path_buf()),
    }
}

pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

fn fill(mut file: File, bytes: &mut dyn io::Read) -> io::Result<()> {
    io::copy(bytes, &mut file)?;
    file.flush()?;
    file.sync_all()
}

fn keep_mode(path: &Path, beside: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(metadata) => fs::set_permissions(beside, metadata.permissions()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}
