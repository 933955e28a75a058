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
pub use fork::{ForkError, Forked, fork};
pub use open::{AgentStart, NewSession, Patience};
pub use writer::{Receipt, SessionWriter};

/// The release whose form annals writes where nobody says otherwise.
pub const WRITTEN_FORM: &str = "2.1.112";

/// How we left the file of this lock, where we noted it.
pub(crate) fn left_by_us(lock: &mut crate::lock::FileLock) -> Option<crate::busy::Left> {
    note::Note::read(&lock.note()).left
}
