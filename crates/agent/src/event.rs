//! What a conversation tells whoever draws or prints it: one enum, and nothing else leads out.

use crate::api::call::Retry;
use crate::api::stream::Event as Streamed;
use crate::api::usage::Usage;
use crate::tools::Told;
use crate::turn::Finished;

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// Something of a response that streams: for showing. What stands comes as [`Event::Replied`].
    Streamed(Streamed),
    /// What was shown of the response is void: it begins anew.
    Restarted,
    /// One block of a response stands, and its line is written.
    Replied(Line),
    /// A response is whole: one of the conversation, of a model that a tool asked, or a summary.
    Counted {
        /// The model that answered.
        model: String,
        /// What it counted.
        usage: Usage,
        /// Where that can be read again.
        standing: Standing,
    },
    /// A person must decide about a call; the answer is [`Command::Permit`](crate::command::Command::Permit).
    Asked(Question),
    /// A call was refused.
    Denied(Denial),
    /// A call runs.
    ToolStarted {
        /// The call.
        call: String,
        /// The tool.
        tool: String,
        /// The input, as the model wrote it.
        input: Vec<u8>,
    },
    /// A call that runs says something.
    ToolTold {
        /// The call.
        call: String,
        /// What.
        told: Told,
    },
    /// A call has its result, and its line is written.
    ToolDone {
        /// The call.
        call: String,
        /// The line.
        line: Line,
    },
    /// Something happened in the conversation of a sub-agent.
    OfAgent {
        /// The call that it works for.
        call: String,
        /// The sub-agent.
        agent: String,
        /// What happened there; of what it has itself started, another one of these.
        event: Box<Event>,
    },
    /// A call has opened a pull request.
    Linked(PullRequest),
    /// A request failed and is sent again.
    Retrying(Retry),
    /// Something worth knowing.
    Noticed(Notice),
    /// The older part of the conversation was summed up.
    Compacted {
        /// How many tokens it had.
        tokens_before: u64,
    },
    /// A turn is over.
    Finished(Finished),
}

impl Event {
    /// What happened, wherever it did.
    pub fn innermost(&self) -> &Self {
        match self {
            Self::OfAgent { event, .. } => event.innermost(),
            event => event,
        }
    }
}

/// Whether a response that was counted stands in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// In that of the conversation that it belongs to.
    Written,
    /// In none: a page that a model read, a search, a summary.
    Aside,
}

/// A line that was written: what it says, without its envelope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its id.
    pub uuid: String,
    /// `message`: a JSON object.
    pub message: Vec<u8>,
    /// `toolUseResult`: JSON, what people are shown of a tool's result; empty where there is none.
    pub result: Vec<u8>,
}

/// A pull request that a command has opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullRequest {
    /// Its number.
    pub number: u64,
    /// Its address.
    pub url: String,
    /// `OWNER/NAME`.
    pub repository: String,
}

/// A call that waits for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Its own id: calls of several sub-agents may go by the same one.
    pub id: String,
    /// The call.
    pub call: String,
    /// The tool.
    pub tool: String,
    /// The input, as the model wrote it.
    pub input: Vec<u8>,
    /// Why it is asked for.
    pub why: String,
    /// Rules that would allow it from now on.
    pub suggestions: Vec<String>,
}

/// A call that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denial {
    /// The call.
    pub call: String,
    /// The tool.
    pub tool: String,
    /// The input, as the model wrote it.
    pub input: Vec<u8>,
    /// Why.
    pub why: String,
}

/// Something worth knowing that is no part of the conversation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Notice {
    /// The stream broke after something of it stood.
    #[error("the response may be incomplete: {0}")]
    Incomplete(String),
    /// The response was cut at the limit of its length.
    #[error("the response reached its limit of tokens")]
    Cut,
    /// The model will not answer.
    #[error("the model refused to answer{}{}", if .0.is_empty() { "" } else { ": " }, .0)]
    Refused(String),
    /// The response ended for a reason that is newer than this program.
    #[error("the response ended for an unknown reason: {0}")]
    UnknownEnd(String),
    /// Lines could not be written; they wait, and are written when the fault is gone.
    #[error("the session could not be written, and goes on in memory: {0}")]
    NotKept(String),
    /// Lines that waited are written.
    #[error("the session is written again")]
    KeptAgain,
    /// Thinking of earlier turns was left out, since the model does not take it back.
    #[error("thinking of earlier turns is left out")]
    ThinkingDropped,
    /// Another model answers.
    #[error("{0} answers from now on")]
    ModelChanged(String),
    /// A summary failed.
    #[error("the conversation could not be summed up: {0}")]
    NotCompacted(String),
}
