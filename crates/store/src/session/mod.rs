//! Writing a session: one writer a file, every record in its place.
//!
//! [`SessionWriter`] is made by [`create`](SessionWriter::create), [`open`](SessionWriter::open) or, for a sub-agent,
//! [`open_agent`](SessionWriter::open_agent). It holds the lock until it is dropped.

mod aside;
mod error;
mod fork;
mod gist;
mod note;
mod open;
mod plain;
mod writer;

pub use aside::{Aside, AsideError, append_aside};
pub use error::AppendError;
pub use fork::{ForkError, Forked, fork, forked_lines, path_to};
pub use gist::Gist;
pub use open::{AgentFolder, AgentParent, AgentStart, NewSession, Patience};
pub use writer::{Receipt, SessionWriter};

use std::path::{Path, PathBuf};

use crate::busy::{Busy, client_at_work};
use crate::data_dir::DataDir;
use crate::files::WriteError;
use crate::key::SessionKey;
use crate::lock::FileLock;
use crate::source::Source;

/// The release whose form annals writes where nobody says otherwise.
pub const WRITTEN_FORM: &str = "2.1.112";

/// Why a file is not ours to write to.
#[derive(Debug, thiserror::Error)]
pub enum InUse {
    /// Somebody else is writing.
    #[error("{}: {busy}", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
        /// Who.
        busy: Busy,
    },
    /// The lock could not be made.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Takes the lock of a session's file that nobody else writes to, neither one of ours nor a client.
pub fn lock_alone(path: &Path, data: &DataDir, source: &dyn Source) -> Result<FileLock, InUse> {
    let mut lock = lock_ours(path, data)?;
    match someone_writes(path, &mut lock, source) {
        Some(busy) => Err(InUse::Busy { path: path.to_path_buf(), busy }),
        None => Ok(lock),
    }
}

/// Takes the lock of a file, whatever a client does to it meanwhile.
fn lock_ours(path: &Path, data: &DataDir) -> Result<FileLock, InUse> {
    let lock = FileLock::try_take(data, path)?;
    lock.ok_or_else(|| InUse::Busy { path: path.to_path_buf(), busy: Busy::Locked })
}

/// Whether somebody else writes to a file whose lock we have; traces of our own, also of a writer that was killed, are
/// nobody's.
fn someone_writes(path: &Path, lock: &mut FileLock, source: &dyn Source) -> Option<Busy> {
    let note = note::Note::read(&lock.note());
    if note.is_open {
        return None;
    }
    let session = SessionKey::new(path.file_stem().unwrap_or_default().to_string_lossy());
    client_at_work(path, &session, note.left, source.now())
}
