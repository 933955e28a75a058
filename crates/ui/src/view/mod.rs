//! The model: a conversation in reading order, without terminal or HTML.
//!
//! Items follow the main history across compactions. What hangs beside it (hooks, retried answers, damaged lines, facts
//! about the session) comes at its place in the file; ways that a person left are named where they begin; records that
//! annals does not know are items too, so that nothing is dropped.

mod attachment;
mod call;
mod crew;
mod diff;
mod item;
mod layout;
mod live;
mod message;
mod output;
mod side;
mod source;
mod system;
mod thread;
mod tool;
mod words;

pub use call::headline;
pub use item::{
    Attachment, Attention, Author, Body, Branch, Compaction, Fact, Failure, Hook, Item, Note, NoteKind,
    Place, Prompt, Speech, SubAgent, TurnEnd, Unknown, Way,
};
pub use live::Live;
pub use tool::{
    Answer, Diff, DiffLine, FileAct, FilePart, Hunk, InputField, Part, Sign, Todo, TodoState, ToolCall,
    ToolOutput, ToolResult,
};
pub(crate) use words::{opening, tag};

use annals_transcript::transcript::Transcript;

use crew::Crew;

/// What becomes of the ways that were not taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Branches {
    /// They are named where they begin.
    #[default]
    Named,
    /// They are named, and told in full.
    Told,
}

/// What a conversation is to hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// What becomes of the ways that were not taken.
    pub branches: Branches,
}

/// A sub-agent's file, with the tool call that started it.
#[derive(Clone, Debug)]
pub struct AgentThread<'g> {
    /// The agent's id.
    pub id: String,
    /// The call, of this conversation or of another agent; `None` where no call leads to it.
    pub tool_use: Option<String>,
    /// Its type, or what it is for.
    pub label: Option<String>,
    /// Its file.
    pub transcript: &'g Transcript<'g>,
}

/// A conversation in reading order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conversation {
    /// What a reader meets, in order.
    pub items: Vec<Item>,
}

impl Conversation {
    /// Builds the conversation of a session, with its sub-agents under the calls that started them. Sub-agents that no
    /// call leads to come last.
    pub fn build(transcript: &Transcript<'_>, agents: &[AgentThread<'_>], options: Options) -> Self {
        let mut crew = Crew::new(agents, options);
        let mut conversation = crew.conversation(transcript);
        conversation.items.extend(crew.unclaimed());
        conversation
    }

    /// How many prompts and answers it has, without those of sub-agents.
    pub fn message_count(&self) -> usize {
        let is_message =
            |item: &&Item| matches!(item.body, Body::Prompt(_) | Body::Text(_) | Body::ToolCall(_));
        self.items.iter().filter(is_message).count()
    }
}
