//! One writer per file: a system lock in our own folder, released when the process ends for any reason.

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
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path).map_err(WriteError::at(&path))?;
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
        let written = self.file.seek(SeekFrom::Start(0)).and_then(|_| self.file.write_all(&padded));
        written.map_err(WriteError::at(&self.path))
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // Closing alone is not enough: a process that is being started at this instant has the file open, too.
        let _ = self.file.unlock();
    }
}

/// How many more files can be opened while locks are held.
#[cfg(unix)]
const SPARE_FILES: u64 = 64;

/// Raises the limit of open files if it is nearly reached: changing a project takes a lock for each session, and the
/// default limit is 256 or 1024. If that fails, the next open fails with its own error.
#[cfg(unix)]
fn raise_open_file_limit(file: &File) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    // A file gets the lowest free descriptor, so this approximates how many are open.
    let open = std::os::fd::AsRawFd::as_raw_fd(file).unsigned_abs().into();
    if let Some(most) = current.filter(|most| u64::saturating_add(open, SPARE_FILES) >= *most) {
        let more = most.saturating_mul(2).min(maximum.unwrap_or(u64::MAX));
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(more), maximum });
    }
}

#[cfg(not(unix))]
fn raise_open_file_limit(_: &File) {}
