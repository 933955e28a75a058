//! The model: a conversation in reading order, without terminal or HTML.
//!
//! Items follow the main history across compactions. Items off it (hooks, retried answers, damaged lines, facts about the
//! session) come at their line of the file; abandoned branches are named where they begin; unknown records are items too,
//! so that nothing is dropped.

mod attachment;
mod builder;
mod call;
mod detail;
mod diff;
mod image;
mod indexed;
mod item;
mod layout;
mod live;
mod live_call;
mod live_record;
mod message;
mod output;
mod parts;
mod side;
mod sub_agents;
mod system;
mod text;
mod tool;
mod windows;

pub use call::headline;
pub use detail::Detail;
pub use image::{ImageRef, image_data, image_type, message_images};
pub use item::{
    AbandonedBranch, AttachmentNote, Branch, Compaction, Damage, Failure, HookRun, Item, ItemBody, ModelText,
    Note, NoteKind, Position, PromptItem, PromptKind, SessionFact, SubAgent, TurnEnd, UnknownEntry,
};
pub use live::LiveSession;
pub use live_call::LiveCall;
pub use live_record::{LiveRecord, LiveRecordBody};
pub(crate) use parts::part_starts;
pub(crate) use text::{opening, tag};
pub use tool::{
    CallPhase, Diff, DiffLine, DiffSign, FileAction, FileExcerpt, Hunk, InputField, QuestionAnswer, Todo,
    TodoState, ToolCall, ToolCallResult, ToolOutput,
};

pub use windows::{ConversationMap, ConversationPlanner, ItemPlace, RecordSpan, WindowPlan};

use annals_transcript::transcript::Transcript;

use sub_agents::SubAgents;

/// How much of abandoned branches is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BranchDetail {
    /// Their first prompt, at the position where they begin.
    #[default]
    FirstPrompt,
    /// Their first prompt, and all messages.
    Full,
}

/// Options of building a conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ViewOptions {
    /// How much of abandoned branches is shown.
    pub branches: BranchDetail,
}

/// A sub-agent's file, with the tool call that started it.
#[derive(Clone, Debug)]
pub struct AgentThread<'g> {
    pub id: String,
    /// The call, of this conversation or of another agent; `None` if no call refers to it.
    pub tool_use: Option<String>,
    /// Its type, or what it is for.
    pub label: Option<String>,
    /// Its file.
    pub transcript: &'g Transcript<'g>,
}

/// A conversation in reading order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conversation {
    /// The items, in reading order.
    pub items: Vec<Item>,
}

impl Conversation {
    /// Builds the conversation of a session, with its sub-agents under the calls that started them. Sub-agents without a
    /// call come last.
    pub fn build(transcript: &Transcript<'_>, agents: &[AgentThread<'_>], options: ViewOptions) -> Self {
        let mut agents = SubAgents::new(agents, options);
        let mut conversation = agents.conversation(transcript);
        conversation.items.extend(agents.unclaimed());
        conversation
    }

    /// Builds the same in parts, so that one can be drawn while the next is built: each begins with a prompt, except for the first,
    /// and is given to `each`.
    pub fn build_in_parts(
        transcript: &Transcript<'_>,
        agents: &[AgentThread<'_>],
        options: ViewOptions,
        each: &mut dyn FnMut(Self),
    ) {
        let mut agents = SubAgents::new(agents, options);
        let mut last = agents.conversation_in_parts(transcript, each);
        last.items.extend(agents.unclaimed());
        each(last);
    }

    /// Keeps what is around a line of the file: the item that it belongs to, and as many messages, thoughts and calls before and
    /// after it as are asked for. A result belongs to its call.
    pub fn keep_around(&mut self, line: usize, context: usize) {
        let starts_before = |item: &Item| item.position.line <= line;
        let at = self.items.iter().enumerate().filter(|(_, item)| starts_before(item));
        let Some((at, _)) = at.max_by_key(|(_, item)| item.position.line) else { return self.items.clear() };
        let counts = |item: &Item| {
            use ItemBody::{Prompt, Text, Thinking, ToolCall};
            matches!(item.body, Prompt(_) | Text(_) | Thinking(_) | ToolCall(_))
        };
        let (before, after) = (&self.items[..at], &self.items[at + 1..]);
        let far = |(place, _): (usize, &Item)| place;
        let end = after.iter().enumerate().filter(|(_, item)| counts(item)).nth(context).map(far);
        let end = end.unwrap_or(after.len()) + at + 1;
        let start = before.iter().enumerate().rev().filter(|(_, item)| counts(item)).nth(context).map(far);
        let start = start.map_or(0, |place| place + 1);
        self.items.truncate(end);
        self.items.drain(..start);
    }

    /// How many prompts and answers it has, without those of sub-agents.
    pub fn message_count(&self) -> usize {
        let is_message = |item: &&Item| {
            matches!(item.body, ItemBody::Prompt(_) | ItemBody::Text(_) | ItemBody::ToolCall(_))
        };
        self.items.iter().filter(is_message).count()
    }
}
