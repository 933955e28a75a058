//! How a turn ended, and what it cost.

use std::collections::BTreeMap;

use annals_json::Value;
use annals_store::session::AppendError;
use annals_transcript::usage::{Tokens, Usage as UsageView};

use super::permission::Denial;
use crate::api::call::CallError;
use crate::api::usage::Usage;

#[derive(Clone, Debug, PartialEq)]
pub struct TurnReport {
    /// How the turn ended.
    pub ending: TurnEnd,
    /// The uuid of the line that opened it; `None` if it was interrupted before.
    pub prompt: Option<String>,
    /// The last text of the model.
    pub text: String,
    /// The number of responses.
    pub responses: u64,
    /// The stop reason of the last response.
    pub stop_reason: Option<String>,
    /// The duration, in milliseconds.
    pub millis: u64,
    /// The time spent on requests, in milliseconds.
    pub api_millis: u64,
    /// Token usage by model.
    pub spent: BTreeMap<String, Tokens>,
    /// Token usage of each response: long requests may have another price.
    pub counted: Vec<(String, Tokens)>,
    /// The usage of the last response.
    pub usage: Usage,
    /// Calls that were denied.
    pub denials: Vec<Denial>,
    /// Why the turn is over, in more detail.
    pub reason: TerminalReason,
    /// The output that the caller's schema asks for: JSON.
    pub structured: Option<Vec<u8>>,
    /// The call that waits until the session is resumed.
    pub deferred: Option<DeferredCall>,
}

/// A call that a hook has left until the session is resumed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeferredCall {
    pub id: String,
    /// The tool, by the name that the model used.
    pub tool: String,
    /// Its input: JSON.
    pub input: Vec<u8>,
}

impl TurnReport {
    /// Returns the report of a turn in which nothing happened.
    pub fn empty() -> Self {
        Self {
            ending: TurnEnd::Done,
            prompt: None,
            text: String::new(),
            responses: 0,
            stop_reason: None,
            millis: 0,
            api_millis: 0,
            spent: BTreeMap::new(),
            counted: Vec::new(),
            usage: Usage::default(),
            denials: Vec::new(),
            reason: TerminalReason::Completed,
            structured: None,
            deferred: None,
        }
    }

    /// Adds the usage of these responses.
    pub(crate) fn with_usage(self, counted: Vec<(String, Tokens)>) -> Self {
        let mut spent = BTreeMap::<String, Tokens>::new();
        for (model, tokens) in &counted {
            *spent.entry(model.clone()).or_default() += *tokens;
        }
        Self { spent, counted, ..self }
    }
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TurnEnd {
    /// The model was done, or had nothing more to say.
    Done,
    /// The turn reached its limit of responses.
    MaxResponses,
    BudgetSpent,
    /// A hook refused the prompt, for this reason.
    PromptBlocked(String),
    /// The person interrupted it.
    Interrupted,
    Failed(TurnError),
}

/// Why a turn is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerminalReason {
    /// The model was done.
    Completed,
    /// A hook ended the turn.
    HookStopped,
    /// A hook left the call until the session is resumed.
    ToolDeferred,
    /// A hook of its end ended it for good.
    StopHookPrevented,
    /// It was interrupted while tools ran.
    AbortedTools,
    /// It was interrupted while the model answered.
    AbortedStreaming,
    /// It reached its limit of responses.
    MaxTurns,
    /// It reached its budget.
    Budget,
    /// The output never fitted the schema.
    OutputAttempts,
    /// A hook refused the prompt.
    PromptBlocked,
    /// A request failed.
    ApiError,
    /// Something else failed.
    Error,
}

impl TerminalReason {
    /// Returns the name in the protocol.
    pub fn name(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::HookStopped => "hook_stopped",
            Self::ToolDeferred => "tool_deferred",
            Self::StopHookPrevented => "stop_hook_prevented",
            Self::AbortedTools => "aborted_tools",
            Self::AbortedStreaming => "aborted_streaming",
            Self::MaxTurns => "max_turns",
            Self::Budget => "max_budget",
            Self::OutputAttempts => "structured_output_retry_exhausted",
            Self::PromptBlocked => "prompt_blocked",
            Self::ApiError => "api_error",
            Self::Error => "error",
        }
    }
}

/// Why a turn failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TurnError {
    /// A request failed.
    #[error(transparent)]
    Call(#[from] CallError),
    /// Another process writes to the session, or a line has no valid parent.
    #[error("{0}")]
    Session(String),
    /// The conversation is too long, and compaction failed.
    #[error("the conversation is too long for the model and could not be summarized: {0}")]
    TooLong(String),
    /// The person asked for a compaction, and it failed.
    #[error("could not summarize the conversation: {0}")]
    NotCompacted(String),
    /// The response reached the token limit again and again.
    #[error("the response is incomplete: it was cut off at the token limit {0} times")]
    Cut(u32),
    /// A custom command failed.
    #[error("{0}")]
    Command(String),
    /// The output never fitted the schema.
    #[error("no output matched the schema after {attempts} attempts; the last one: {why}")]
    Output {
        /// How often the model has tried.
        attempts: u32,
        /// What was wrong with the last one.
        why: String,
    },
}

impl TurnError {
    /// Returns the word for it that hooks are told.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Cut(_) => "max_output_tokens",
            Self::TooLong(_) => "prompt_too_long",
            _ => "unknown",
        }
    }
}

impl From<AppendError> for TurnError {
    fn from(error: AppendError) -> Self {
        Self::Session(error.to_string())
    }
}

/// Converts the usage of a response into token counts.
pub fn tokens(usage: &Usage) -> Tokens {
    let json = usage.to_json();
    let fields = Value::parse(&json).ok().and_then(Value::fields);
    fields.map_or_else(Tokens::default, |fields| Tokens::of(&UsageView::new(fields)))
}
