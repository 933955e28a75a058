//! Swapping a staged file in without losing what somebody appends to the old one at that instant.
//!
//! The old file keeps a second name until the change is done: its bytes are looked at once more after the new file took the
//! name. If there are more than before, the old file takes its name back.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use super::WriteError;
use super::copy::{FileCopy, covers, read_from, remove};
use super::folder::sync_folder;
use super::replace::{folder_of, set_staged_time, stage, swap_in};
use super::steps::Steps;
use super::temporary::{all_aside, aside, staged};
use crate::busy::FileStamp;
use crate::identity::FileIdentity;

/// A file that was replaced, for as long as it may have to come back.
#[derive(Debug)]
pub(crate) struct OldFile {
    path: PathBuf,
    /// Still open: it has no name any more where there are no hard links.
    file: File,
    /// How it was when it was copied.
    stamp: Option<FileStamp>,
}

impl OldFile {
    /// A file that was copied.
    pub(crate) fn new(path: &Path, copied: FileCopy) -> Self {
        let FileCopy { file, stamp, .. } = copied;
        Self { path: path.to_path_buf(), file, stamp }
    }

    /// The path that it has, or had.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The byte from which on somebody else wrote since, if somebody did.
    pub(crate) fn written_since(&self) -> Option<u64> {
        let now = self.file.metadata().ok().as_ref().and_then(FileStamp::of);
        (now != self.stamp).then(|| self.stamp.map_or(0, |stamp| stamp.bytes))
    }

    /// Swaps the staged file in, and says so when it has.
    pub(crate) fn swap(&self, steps: &mut Steps<'_>, done: impl FnOnce()) -> Result<(), WriteError> {
        let old = aside(&self.path);
        remove(&old)?;
        // A file system without hard links: the open file has to do.
        let _ = fs::hard_link(&self.path, &old);
        steps.step()?;
        swap_in(&self.path)?;
        done();
        steps.step()
    }

    /// Takes the second name from the old file. It stays open.
    pub(crate) fn forget_aside(&self) {
        let _ = remove(&aside(&self.path));
    }

    /// Gives the old file its name back, with what was appended to either meanwhile; the new one had `length` bytes.
    pub(crate) fn come_back(&mut self, length: u64) -> Result<(), WriteError> {
        let path = self.path.clone();
        if !is_same_file(&self.file, &aside(&path)) {
            let bytes = read_from(&mut self.file, 0).map_err(WriteError::at(&path))?;
            stage(&path, &mut &bytes[..])?;
            if let Ok(time) = self.file.metadata().and_then(|metadata| metadata.modified()) {
                set_staged_time(&path, time);
            }
            fs::rename(staged(&path), aside(&path)).map_err(WriteError::at(&path))?;
        }
        take_back(&aside(&path), &path, length)
    }
}

fn is_same_file(open: &File, path: &Path) -> bool {
    let of = |found: &fs::Metadata| FileIdentity::of(found);
    fs::symlink_metadata(path).is_ok_and(|named| open.metadata().is_ok_and(|open| of(&open) == of(&named)))
}

/// Replaces a file by its staged bytes; what is appended to it at that instant is appended to the new one as well. `length`
/// is how long the old one was when the new bytes were made.
pub(crate) fn swap_and_carry_over(path: &Path, length: u64) -> Result<(), WriteError> {
    let old = File::open(path);
    swap_in(path)?;
    match old {
        Ok(mut old) => carry_over(&mut old, length, path),
        Err(_) => Ok(()),
    }
}

/// Gives an old file, which was set aside, its name back; what was appended to the new one behind its first `length` bytes
/// is appended to it as well.
pub(crate) fn take_back(old: &Path, path: &Path, length: u64) -> Result<(), WriteError> {
    let mut new = File::open(path).map_err(WriteError::at(path))?;
    fs::rename(old, path).map_err(WriteError::at(path))?;
    sync_folder(folder_of(path))?;
    carry_over(&mut new, length, path)
}

/// Appends to a file what its predecessor got behind its first `length` bytes.
fn carry_over(old: &mut File, length: u64, path: &Path) -> Result<(), WriteError> {
    let grown = read_from(old, length).map_err(WriteError::at(path))?;
    if grown.is_empty() {
        return Ok(());
    }
    let appended = File::options().append(true).open(path).and_then(|mut file| {
        file.write_all(&grown)?;
        file.sync_all()
    });
    appended.map_err(WriteError::at(path))
}

/// The old file of a swap that was interrupted, if it still has all that a copy of it has.
pub(crate) fn old_file_of(path: &Path, copied: &Path) -> Option<PathBuf> {
    all_aside(path).into_iter().find(|old| covers(old, copied))
}

/// Removes old files of swaps that were interrupted.
pub(crate) fn forget_old_files(path: &Path) {
    for old in all_aside(path) {
        let _ = remove(&old);
    }
}
