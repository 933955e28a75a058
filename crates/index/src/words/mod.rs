//! The words of messages, in a second database beside the rows: writing them is most of the work of a build, and SQLite
//! allows one writer per database.
//!
//! | module | owns |
//! |---|---|
//! | `file` | the database: where it lies, its tables, and whether it goes with the rows |
//! | `writer` | giving words to be written, and waiting for it |
//! | `thread` | the thread that writes them |
//! | `segments` | what it leaves on the disk: when pieces are merged |
//!
//! Both stay consistent because a message's number is never reused, its words are written before its row, and removed after
//! it. So after a kill at any instant every row has its words; words without a row match nothing, and the next refresh
//! removes them: they are beyond the next number of the rows, or listed in `forgotten`.

mod file;
mod segments;
mod thread;
mod writer;

pub(crate) use file::{attach, make, match_rows, path_beside};
pub(crate) use segments::SegmentPolicy;
pub(crate) use thread::CommitId;
pub(crate) use writer::{
    NumberedBatch, WordChannel, WordReceiver, WordWriter, next_message, set_next_message,
};

use crate::extract::MessageKind;

pub(crate) const TABLES: [&str; 3] = ["words_said", "words_replied", "words_shown"];

/// The table for the words of a kind of message.
pub(crate) fn table_of(kind: MessageKind) -> &'static str {
    match kind {
        MessageKind::Prompt | MessageKind::Title => "words_said",
        MessageKind::Response | MessageKind::Thinking | MessageKind::Error | MessageKind::Plan => {
            "words_replied"
        }
        MessageKind::ToolCall | MessageKind::ToolResult | MessageKind::Context | MessageKind::Memory => {
            "words_shown"
        }
    }
}
