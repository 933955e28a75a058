//! Events: everything that a conversation reports to its caller.

use annals_policy::Mode;
use annals_transcript::draft::CompactionTrigger;

use super::notification::TaskNotification;
use super::permission::{Denial, PermissionRequest};
use super::report::TurnReport;
use crate::api::call::ScheduledRetry;
use crate::api::stream::StreamEvent;
use crate::api::usage::Usage;

/// An event of a conversation.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A piece of a streaming response, for display. Complete blocks follow as [`Event::Replied`].
    Streamed(StreamEvent),
    /// The displayed part of the response is void: the response starts over.
    Restarted,
    /// A block of a response is complete and written.
    Replied(WrittenLine),
    /// A response is complete: of the conversation, of a one-shot request or of a compaction.
    Usage {
        /// The model that answered.
        model: String,
        /// Its token usage.
        usage: Usage,
        /// Whether a session holds this usage.
        storage: UsageStorage,
    },
    /// A request is sent.
    Requesting,
    /// A compaction starts.
    Compacting,
    /// What the person asked for has an id, by which hooks and the status line know it.
    PromptNamed(String),
    /// A prompt is written.
    Prompted(WrittenLine),
    /// Something was attached to the conversation: a JSON object with its own `type`.
    Attached(Vec<u8>),
    /// A prompt that waited is given to the model in the running turn.
    Absorbed(WrittenLine),
    /// The line that records an interruption is written.
    Interrupted(WrittenLine),
    /// A permission request needs no answer any more; its id.
    PermissionWithdrawn(String),
    /// A person must decide about a call; [`Command::Permit`](super::Command::Permit) answers.
    PermissionRequested(PermissionRequest),
    /// A call changed the permission mode.
    ModeChanged(Mode),
    /// A call was denied.
    Denied(Denial),
    /// A call starts.
    ToolStarted {
        /// The id of the call.
        call: String,
        /// The name of the tool.
        tool: String,
        /// The input, as the model wrote it.
        input: Vec<u8>,
        /// Why it was allowed, or how the question about it was answered.
        because: String,
    },
    /// A running call reports progress.
    ToolProgress {
        /// The id of the call.
        call: String,
        progress: ToolProgress,
    },
    /// A call has its result, and the result is written.
    ToolDone {
        /// The id of the call.
        call: String,
        /// The written line.
        line: WrittenLine,
    },
    /// An event of a sub-agent.
    Subagent {
        /// The id of the call that started it.
        call: String,
        /// The id of the sub-agent.
        agent: String,
        /// The event; nested again if it is of a sub-agent's own sub-agent.
        event: Box<Event>,
    },
    /// A sub-agent has ended in the background, and the model is told.
    BackgroundEnded(TaskNotification),
    /// A call opened a pull request.
    PullRequestOpened(PullRequest),
    /// A request failed and will be retried.
    Retrying(ScheduledRetry),
    /// A notice for the person.
    Notice(Notice),
    /// The conversation was compacted.
    Compacted {
        /// Its tokens before the compaction.
        tokens_before: u64,
        /// What triggered it.
        trigger: CompactionTrigger,
    },
    /// A turn ended.
    Finished(TurnReport),
}

impl Event {
    /// Returns the event itself, without the sub-agents around it.
    pub fn innermost(&self) -> &Self {
        match self {
            Self::Subagent { event, .. } => event.innermost(),
            event => event,
        }
    }
}

/// What a tool reports while it runs.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolProgress {
    /// New output of a command.
    Output {
        /// The output since the last report.
        new: String,
        /// The whole output, or its end if it is long.
        whole: String,
        /// The lines of the whole output.
        lines: u64,
        /// The running time, in milliseconds.
        millis: u64,
    },
    /// A web search started.
    SearchStarted {
        /// What is searched for.
        query: String,
    },
    /// A web search has results.
    SearchDone {
        /// What was searched for.
        query: String,
        /// The number of pages.
        pages: u64,
    },
    /// A sub-agent started.
    SubagentStarted {
        /// The id of the sub-agent.
        agent: String,
        /// Its task.
        prompt: String,
    },
    /// An event of a sub-agent.
    SubagentEvent {
        /// The id of the sub-agent.
        agent: String,
        event: Box<Event>,
    },
    /// A hook said something to the person, or failed.
    HookMessage(String),
    /// A one-shot request was answered.
    Usage {
        /// The model that answered.
        model: String,
        /// Its token usage.
        usage: Usage,
    },
}

/// Whether the usage of a response is in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsageStorage {
    /// The session of its conversation holds it.
    Session,
    /// No session holds it: a page read by a model, a search, a summary.
    None,
}

/// A line that was written, without its envelope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenLine {
    pub uuid: String,
    /// `message`: a JSON object.
    pub message: Vec<u8>,
    /// `toolUseResult`: the stored tool result as JSON, or empty.
    pub result: Vec<u8>,
    /// `requestId`: the request that a response answers.
    pub request: Option<String>,
}

/// A pull request that a command opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullRequest {
    pub number: u64,
    /// The address of the pull request.
    pub url: String,
    /// `OWNER/NAME`.
    pub repository: String,
}

/// A notice that is not part of the conversation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Notice {
    /// The stream broke after the first complete block.
    #[error("the response may be incomplete: {0}")]
    Incomplete(String),
    /// The response reached `max_tokens`.
    #[error("the response reached the token limit")]
    MaxTokens,
    /// The model refused to answer.
    #[error("the model refused to answer{}{}", if .0.is_empty() { "" } else { ": " }, .0)]
    Refused(String),
    /// The response ended for a reason that this program does not know.
    #[error("the response ended for an unknown reason: {0}")]
    UnknownEnd(String),
    /// Lines could not be written; they are queued until writing works again.
    #[error("cannot write the session, continuing in memory: {0}")]
    NotWritten(String),
    /// The queued lines are written.
    #[error("the session can be written again")]
    WrittenAgain,
    /// Thinking of earlier turns is left out, since the model refuses it.
    #[error("omitting the thinking of earlier turns")]
    ThinkingDropped,
    /// A fallback model answers.
    #[error("switched to {0}")]
    ModelChanged(String),
    /// A hook said something, or failed.
    #[error("{0}")]
    Hook(String),
    /// A skill cannot be used, and why; or what one has answered that ran in a sub-agent.
    #[error("{0}")]
    Skill(String),
    /// Something that a prompt mentions was not attached, and why.
    #[error("not attached: {0}: {1}")]
    NotAttached(String, String),
    /// The model gave no output in the form of the schema, though it was asked again.
    #[error("no structured output: the model did not call StructuredOutput")]
    NoStructuredOutput,
    /// An approved plan could not be saved.
    #[error("could not save the plan: {0}")]
    PlanNotSaved(String),
    /// A compaction failed.
    #[error("could not summarize the conversation: {0}")]
    NotCompacted(String),
}
