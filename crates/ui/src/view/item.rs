//! The items of a conversation: owned, plain data that any form can draw.

use super::tool::ToolCall;

/// An item of a conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Its record in the file.
    pub position: Position,
    pub body: ItemBody,
}

/// Where an item comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// The line, counted from 1; 0 if it concerns no line.
    pub line: usize,
    /// The record's id.
    pub uuid: Option<String>,
    /// When, in milliseconds since 1970.
    pub millis: Option<i64>,
    /// Whether it is off the main history, such as a retried answer.
    pub is_off_path: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ItemBody {
    /// A prompt of a person, or of a sub-agent's caller.
    Prompt(PromptItem),
    /// Something is noted in the user's name or by the client.
    Note(Note),
    /// The model thinks; `None` where the thought is sealed or was not kept.
    Thinking(Option<String>),
    /// The model speaks, in Markdown.
    Text(ModelText),
    /// The model calls a tool; the result is with it.
    ToolCall(Box<ToolCall>),
    /// The conversation was compacted.
    Compaction(Compaction),
    /// Branches that the person abandoned begin here.
    Branch(Branch),
    /// A request failed.
    Failure(Failure),
    /// A hook ran.
    Hook(HookRun),
    /// Something that the client added to the prompt.
    Attachment(AttachmentNote),
    /// Something in the file is damaged.
    Damage(Damage),
    /// A fact about the session.
    Fact(SessionFact),
    /// A sub-agent without a tool call in the conversation.
    Agent(Box<SubAgent>),
    /// A turn is over.
    TurnEnd(TurnEnd),
    /// A record or block that annals does not know.
    Unknown(UnknownEntry),
}

/// Who wrote a prompt, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptKind {
    /// A person, in words.
    Person,
    /// A person, by a slash command.
    Command,
    /// The user, by a shell command.
    Shell,
    /// A person, while the model was still at work.
    Queued,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptItem {
    /// The typed text.
    pub text: String,
    /// The number of images.
    pub images: usize,
    /// Which image of the record is the first of them.
    pub first_image: usize,
    /// The number of documents.
    pub documents: usize,
    /// Who wrote it, and how.
    pub author: PromptKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteKind {
    /// What a command of the person printed.
    CommandOutput,
    /// The person interrupted.
    Interrupt,
    /// A background task ended.
    TaskNotification,
    /// Another agent of a team speaks.
    Teammate,
    /// The client speaks in the user's name: an expansion, a caveat, a reminder.
    Client,
    /// A notice of the client.
    Notice,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub kind: NoteKind,
    /// The subject, if known.
    pub label: Option<String>,
    pub text: String,
}

/// Words of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelText {
    /// The words, in Markdown.
    pub text: String,
    pub model: Option<String>,
    /// Whether an interrupt cut them off.
    pub is_cut_off: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compaction {
    /// `auto` or `manual`.
    pub trigger: Option<String>,
    pub tokens_before: Option<u64>,
    pub tokens_after: Option<u64>,
    /// The summary, in Markdown.
    pub summary: Option<String>,
}

/// The abandoned branches at one message.
#[derive(Clone, Debug, PartialEq)]
pub struct Branch {
    pub ways: Vec<AbandonedBranch>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct AbandonedBranch {
    /// The line of its prompt.
    pub line: usize,
    /// The id of its prompt.
    pub uuid: Option<String>,
    /// How its prompt begins.
    pub opening: String,
    /// How many messages it has, the prompt included.
    pub messages: usize,
    /// What happened there, where the options ask for it.
    pub conversation: Option<super::Conversation>,
}

/// A request that failed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failure {
    /// What went wrong.
    pub message: String,
    /// The HTTP status.
    pub status: Option<u64>,
    /// The attempt that failed, and how many there are.
    pub attempt: Option<(u64, Option<u64>)>,
    /// When it is tried again, in milliseconds.
    pub retry_in_ms: Option<u64>,
}

/// A hook, or the hooks at the end of a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookRun {
    pub name: String,
    pub text: String,
    /// Whether it failed or stopped something.
    pub is_error: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttachmentNote {
    /// Its kind, as written.
    pub kind: String,
    /// What it is about, in a line.
    pub headline: String,
}

/// A damaged place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The stable name of the problem.
    pub problem: &'static str,
    /// The problem.
    pub message: String,
}

/// A fact about the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionFact {
    /// The session got a title.
    Title(String),
    /// The session got a tag.
    Tag(String),
    /// The session opened a pull request.
    PullRequest {
        /// Its repository and number.
        name: String,
        url: String,
    },
    /// A page shows the session's work.
    Page { title: String, url: String },
    /// The session moved to another folder.
    Moved(String),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnEnd {
    /// What the client measured, or the span from the first to the last line.
    pub duration_ms: Option<u64>,
    /// The models that answered, in the order in which they did.
    pub models: Vec<String>,
    /// Tokens that they wrote.
    pub output_tokens: u64,
    /// Tools that they called.
    pub tool_calls: usize,
}

/// Something that annals does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownEntry {
    /// `record` or `block`.
    pub what: &'static str,
    /// The word in its `type`.
    pub type_name: String,
    /// How it begins, as written.
    pub opening: String,
}

/// A sub-agent and what it did.
#[derive(Clone, Debug, PartialEq)]
pub struct SubAgent {
    /// Its id; empty for one inside the session's file.
    pub id: String,
    /// Its type or what it is for.
    pub label: Option<String>,
    /// What it did.
    pub conversation: super::Conversation,
}
