//! A conversation for a terminal: role gutters, Markdown, diffs, folded outputs, sub-agents indented.
//!
//! Nothing here asks a terminal anything or writes to one. Whatever a transcript says is made harmless on the way
//! ([`draw`] writes no escape sequence but its own styles, and none at all in [`Color::Plain`]).

mod call;
mod canvas;
mod fold;
mod items;
mod look;
mod output;
mod prose;
mod quiet;
mod roll;
mod style;
mod table;
mod wrap;

pub use look::{Color, Look, Thinking};
pub use roll::Roll;

use crate::view::Conversation;

/// Draws a conversation.
pub fn draw(conversation: &Conversation, look: &Look<'_>, out: &mut String) {
    items::Painter::new(look, out).conversation(conversation);
}
