//! Moving a file or a folder, also to another disk.

use std::fs;
use std::io;
use std::path::Path;

use super::WriteError;
use super::folder::{create_folder, new_file, sync_folder};

/// Moves a file or folder to a path where nothing exists. Across disks it is copied, synced and then removed.
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
        let mut old = fs::File::open(from).map_err(WriteError::at(from))?;
        let new = new_file(to).map_err(WriteError::at(to))?;
        return copy_file(&mut old, new).map_err(WriteError::at(to)).inspect_err(|_| {
            let _ = fs::remove_file(to);
        });
    }
    create_folder(to)?;
    for entry in fs::read_dir(from).map_err(WriteError::at(from))? {
        let entry = entry.map_err(WriteError::at(from))?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    keep_mode(from, to)
}

fn keep_mode(from: &Path, to: &Path) -> Result<(), WriteError> {
    let mode = fs::metadata(from).map_err(WriteError::at(from))?.permissions();
    fs::set_permissions(to, mode).map_err(WriteError::at(to))
}

fn copy_file(old: &mut fs::File, mut new: fs::File) -> io::Result<()> {
    io::copy(old, &mut new)?;
    let metadata = old.metadata()?;
    new.set_permissions(metadata.permissions())?;
    // The time of the last change orders sessions: worth keeping, not worth failing for.
    if let Ok(time) = metadata.modified() {
        let _ = new.set_modified(time);
    }
    new.sync_all()
}

fn remove(path: &Path) -> io::Result<()> {
    if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
}
