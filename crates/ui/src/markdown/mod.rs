//! A conversation as clean Markdown: a heading for each turn, prompts quoted, outputs fenced, long ones in details.
//!
//! Content cannot break out of its place: fences are longer than any inside, fences that a text leaves open are closed,
//! tags in prompts are escaped, and control characters are made harmless as in the terminal.

mod call;
mod items;
mod text;

use crate::view::Conversation;

/// Writes a conversation. Times are in UTC.
pub fn write(conversation: &Conversation, out: &mut String) {
    items::MarkdownWriter::new(out).conversation(conversation);
}
