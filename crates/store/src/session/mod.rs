//! Open sessions: reading, appending, forking and editing; one writer per file.
//!
//! [`SessionWriter`] is made by [`create`](SessionWriter::create), [`open`](SessionWriter::open) or, for a sub-agent,
//! [`open_agent`](SessionWriter::open_agent). It holds the lock until it is dropped.

mod edit;
mod error;
mod fork;
mod handle;
mod lock_note;
mod open;
mod plain;
mod side_record;
mod tail;
mod view;
mod writer;

pub use edit::{RecordEditError, edit_records};
pub use error::AppendError;
pub use fork::{Fork, ForkError, fork, fork_as, forked_lines, path_to};
pub use handle::{Session, SessionChange};
pub use open::{AgentFolder, AgentParent, AgentStart, NewSession, OnBusy};
pub use side_record::{AppendedRange, SideRecordAppend, SideRecordError, append_side_record, record_append};
pub use tail::SessionTail;
pub use view::SessionView;
pub use writer::{Receipt, SessionWriter};

use std::path::{Path, PathBuf};

use crate::busy::{Busy, client_at_work, session_of};
use crate::data_dir::DataDir;
use crate::files::WriteError;
use crate::key::SessionKey;
use crate::layout::ConfigDir;
use crate::lock::FileLock;
use crate::source::Source;

/// The client release that written records imitate by default.
pub const WRITTEN_FORM: &str = "2.1.112";

/// Why a file is not ours to write to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InUse {
    /// Another process is writing.
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

/// Locks a session's file, unless another process or a client is writing to it.
pub fn lock_exclusive(path: &Path, data: &DataDir, source: &dyn Source) -> Result<FileLock, InUse> {
    let mut lock = lock_file(path, data)?;
    match other_writer(path, &mut lock, source) {
        Some(busy) => Err(InUse::Busy { path: path.to_path_buf(), busy }),
        None => Ok(lock),
    }
}

/// Locks a file, even if a client is writing to it.
fn lock_file(path: &Path, data: &DataDir) -> Result<FileLock, InUse> {
    let lock = FileLock::try_take(data, path)?;
    lock.ok_or_else(|| InUse::Busy { path: path.to_path_buf(), busy: Busy::Locked })
}

/// Returns the client that writes to a file that is locked here. Traces of annals itself do not count, even of a killed
/// process, where its note shows that they are its own.
fn other_writer(path: &Path, lock: &mut FileLock, source: &dyn Source) -> Option<Busy> {
    let lock_note = lock_note::LockNote::read(&lock.read_note());
    let config = ConfigDir::containing(path);
    let own = || SessionKey::new(path.file_stem().unwrap_or_default().to_string_lossy());
    let session = config.and_then(|config| session_of(&config, path)).unwrap_or_else(own);
    match client_at_work(path, &session, lock_note.left, source.now()) {
        Some(Busy::FreshWrite { .. })
            if lock_note.open.as_ref().is_some_and(|open| open.is_all_that_came(path)) =>
        {
            None
        }
        busy => busy,
    }
}
