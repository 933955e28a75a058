//! Turns new lines of a file into rows. Knows no database.

mod blocks;
mod file;
mod kinds;
mod line_rows;
mod prompts;
mod record;
mod rows;
mod sides;
mod texts;
mod tokens;
mod words;

pub(crate) use blocks::{LineBlocks, text_of_block};
pub(crate) use file::{FileToRead, extract};
pub(crate) use kinds::FactPolicy;
pub use kinds::{FactKind, IndexedFileRole, MessageKind, MessageRole};
pub use line_rows::LineRows;
pub(crate) use record::short_uuid;
pub(crate) use rows::{Batch, BatchMode, Occurrences};
pub use rows::{CallRow, IndexedFile, MAX_INDEXED_BYTES, MessageRow};
pub(crate) use sides::SideRow;
pub use tokens::{text_tokens, tokens};
pub(crate) use words::{MAX_WORD_BYTES, as_indexed, is_camel_case, parts_of};
