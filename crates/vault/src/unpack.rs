//! A version as files again: in a folder of its own, laid out as the config dir was.

use std::fs::{self, DirBuilder, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use annals_store::busy::is_alive;
use annals_store::digest::hex;
use annals_store::files::{create_folder, new_file};
use annals_store::source::Source;

use crate::error::VaultError;
use crate::reader::Reader;
use crate::vault::Vault;
use crate::version::{CopyKind, FileCopy, Version};

/// A folder with the files of versions, gone when this is dropped.
#[derive(Debug)]
pub struct Unpacked {
    path: PathBuf,
}

impl Unpacked {
    /// The folder: a config dir that holds these versions and nothing else.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Unpacked {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

impl Vault {
    /// An empty folder of our own to unpack to, 0700. A process that is killed leaves it to the next one to remove.
    pub fn workbench(&self, source: &dyn Source) -> Result<Unpacked, VaultError> {
        clear_left_overs(&self.workshop());
        let name = format!("{}-{}", std::process::id(), &hex(&source.random())[..12]);
        let path = self.workshop().join(name);
        folder(&path, Care::Loose)?;
        Ok(Unpacked { path })
    }
}

/// Removes what processes that are gone have left.
pub(crate) fn clear_left_overs(workshop: &Path) {
    for entry in fs::read_dir(workshop).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let process = name.split_once('-').and_then(|(process, _)| process.parse().ok());
        if process.is_some_and(|process| process != std::process::id() && !is_alive(process)) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether the files must be on the disk when the work is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Care {
    /// They will be somebody's only copy.
    Synced,
    /// They are looked at and thrown away.
    Loose,
}

/// Which files of a version are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// All.
    Everything,
    /// The session's own and its sub-agents', which is what can be counted.
    Lines,
}

impl Reader<'_> {
    /// Writes the files of a version below a folder, with their modes and times. A file that does not come back as it was
    /// kept is not there afterwards, and its error is returned.
    pub fn unpack(&mut self, version: &Version, folder: &Path, wanted: Wanted) -> Result<(), VaultError> {
        let is_wanted = |copy: &&FileCopy| wanted == Wanted::Everything || copy.path.ends_with(".jsonl");
        for copy in version.files.iter().filter(is_wanted) {
            self.write(copy, &copy.below(folder)?, Care::Loose)?;
        }
        Ok(())
    }

    /// Writes one file where nothing is.
    pub(crate) fn write(&mut self, copy: &FileCopy, path: &Path, care: Care) -> Result<(), VaultError> {
        let CopyKind::File { content, .. } = copy.kind else {
            return folder(path, care);
        };
        folder(path.parent().unwrap_or(Path::new("")), care)?;
        let mut file = new_file(path).map_err(VaultError::writing(path))?;
        let written = self
            .content(content, &mut |bytes| file.write_all(bytes).map_err(VaultError::writing(path)))
            .and_then(|()| finish(&file, copy, care).map_err(VaultError::writing(path)));
        written.inspect_err(|_| {
            let _ = fs::remove_file(path);
        })
    }
}

/// Makes a folder and those above it, 0700.
fn folder(path: &Path, care: Care) -> Result<(), VaultError> {
    if care == Care::Synced {
        return Ok(create_folder(path)?);
    }
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(VaultError::writing(path))
}

fn finish(file: &File, copy: &FileCopy, care: Care) -> std::io::Result<()> {
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(copy.mode))?;
    file.set_modified(time(copy.modified))?;
    if care == Care::Synced { file.sync_all() } else { Ok(()) }
}

fn time(nanoseconds: i64) -> SystemTime {
    let distance = Duration::from_nanos(nanoseconds.unsigned_abs());
    if nanoseconds < 0 { UNIX_EPOCH - distance } else { UNIX_EPOCH + distance }
}
