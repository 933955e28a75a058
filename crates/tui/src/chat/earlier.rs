//! The beginning of a long session: its end is shown at first, and earlier parts are added when the person wants them.

use annals_ui::terminal::{Span, StyledLine};
use annals_ui::view::Conversation;

use super::block::ChatBlock;
use super::command::ChatCommand;
use super::keymap::ChatKeyScope;
use super::screen::ChatScreen;

impl ChatScreen {
    /// Says that this much of the session, such as `84 MB`, comes before what is shown.
    pub fn note_earlier(&mut self, size: &str) {
        self.earlier = Some(self.log.len());
        let line = self.earlier_line(size);
        self.notes(vec![line]);
    }

    /// Adds a part before what is shown; what is left before that part is noted.
    pub fn add_earlier(&mut self, conversation: Conversation, left: Option<&str>) {
        if let Some(note) = self.earlier {
            self.log.clear_notes(note);
        }
        let mut blocks = Vec::new();
        blocks.extend(left.map(|size| ChatBlock::Notes(vec![self.earlier_line(size)])));
        self.earlier = left.map(|_| 0);
        blocks.extend(conversation.items.into_iter().filter_map(ChatBlock::of_item));
        let count = blocks.len();
        self.log.prepend(blocks);
        self.turn_prompt += count;
        self.view.shift(count);
        if let Some(page) = &mut self.page {
            page.shift(count);
        }
    }

    fn earlier_line(&self, size: &str) -> StyledLine {
        let opens = self.keymap.key(ChatKeyScope::Prompt, ChatCommand::Transcript);
        let loads = self.keymap.key(ChatKeyScope::Page, ChatCommand::LoadEarlier);
        let how = match (opens, loads) {
            (Some(opens), Some(loads)) => format!(": in the transcript ({opens}), {loads} loads more"),
            _ => String::new(),
        };
        vec![Span::dim(format!("the first {size} of this session are not loaded{how}"))]
    }
}
