//! Moving a file or a folder, also to another disk.

use std::fs;
use std::io;
use std::path::Path;

use super::WriteError;
use super::folder::{create_folder, sync_folder};
use super::replace::{create_file, keep_time};

/// Moves a file or folder to a place where nothing is. Across disks it is copied, synced and only then removed.
pub fn move_path(from: &Path, to: &Path) -> Result<(), WriteError> {
    if fs::symlink_metadata(to).is_ok() {
        return Err(WriteError::Exists { path: to.to_path_buf() });
    }
    let target = to.parent().unwrap_or(Path::new(""));
    create_folder(target)?;
    match fs::rename(from, to) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            copy(from, to)?;
            remove(from).map_err(WriteError::at(from))?;
        }
        Err(error) => return Err(WriteError::new(from, error)),
    }
    sync_folder(target)?;
    sync_folder(from.parent().unwrap_or(Path::new("")))
}

fn copy(from: &Path, to: &Path) -> Result<(), WriteError> {
    if !from.is_dir() {
        let bytes = fs::read(from).map_err(WriteError::at(from))?;
        create_file(to, &bytes)?;
        keep_time(from, to);
        return Ok(());
    }
    create_folder(to)?;
    for entry in fs::read_dir(from).map_err(WriteError::at(from))? {
        let entry = entry.map_err(WriteError::at(from))?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

fn remove(path: &Path) -> io::Result<()> {
    if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
}
