//! Settings of a turn.

use crate::api::request::{Effort, PromptCaching, Thinking};

/// Who decides about calls that no rule allows or denies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approver {
    /// These calls are denied.
    Nobody,
    /// A person, by [`Command::Permit`](super::Command::Permit).
    Person,
}

/// The settings of a turn.
#[derive(Clone, Debug)]
pub struct TurnConfig {
    /// The model, as people name it.
    pub model: String,
    /// The limit of one response, in tokens.
    pub max_tokens: u64,
    /// The system prompt, in blocks.
    pub system: Vec<String>,
    /// Whether and how the model thinks.
    pub thinking: Thinking,
    /// How hard the model tries.
    pub effort: Option<Effort>,
    /// Betas besides those that the model needs.
    pub betas: Vec<String>,
    /// How long the API caches the beginning of requests.
    pub caching: PromptCaching,
    /// The most responses of a turn.
    pub max_responses: Option<u64>,
    /// Who decides about calls that no rule allows or denies.
    pub approver: Approver,
    /// How full the context window must be for automatic compaction, in percent; `None` turns it off.
    pub compact_at: Option<u8>,
}
