//! Folders that only their owner may enter, and files that only their owner may read.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

use super::WriteError;
use crate::platform;

/// Makes a folder and those above it, each 0700. A folder that is there keeps its mode.
///
/// When it returns, the new names are on the disk.
pub fn create_folder(path: &Path) -> Result<(), WriteError> {
    if path.is_dir() {
        return Ok(());
    }
    let topmost_known = path.ancestors().find(|folder| folder.is_dir());
    platform::private_folder().recursive(true).create(path).map_err(WriteError::at(path))?;
    for folder in path.ancestors().skip(1) {
        sync_folder(folder)?;
        if Some(folder) == topmost_known {
            break;
        }
    }
    Ok(())
}

/// Makes a folder and those above it, each as open as the folder that it is made in, but writable for its owner only: for
/// what comes back to where it was.
pub(crate) fn create_folder_like_parent(path: &Path) -> Result<(), WriteError> {
    let missing: Vec<&Path> = path.ancestors().take_while(|folder| !folder.is_dir()).collect();
    for folder in missing.into_iter().rev().filter(|folder| !folder.as_os_str().is_empty()) {
        create_folder(folder)?;
        let above = folder.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mode = mode_of(above).map_err(WriteError::at(above))?;
        set_mode(folder, mode & 0o2055 | 0o700)?;
    }
    Ok(())
}

fn mode_of(path: &Path) -> io::Result<u32> {
    fs::metadata(path).map(|metadata| platform::mode(&metadata))
}

/// Lets the owner change a folder that is about to be emptied, which may have had another mode before it came back.
pub(crate) fn make_writable(folder: &Path) {
    const OWNER: u32 = 0o700;
    if let Ok(mode) = mode_of(folder)
        && mode & OWNER != OWNER
    {
        let _ = set_mode(folder, mode & 0o7777 | OWNER);
    }
}

/// Sets permission bits, where there are such.
pub(crate) fn set_mode(path: &Path, mode: u32) -> Result<(), WriteError> {
    platform::set_mode(path, mode).map_err(WriteError::at(path))
}

/// Brings the names in a folder to the disk: a new or renamed file is only there for good after this.
pub fn sync_folder(path: &Path) -> Result<(), WriteError> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    platform::sync_folder(path).map_err(WriteError::at(path))
}

/// A file that was not there, 0600.
pub fn new_file(path: &Path) -> io::Result<File> {
    platform::owner_only(OpenOptions::new().write(true).create_new(true)).open(path)
}
