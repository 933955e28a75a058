//! How a turn ended, and what it came to.

use std::collections::BTreeMap;

use annals_json::Value;
use annals_store::session::AppendError;
use annals_transcript::usage::{Tokens, Usage as UsageView};

use crate::api::call::CallError;
use crate::api::usage::Usage;
use crate::event::Denial;

/// What a turn came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// How it ended.
    pub ending: Ending,
    /// The id of the line that opened it; none where it was stopped before anything was said.
    pub prompt: Option<String>,
    /// What the model said last.
    pub text: String,
    /// How many responses there were.
    pub responses: u64,
    /// Why the last one stopped.
    pub stop_reason: Option<String>,
    /// How long it took, in milliseconds.
    pub millis: u64,
    /// How long of it the API took.
    pub api_millis: u64,
    /// What was counted, by model.
    pub spent: BTreeMap<String, Tokens>,
    /// The same, response by response: a long request may have a price of its own.
    pub counted: Vec<(String, Tokens)>,
    /// The usage of the last response.
    pub usage: Usage,
    /// Calls that were refused.
    pub denials: Vec<Denial>,
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The model was done, or had nothing more to say.
    Done,
    /// There were as many responses as were allowed.
    MostResponses,
    /// It was interrupted.
    Interrupted,
    /// It could not go on.
    Failed(TurnError),
}

/// Why a turn could not go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TurnError {
    /// There is no answer.
    #[error(transparent)]
    Call(#[from] CallError),
    /// Somebody else writes to the session, or a line has no place in it.
    #[error("{0}")]
    Session(String),
    /// The conversation does not fit, and could not be summed up.
    #[error("the conversation is too long for the model, and could not be summed up: {0}")]
    TooLong(String),
    /// A custom command was not carried out.
    #[error("{0}")]
    Command(String),
}

impl From<AppendError> for TurnError {
    fn from(error: AppendError) -> Self {
        Self::Session(error.to_string())
    }
}

/// What a response counted, as tokens.
pub fn tokens(usage: &Usage) -> Tokens {
    let json = usage.to_json();
    let fields = Value::parse(&json).ok().and_then(Value::fields);
    fields.map_or_else(Tokens::default, |fields| Tokens::of(&UsageView::new(fields)))
}
