//! A file is replaced as a whole: readers see the old bytes or the new ones, never a mixture, at any instant.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::WriteError;
use super::folder::{create_folder, new_file, sync_folder};
use crate::busy::is_alive;

/// The ending of bytes that wait to take a name.
const ENDING: &str = ".annals-new";

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
    create_folder(path.parent().unwrap_or(Path::new("")))?;
    clear_left_overs(path);
    let beside = beside(path);
    let file = fresh(&beside).map_err(WriteError::at(path))?;
    let done = fill(file, bytes).and_then(|()| keep_mode(path, &beside));
    // The old file is unchanged; the staged one is useless.
    done.map_err(WriteError::at(path)).inspect_err(|_| unstage(path))
}

/// The same for a file that stays as old as it is.
pub fn stage_with_old_time(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    stage_file(path, bytes)?;
    keep_time(path, &beside(path));
    Ok(())
}

/// Makes a file as old as another. The time of the last change orders sessions: worth keeping, not worth failing for.
pub(crate) fn keep_time(from: &Path, to: &Path) {
    let modified = fs::metadata(from).and_then(|metadata| metadata.modified());
    if let (Ok(time), Ok(file)) = (modified, File::options().write(true).open(to)) {
        let _ = file.set_modified(time);
    }
}

/// The second half: renames the staged file and syncs the folder.
pub fn swap_in(path: &Path) -> Result<(), WriteError> {
    fs::rename(beside(path), path).map_err(WriteError::at(path))?;
    sync_folder(path.parent().unwrap_or(Path::new("")))
}

/// Removes the staged file.
pub fn unstage(path: &Path) {
    let _ = fs::remove_file(beside(path));
}

/// Makes a file that must not be there yet: 0600, synced, its name too.
pub fn create_file(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let folder = path.parent().unwrap_or(Path::new(""));
    create_folder(folder)?;
    let file = new_file(path).map_err(WriteError::at(path))?;
    if let Err(error) = fill(file, bytes) {
        let _ = fs::remove_file(path);
        return Err(WriteError::new(path, error));
    }
    sync_folder(folder)
}

/// Returns the path of the staged file, which is different for each process.
fn beside(path: &Path) -> PathBuf {
    path.with_file_name(format!("{}{}{ENDING}", beginning(path), std::process::id()))
}

fn beginning(path: &Path) -> String {
    format!(".{}.", path.file_name().unwrap_or_default().to_string_lossy())
}

/// Removes staged files of dead processes.
pub(crate) fn clear_left_overs(path: &Path) {
    let beginning = beginning(path);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(&beginning) && is_left_over(&name) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether a name is that of bytes which never took theirs, of a process that is gone.
pub fn is_left_over(name: &str) -> bool {
    let waiting = name.strip_prefix('.').and_then(|name| name.strip_suffix(ENDING));
    let process = waiting.and_then(|waiting| waiting.rsplit_once('.')).and_then(|(_, pid)| pid.parse().ok());
    process.is_some_and(|pid: u32| pid != std::process::id() && !is_alive(pid))
}

fn fresh(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => new_file(path),
    }
}

fn fill(mut file: File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    file.sync_all()
}

fn keep_mode(path: &Path, beside: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(metadata) => fs::set_permissions(beside, metadata.permissions()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}
