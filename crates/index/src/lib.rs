//! A full-text and usage index of a store. The files are the truth and the index is a cache: it can be deleted at any time,
//! is updated by what changed, and every row leads back to file, line and byte.
//!
//! From the bottom up: [`cursor`] detects how a file changed since it was read; `extract` turns new lines into rows and
//! knows no database; `write` stores rows and cursor in one transaction; `words` stores the words of messages in a second
//! database; [`refresh`] does that for a store; the other modules query the index. `summary_cache` is independent of all
//! that: it caches results that need a whole file until the file changes.

mod cached_reading;
pub mod cursor;
mod database;
mod error;
mod extract;
mod open;
mod problems;
pub mod recall;
pub mod refresh;
pub mod search;
pub mod sql;
mod summary_cache;
mod touched_files;
mod upgrade;
pub mod usage;
mod words;
mod write;

pub use cached_reading::SummaryCaches;
pub use error::IndexError;
pub use extract::{
    CallRow, FactKind, IndexedFile, IndexedFileRole, LineRows, MAX_INDEXED_BYTES, MessageKind, MessageRole,
    MessageRow, text_tokens, tokens,
};
pub use open::{Index, OpenOutcome, ReleasedIndex};
pub use summary_cache::{FileSummary, SUMMARY_FORMAT, SummaryCache, SummaryKind};

pub use touched_files::{FileTouch, TouchedFile, TouchingCall, touched_files};
