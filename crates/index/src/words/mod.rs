//! The words of messages, in a database of their own beside the rows: to gather them is most of the work of a build, and SQLite
//! lets one thread at a time write into a database.
//!
//! | module | owns |
//! |---|---|
//! | `file` | the database: where it lies, its tables, and whether it goes with the rows |
//! | `gather` | giving words to be written, and waiting for it |
//! | `work` | the thread that writes them |
//! | `pieces` | what it leaves on the disk: when pieces are merged |
//!
//! What holds both together: a message's number is never given twice, its words are written before its row, and taken out after
//! it. So a kill at any instant leaves every row with its words; words without a row answer no question, and the next refresh
//! takes them out: they are beyond the number that the rows have come to, or listed as forgotten.

mod file;
mod gather;
mod pieces;
mod work;

pub(crate) use file::{attach, go_with, make, path_beside};
pub(crate) use gather::{Gathered, Gatherer, Gathering, Numbered, note_reached, reached_by_rows};
pub(crate) use pieces::Pieces;
pub(crate) use work::Ticket;

use crate::extract::Kind;

/// The tables of words.
pub(crate) const TABLES: [&str; 3] = ["words_said", "words_replied", "words_shown"];

/// The table of words that a kind of message is in.
pub(crate) fn table_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Prompt | Kind::Title => "words_said",
        Kind::Response | Kind::Thinking | Kind::Error | Kind::Plan => "words_replied",
        Kind::ToolCall | Kind::ToolResult | Kind::Context => "words_shown",
    }
}
