//! How much of a conversation is kept.

use super::Conversation;
use super::item::{ItemBody, NoteKind};

/// How much of a conversation is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Everything.
    #[default]
    Full,
    /// What people and models said to each other, without tools, hooks, attachments and sub-agents.
    NoTools,
    /// What people asked.
    Prompts,
}

impl Conversation {
    /// Drops what a reader did not ask for.
    pub fn keep_detail(&mut self, detail: Detail) {
        use ItemBody::{Agent, Attachment, Branch, Hook, Note, Prompt, ToolCall};
        match detail {
            Detail::Full => return,
            Detail::NoTools => self.items.retain(|item| match &item.body {
                ToolCall(_) | Hook(_) | Attachment(_) | Agent(_) => false,
                Note(note) => !matches!(
                    note.kind,
                    NoteKind::Client | NoteKind::TaskNotification | NoteKind::CommandOutput
                ),
                _ => true,
            }),
            Detail::Prompts => self.items.retain(|item| matches!(item.body, Prompt(_) | Branch(_))),
        }
        for item in &mut self.items {
            if let Branch(branch) = &mut item.body {
                branch
                    .ways
                    .iter_mut()
                    .filter_map(|way| way.conversation.as_mut())
                    .for_each(|way| way.keep_detail(detail));
            }
        }
    }
}
