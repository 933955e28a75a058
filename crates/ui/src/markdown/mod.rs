//! A conversation as clean Markdown: a heading for each turn, prompts quoted, outputs fenced, long ones in details.
//!
//! Content cannot break out of its place, hide what follows, or pass for a part of the page: fences are longer than any
//! inside, fences that a text leaves open are closed, tags and pictures are escaped, headings are below those of turns,
//! and control characters are made harmless as in the terminal.

mod call;
mod contain;
mod fence;
mod items;
mod page;
mod text;

pub use page::{index, page};

use crate::terminal_text::TerminalText;
use crate::view::Conversation;

/// Writes a conversation. Times are in UTC.
pub fn write(conversation: &Conversation, out: &mut TerminalText) {
    write_pieces(conversation, &mut |piece| out.push(piece));
}

/// Writes a conversation in pieces of whole lines, or of the words of a long line: a page may be larger than memory should be.
pub fn write_pieces(conversation: &Conversation, each: &mut dyn FnMut(TerminalText)) {
    let mut writer = items::MarkdownWriter::new(each);
    writer.conversation(conversation);
    writer.finish();
}
