//! New lines of a file to rows. No database here: what a line means is settled before anything is written.

mod file;
mod meaning;
mod rows;
mod sides;
mod texts;
mod words;

pub(crate) use file::{LineBlocks, Wanted, extract, text_of_block};
pub(crate) use rows::{Batch, CallRow, Change, Keep, MessageRow, Met, Subject};
pub use rows::{FactKind, FileRole, INDEXED_BYTES, Kind, Role};
pub(crate) use sides::SideRow;
pub(crate) use words::stands_alone;
