//! The state of a turn: what opened it, how far it has come, what is next.

use crate::commands::Invocation;
use crate::protocol::{Prompt, TurnEnd, TurnReport};

/// What opens a turn.
#[derive(Clone, Copy)]
pub(super) enum TurnInput<'p> {
    Prompt(&'p Prompt),
    Command(&'p Invocation),
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
}
