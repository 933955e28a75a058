//! Everything in a store, found in milliseconds. The files are the truth and the index is a cache: it can be deleted at any
//! time, is brought up to date by what changed, and every row leads back to file, line and byte.
//!
//! From the bottom up: [`cursor`] tells what happened to a file since it was read; `extract` turns its new lines into rows
//! and knows no database; `write` puts rows and cursor into the database, in one transaction; `words` gathers the words
//! of messages into a second one; [`refresh`] does that for a
//! store; what is asked of the index are the modules behind it. `briefs` are beside
//! all that: what takes a whole file to tell, kept until the file changes.

mod briefs;
pub mod cursor;
mod database;
mod error;
mod extract;
mod open;
mod problems;
pub mod refresh;
pub mod search;
pub mod spent;
pub mod sql;
mod words;
mod write;

pub use briefs::{BRIEF_FORM, Brief, BriefKind, Briefs};
pub use error::IndexError;
pub use extract::{FactKind, FileRole, INDEXED_BYTES, Kind, Role};
pub use open::{Index, Opened};
