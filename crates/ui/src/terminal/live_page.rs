//! A growing page: conversations drawn one below the other, as they arrive.

use super::color::Color;
use super::items::{LastItem, Renderer};
use super::options::RenderOptions;
use super::style::{Span, Style};
use crate::terminal_text::TerminalText;
use crate::view::Conversation;

/// The state after the last drawing, so that labels, dates and blank lines come out as if everything were drawn at once.
#[derive(Clone, Debug, Default)]
pub struct LivePage {
    pub(super) is_started: bool,
    pub(super) last_item: LastItem,
    pub(super) date: String,
    pub(super) model: String,
    pub(super) open_call: String,
}

impl LivePage {
    /// Draws a conversation below the earlier ones.
    pub fn draw(&mut self, conversation: &Conversation, options: &RenderOptions<'_>, out: &mut TerminalText) {
        self.draw_nested(conversation, 0, options, out);
    }

    /// Draws a conversation after the gutters of a sub-agent at this depth.
    pub fn draw_nested(
        &mut self,
        conversation: &Conversation,
        depth: usize,
        options: &RenderOptions<'_>,
        out: &mut TerminalText,
    ) {
        // A sub-agent hangs on the call above it, without a blank line between.
        if depth > 0 && conversation.items.len() == 1 {
            self.last_item = LastItem::Tool { is_brief: true };
        }
        let mut renderer = Renderer::on(std::mem::take(self), options, out.drawing());
        let gutter = Span::new(format!("  {}", options.glyphs().agent), Style::color(Color::Blue));
        renderer.with_gutters(vec![gutter; depth], |renderer| renderer.conversation(conversation));
        *self = renderer.into_page();
    }

    /// Marks that something else was drawn below, so that a blank line follows.
    pub fn interrupt(&mut self) {
        (self.is_started, self.last_item) = (true, LastItem::Block);
        self.open_call.clear();
    }
}
