//! A lock that is a folder: the process that creates it has it. The client uses such locks for its history.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::WriteError;
use crate::platform::private_folder;
use crate::scan::modified_millis;
use crate::source::Clock;

/// Milliseconds after which a lock counts as left by a dead process.
const STALE: i64 = 10_000;
/// The first pause between two tries, in milliseconds; each is twice the one before.
const FIRST_PAUSE: u64 = 5;
/// The longest pause.
const MAX_PAUSE: u64 = 250;
/// How many left-over locks one taker clears away: a clock that is wrong must not make it take every lock from others.
const MAX_CLEARED: usize = 2;

/// Why a lock was not taken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// Another program has it.
    #[error("{}: locked by another program for more than {waited} ms", path.display())]
    Held {
        /// The lock.
        path: PathBuf,
        /// How long we waited, in milliseconds.
        waited: u64,
    },
    /// It could not be made.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// A lock that we have; dropping it gives it back.
#[derive(Debug)]
pub struct FolderLock {
    path: PathBuf,
    /// When it was made, by the file system's clock: one made at another time belongs to another process.
    made: Option<i64>,
}

impl FolderLock {
    /// Takes the lock, waiting at most `patience` milliseconds in growing pauses.
    ///
    /// A lock that its owner has not touched for ten seconds is a left-over of a program that died, and is taken over.
    pub fn take(path: &Path, clock: &(impl Clock + ?Sized), patience: u64) -> Result<Self, LockError> {
        let (mut waited, mut pause, mut cleared) = (0, FIRST_PAUSE, 0);
        loop {
            match make(path) {
                Ok(()) => return Ok(Self { path: path.to_path_buf(), made: modified(path) }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(WriteError::new(path, error).into()),
            }
            let is_stale = modified(path).is_some_and(|made| clock.now() - made > STALE);
            if is_stale && cleared < MAX_CLEARED {
                cleared += 1;
                // It may be removed already, or not be a folder: the next attempt shows.
                if fs::remove_dir(path).is_ok() {
                    continue;
                }
            }
            if waited >= patience {
                return Err(LockError::Held { path: path.to_path_buf(), waited });
            }
            let next = pause.min(patience - waited);
            clock.pause(next);
            waited += next;
            pause = (pause * 2).min(MAX_PAUSE);
        }
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        // Where we were so slow that another program took it over, it is not ours to remove.
        if modified(&self.path) == self.made {
            let _ = fs::remove_dir(&self.path);
        }
    }
}

fn make(path: &Path) -> io::Result<()> {
    private_folder().create(path)
}

fn modified(path: &Path) -> Option<i64> {
    fs::metadata(path).ok().as_ref().and_then(modified_millis)
}
