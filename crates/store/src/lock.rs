//! One writer per file: a system lock in our own folder, released when the process ends for any reason.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::data_dir::DataDir;
use crate::files::{WriteError, create_folder};
use crate::platform::{owner_only, raise_open_file_limit, write_all_at};

/// The lock of a file that is written to. Dropping it frees the file.
#[derive(Debug)]
pub struct FileLock {
    file: File,
    path: PathBuf,
    /// The length of the note.
    noted: usize,
}

impl FileLock {
    /// Takes the lock; `None` if another process has it.
    pub fn try_take(data: &DataDir, target: &Path) -> Result<Option<Self>, WriteError> {
        let path = data.lock_of(target);
        create_folder(path.parent().unwrap_or(data.path()))?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = owner_only(&mut options).open(&path).map_err(WriteError::at(&path))?;
        raise_open_file_limit(&file);
        match file.try_lock() {
            Ok(()) => {
                let noted = file.metadata().map_or(0, |metadata| metadata.len());
                Ok(Some(Self { file, path, noted: usize::try_from(noted).unwrap_or_default() }))
            }
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(WriteError::new(&path, error)),
        }
    }

    /// Reads the note of the last holder; empty if there is none.
    pub(crate) fn read_note(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let read = self.file.seek(SeekFrom::Start(0)).and_then(|_| self.file.read_to_end(&mut bytes));
        if read.is_ok() { bytes.trim_ascii_end().to_vec() } else { Vec::new() }
    }

    /// Leaves a note for the next holder, padded over the one before: a process that is killed leaves one or the other.
    pub(crate) fn leave_note(&mut self, note: &[u8]) -> Result<(), WriteError> {
        let mut padded = note.to_vec();
        padded.resize(note.len().max(self.noted), b' ');
        self.noted = padded.len();
        write_all_at(&self.file, &padded, 0).map_err(WriteError::at(&self.path))
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // Closing alone is not enough: a process that is being started at this instant has the file open, too.
        let _ = self.file.unlock();
    }
}
