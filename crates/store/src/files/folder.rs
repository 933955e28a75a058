//! Folders that only their owner may enter, and files that only their owner may read.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::path::Path;

use super::WriteError;

/// Makes a folder and those above it, each 0700. A folder that is there keeps its mode.
///
/// When it returns, the new names are on the disk.
pub fn create_folder(path: &Path) -> Result<(), WriteError> {
    if path.is_dir() {
        return Ok(());
    }
    let topmost_known = path.ancestors().find(|folder| folder.is_dir());
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(WriteError::at(path))?;
    for folder in path.ancestors().skip(1) {
        sync_folder(folder)?;
        if Some(folder) == topmost_known {
            break;
        }
    }
    Ok(())
}

/// Brings the names in a folder to the disk: a new or renamed file is only there for good after this.
pub fn sync_folder(path: &Path) -> Result<(), WriteError> {
    // Other systems have no such thing, or refuse to open a folder.
    if cfg!(unix) {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        File::open(path).and_then(|folder| folder.sync_all()).map_err(WriteError::at(path))?;
    }
    Ok(())
}

/// A file that was not there, 0600.
pub fn new_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
