//! One writer a file: a lock of the system's in our own folder, which ends with its process, however that ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::data_dir::DataDir;
use crate::files::{WriteError, create_folder};

/// The lock of a file that is written to. Dropping it frees the file.
#[derive(Debug)]
pub struct FileLock {
    file: File,
    path: PathBuf,
}

impl FileLock {
    /// Takes the lock; `None` where another process of ours has it.
    pub fn try_take(data: &DataDir, target: &Path) -> Result<Option<Self>, WriteError> {
        let path = data.lock_of(target);
        create_folder(path.parent().unwrap_or(data.path()))?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path).map_err(WriteError::at(&path))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { file, path })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(WriteError::new(&path, error)),
        }
    }

    /// What was noted when the lock was last held; empty where nothing was.
    pub(crate) fn note(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let read = self.file.seek(SeekFrom::Start(0)).and_then(|_| self.file.read_to_end(&mut bytes));
        if read.is_ok() { bytes } else { Vec::new() }
    }

    /// Notes something for whoever takes the lock next. It is a hint: losing it is no harm.
    pub(crate) fn leave_note(&mut self, note: &[u8]) -> Result<(), WriteError> {
        let written = self.file.seek(SeekFrom::Start(0)).and_then(|_| self.file.set_len(0));
        written.and_then(|()| self.file.write_all(note)).map_err(WriteError::at(&self.path))
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // Closing alone is not enough: a process that is being started at this instant has the file open, too.
        let _ = self.file.unlock();
    }
}
