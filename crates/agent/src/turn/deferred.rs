//! Turns without a prompt: the calls that a hook has left until the session is resumed are run, and the model continues.

use std::time::Instant;

use annals_store::session::AppendError;
use annals_transcript::draft::{Draft, PromptContent};

use super::agent::Agent;
use super::pending::PendingCall;
use super::state::{Step, TurnInput, TurnState};
use crate::api::call::RetryClock;
use crate::api::request::Role;
use crate::api::transport::Transport;
use crate::conversation::Grouping;
use crate::protocol::{Commands, EventSink, TurnEnd, TurnError, TurnReport};

/// What the model is told once the calls have run.
const CONTINUE: &str = "The session was resumed, and the call above has run. Continue from its result.";
const NOTHING_WAITS: &str = "this session has no deferred call: give a prompt";

impl<T: Transport, S: RetryClock> Agent<'_, T, S> {
    /// Returns whether a hook has left calls of the session until it is resumed.
    pub fn has_deferred_calls(&mut self) -> Result<bool, AppendError> {
        Ok(self.conversation.is_open() && !self.conversation.deferred_calls()?.is_empty())
    }

    /// Runs the calls that wait.
    pub(super) async fn run_deferred(
        &mut self,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> TurnReport {
        let (began, mut state) = (Instant::now(), TurnState::new());
        self.mcp.settle().await;
        let calls = match self.conversation.deferred_calls() {
            Ok(calls) if calls.is_empty() => Err(TurnError::Command(NOTHING_WAITS.to_owned())),
            Ok(calls) => Ok(calls.into_iter().map(PendingCall::from_deferred).collect::<Vec<_>>()),
            Err(error) => Err(error.into()),
        };
        match calls {
            Ok(calls) => {
                let input = TurnInput::Deferred(&calls);
                self.whole_turn(input, began, &mut state, commands, report).await
            }
            Err(error) => TurnReport { ending: TurnEnd::Failed(error), ..TurnReport::empty() },
        }
    }

    /// Runs calls of the last response, and then asks the model to continue.
    pub(super) async fn run_open(
        &mut self,
        calls: &[PendingCall],
        state: &mut TurnState,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Result<TurnEnd, TurnError> {
        self.sync()?;
        if self.at_start(commands, report).await.is_none() {
            return Ok(TurnEnd::Interrupted);
        }
        match self.run_and_ask(calls, state, commands, report).await? {
            Step::Request => {}
            Step::End(ending) => return Ok(ending),
        }
        // The messages were built with a filler in place of the results.
        self.conversation.mark_stale();
        self.append_start()?;
        let draft = Draft::meta_prompt(PromptContent::Text(CONTINUE));
        self.conversation.append_and_send(draft, Role::User, Grouping::NewMessage)?;
        self.respond_until_done(state, commands, report).await
    }
}
