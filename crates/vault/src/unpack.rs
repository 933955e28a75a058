//! Unpacks a version into a folder with the layout of the config dir.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use annals_store::busy::is_alive;
use annals_store::digest::hex;
use annals_store::files::{create_folder, new_file};
use annals_store::platform::{private_folder, set_file_mode};
use annals_store::source::Source;

use crate::error::VaultError;
use crate::reader::VaultReader;
use crate::vault::Vault;
use crate::version::{FileCopy, FileKind, Version};

/// A folder with unpacked versions, removed when this is dropped.
#[derive(Debug)]
pub struct UnpackDir {
    path: PathBuf,
}

impl UnpackDir {
    /// The folder: a config dir that holds the unpacked versions only.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for UnpackDir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

impl Vault {
    /// Makes an empty folder to unpack to, with mode 0700. If the process is killed, the next one removes it.
    pub fn unpack_dir(&self, source: &dyn Source) -> Result<UnpackDir, VaultError> {
        remove_leftovers(&self.unpack_root());
        let name = format!("{}-{}", std::process::id(), &hex(&source.random())[..12]);
        let path = self.unpack_root().join(name);
        folder(&path, Durability::Unsynced)?;
        Ok(UnpackDir { path })
    }
}

/// Removes the folders of processes that no longer run.
pub(crate) fn remove_leftovers(unpack_root: &Path) {
    for entry in fs::read_dir(unpack_root).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let process = name.split_once('-').and_then(|(process, _)| process.parse().ok());
        if process.is_some_and(|process| process != std::process::id() && !is_alive(process)) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether files must be synced to the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Durability {
    /// They become the only copy.
    Synced,
    /// They are temporary.
    Unsynced,
}

/// Which files of a version to unpack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileSelection {
    Everything,
    /// Transcripts of the session and its sub-agents, which is all that usage reports need.
    Lines,
}

impl VaultReader<'_> {
    /// Writes the files of a version into a folder, with their modes and times. A file that fails verification is removed
    /// again and its error returned.
    pub fn unpack(
        &mut self,
        version: &Version,
        folder: &Path,
        wanted: FileSelection,
    ) -> Result<(), VaultError> {
        let is_wanted =
            |copy: &&FileCopy| wanted == FileSelection::Everything || copy.path.ends_with(".jsonl");
        for copy in version.files.iter().filter(is_wanted) {
            self.write(copy, &copy.path_in(folder)?, Durability::Unsynced)?;
        }
        Ok(())
    }

    /// Writes one file, which must not exist.
    pub(crate) fn write(
        &mut self,
        copy: &FileCopy,
        path: &Path,
        durability: Durability,
    ) -> Result<(), VaultError> {
        let FileKind::File { content, .. } = copy.kind else {
            return folder(path, durability);
        };
        folder(path.parent().unwrap_or(Path::new("")), durability)?;
        let mut file = new_file(path).map_err(VaultError::writing(path))?;
        let written = self
            .content(content, &mut |bytes| file.write_all(bytes).map_err(VaultError::writing(path)))
            .and_then(|()| finish(&file, copy, durability).map_err(VaultError::writing(path)));
        written.inspect_err(|_| {
            let _ = fs::remove_file(path);
        })
    }
}

/// Makes a folder and its parents with mode 0700.
fn folder(path: &Path, durability: Durability) -> Result<(), VaultError> {
    if durability == Durability::Synced {
        return Ok(create_folder(path)?);
    }
    private_folder().recursive(true).create(path).map_err(VaultError::writing(path))
}

fn finish(file: &File, copy: &FileCopy, durability: Durability) -> std::io::Result<()> {
    set_file_mode(file, copy.mode)?;
    file.set_modified(time(copy.modified))?;
    if durability == Durability::Synced { file.sync_all() } else { Ok(()) }
}

fn time(nanoseconds: i64) -> SystemTime {
    let distance = Duration::from_nanos(nanoseconds.unsigned_abs());
    if nanoseconds < 0 { UNIX_EPOCH - distance } else { UNIX_EPOCH + distance }
}
