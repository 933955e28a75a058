//! Writing a session: one writer a file, every record in its place.
//!
//! [`SessionWriter`] is made by [`create`](SessionWriter::create), [`open`](SessionWriter::open) or, for a sub-agent,
//! [`open_agent`](SessionWriter::open_agent). It holds the lock until it is dropped.

mod error;
mod fork;
mod note;
mod open;
mod plain;
mod writer;

pub use error::AppendError;
pub use fork::{ForkError, Forked, fork, forked_lines, path_to};
pub use open::{AgentStart, NewSession, Patience};
pub use writer::{Receipt, SessionWriter};

use std::path::Path;

use crate::busy::{Busy, client_at_work};
use crate::key::SessionKey;
use crate::lock::FileLock;
use crate::source::Source;

/// The release whose form annals writes where nobody says otherwise.
pub const WRITTEN_FORM: &str = "2.1.112";

/// Whether somebody else writes to a file whose lock we have; traces of our own, also of a writer that was killed, are
/// nobody's.
pub fn someone_writes(path: &Path, lock: &mut FileLock, source: &dyn Source) -> Option<Busy> {
    let note = note::Note::read(&lock.note());
    if note.is_open {
        return None;
    }
    let session = SessionKey::new(path.file_stem().unwrap_or_default().to_string_lossy());
    client_at_work(path, &session, note.left, source.now())
}
