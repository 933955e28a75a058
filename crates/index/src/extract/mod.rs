//! New lines of a file to rows. No database here: what a line means is settled before anything is written.

mod blocks;
mod file;
mod kinds;
mod meaning;
mod rows;
mod sides;
mod texts;
mod words;

pub(crate) use blocks::{LineBlocks, text_of_block};
pub(crate) use file::{Wanted, extract};
pub(crate) use kinds::Keep;
pub use kinds::{FactKind, FileRole, Kind, Role};
pub use rows::INDEXED_BYTES;
pub(crate) use rows::{Batch, CallRow, Change, MessageRow, Met, Subject};
pub(crate) use sides::SideRow;
pub(crate) use words::{as_indexed, has_humps, parts_of};
