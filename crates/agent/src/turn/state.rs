//! The state of a turn: what opened it, how far it has come, what is next.

use super::pending::PendingCall;
use crate::commands::Invocation;
use crate::protocol::{Prompt, TurnEnd, TurnReport};

/// What opens a turn.
#[derive(Clone, Copy)]
pub(super) enum TurnInput<'p> {
    Prompt(&'p Prompt),
    Command(&'p Prompt, &'p Invocation),
    /// Calls that a hook has left until now.
    Deferred(&'p [PendingCall]),
}

impl<'p> TurnInput<'p> {
    /// Returns the prompt as it came; `None` if there was none.
    pub(super) fn prompt(self) -> Option<&'p Prompt> {
        match self {
            Self::Prompt(prompt) | Self::Command(prompt, _) => Some(prompt),
            Self::Deferred(_) => None,
        }
    }
}

/// The next step of a turn.
pub(super) enum Step {
    Request,
    End(TurnEnd),
}

/// The progress of a turn.
pub(super) struct TurnState {
    pub(super) finished: TurnReport,
    pub(super) pauses: u32,
    pub(super) continuations: u32,
    pub(super) has_dropped_thinking: bool,
    /// The model that the caller has chosen during the turn.
    pub(super) model: Option<String>,
    /// How often a hook has kept the turn from ending.
    pub(super) stop_blocks: u32,
    /// Whether the model was asked for the output of the schema.
    pub(super) is_output_requested: bool,
}

impl TurnState {
    pub(super) fn new() -> Self {
        Self {
            finished: TurnReport::empty(),
            pauses: 0,
            continuations: 0,
            has_dropped_thinking: false,
            model: None,
            stop_blocks: 0,
            is_output_requested: false,
        }
    }
}
