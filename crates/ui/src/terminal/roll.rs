//! A page without an end: conversations drawn one after the other, as they come, on the same page.

use super::items::{Painter, Voice};
use super::look::Look;
use crate::view::Conversation;

/// What was drawn last, so that what follows fits below it: labels, dates and blank lines stand where they would stand
/// if all had been drawn at once.
#[derive(Clone, Debug, Default)]
pub struct Roll {
    pub(super) is_started: bool,
    pub(super) voice: Voice,
    pub(super) date: String,
    pub(super) model: String,
    pub(super) asked: String,
}

impl Roll {
    /// Draws a conversation below what was drawn before.
    pub fn draw(&mut self, conversation: &Conversation, look: &Look<'_>, out: &mut String) {
        let mut painter = Painter::on(std::mem::take(self), look, out);
        painter.conversation(conversation);
        *self = painter.into_roll();
    }
}
