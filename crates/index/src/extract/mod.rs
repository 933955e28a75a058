//! Turns new lines of a file into rows. Knows no database.

mod blocks;
mod file;
mod kinds;
mod record;
mod rows;
mod sides;
mod texts;
mod words;

pub(crate) use blocks::{LineBlocks, text_of_block};
pub(crate) use file::{FileToRead, extract};
pub(crate) use kinds::FactPolicy;
pub use kinds::{FactKind, IndexedFileRole, MessageKind, MessageRole};
pub use rows::MAX_INDEXED_BYTES;
pub(crate) use rows::{Batch, BatchMode, CallRow, IndexedFile, MessageRow, Occurrences};
pub(crate) use sides::SideRow;
pub(crate) use words::{as_indexed, is_camel_case, parts_of};
