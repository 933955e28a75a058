//! The next step after a response: tool calls, another request, or the end; and recovery from a failed request.

use annals_json::{ObjectWriter, Value};
use annals_store::session::AppendError;
use annals_store::source::new_uuid;
use annals_transcript::draft::{Draft, PromptContent, ResponseDraft};

use super::agent::Agent;
use super::attempt::RunOutcome;
use super::compact::{CompactionError, CompactionOutcome, CompactionRequest};
use super::pending::PendingCall;
use super::state::{Step, TurnState};
use crate::api::call::{ApiResponse, CallError, ResponseEnd, RetryClock};
use crate::api::request::Role;
use crate::api::retry::GiveUpReason;
use crate::api::stream::{BlockKind, StopInfo, StopReason};
use crate::api::transport::Transport;
use crate::conversation::Grouping;
use crate::protocol::{
    Commands, Event, EventSink, INTERRUPTED, INTERRUPTED_CALL, Notice, TerminalReason, TurnEnd, TurnError,
};
use crate::tools::structured::StructuredSlot;

/// How often a paused response is continued, and how often a cut one.
const MAX_PAUSES: u32 = 10;
const MAX_CONTINUATIONS: u32 = 3;

const CONTINUE_AFTER_CUT: &str =
    "Your response was cut off at the length limit. Continue exactly where it stopped.";
const CONTINUE_AFTER_BREAK: &str = "The connection was lost before your response was complete: what arrived is above, and calls missing from it were \
not made. Continue where it stopped.";

impl<T: Transport, S: RetryClock> Agent<'_, T, S> {
    /// Decides the next step after a response.
    pub(super) async fn after_response(
        &mut self,
        answer: &ApiResponse,
        state: &mut TurnState,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Result<Step, TurnError> {
        let finished = &mut state.finished;
        finished.responses += 1;
        finished.usage = answer.usage.clone();
        self.conversation.set_context(answer.usage.context().saturating_add(answer.usage.output()));
        let texts = answer.blocks.iter().filter(|block| block.kind == BlockKind::Text);
        finished.text = texts.map(|block| block.text("text")).collect::<Vec<_>>().join("");
        let text = finished.text.clone();
        if self.after_text(&text, commands, report).await.is_none() {
            let calls = calls_of(answer);
            self.answer_all(&calls, INTERRUPTED_CALL, Grouping::NewMessage, report)?;
            return self.stop(report);
        }
        let finished = &mut state.finished;
        let mut calls = calls_of(answer);
        let stop = match &answer.ended {
            ResponseEnd::Complete(stop) => stop,
            ResponseEnd::Broken(failure) => {
                report(Event::Notice(Notice::Incomplete(failure.to_string())));
                finished.stop_reason = None;
                if !calls.is_empty() {
                    return self.run_and_ask(&calls, state, commands, report).await;
                }
                if state.continuations < MAX_CONTINUATIONS {
                    return self.request_continuation(CONTINUE_AFTER_BREAK, state);
                }
                // The caller must not take half a response for a complete one.
                let (failure, why) = (failure.clone(), GiveUpReason::Attempts);
                return self.fail(CallError::Failed { failure, why, retries: state.continuations }.into());
            }
        };
        finished.stop_reason = Some(stop.reason.name().to_owned());
        match &stop.reason {
            StopReason::ToolUse | StopReason::EndTurn | StopReason::StopSequence => match calls.is_empty() {
                true => Ok(Step::End(TurnEnd::Done)),
                false => self.run_and_ask(&calls, state, commands, report).await,
            },
            StopReason::PauseTurn if state.pauses < MAX_PAUSES && calls.is_empty() => {
                state.pauses += 1;
                Ok(Step::Request)
            }
            StopReason::MaxTokens | StopReason::ContextWindowExceeded => {
                report(Event::Notice(Notice::MaxTokens));
                // Even if the input looks complete: the model was not done with it.
                let is_last_a_call =
                    answer.blocks.last().is_some_and(|block| block.kind == BlockKind::ToolUse);
                if let Some(last) = calls.pop_if(|_| is_last_a_call) {
                    calls.push(
                        last.not_run_because("The response was cut off inside this call, so it was not run."),
                    );
                }
                if stop.reason == StopReason::ContextWindowExceeded {
                    self.answer_all(
                        &calls,
                        "Not executed: the context was full.",
                        Grouping::NewMessage,
                        report,
                    )?;
                    return match self.compact(CompactionRequest::auto(), commands, report).await? {
                        CompactionOutcome::Done => Ok(Step::Request),
                        CompactionOutcome::Interrupted => self.stop(report),
                    };
                }
                if !calls.is_empty() {
                    return self.run_and_ask(&calls, state, commands, report).await;
                }
                if state.continuations == MAX_CONTINUATIONS {
                    // The caller must not take a piece of a response for the whole.
                    return self.fail(TurnError::Cut(MAX_CONTINUATIONS + 1));
                }
                self.request_continuation(CONTINUE_AFTER_CUT, state)
            }
            reason => {
                report(Event::Notice(match reason {
                    StopReason::Refusal => Notice::Refused(details(stop)),
                    reason => Notice::UnknownEnd(reason.name().to_owned()),
                }));
                self.answer_all(
                    &calls,
                    "Not executed: the response ended early.",
                    Grouping::NewMessage,
                    report,
                )?;
                Ok(Step::End(TurnEnd::Done))
            }
        }
    }

    /// Asks the model to continue an incomplete response.
    fn request_continuation(&mut self, words: &str, state: &mut TurnState) -> Result<Step, TurnError> {
        state.continuations += 1;
        self.conversation.append_and_send(
            Draft::meta_prompt(PromptContent::Text(words)),
            Role::User,
            Grouping::NewMessage,
        )?;
        Ok(Step::Request)
    }

    pub(super) async fn run_and_ask(
        &mut self,
        calls: &[PendingCall],
        state: &mut TurnState,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Result<Step, TurnError> {
        match self.run_calls(calls, commands, report).await? {
            RunOutcome::All => {}
            RunOutcome::Interrupted => {
                self.append_interruption(INTERRUPTED_CALL, report)?;
                state.finished.reason = TerminalReason::AbortedTools;
                return Ok(Step::End(TurnEnd::Interrupted));
            }
            RunOutcome::Deferred => {
                let finished = &mut state.finished;
                finished.reason = TerminalReason::ToolDeferred;
                finished.stop_reason = Some(TerminalReason::ToolDeferred.name().to_owned());
                let open = self.conversation.deferred_calls()?;
                finished.deferred = open.into_iter().next_back();
                finished.text.clear();
                return Ok(Step::End(TurnEnd::Done));
            }
        }
        if let Some((attempts, why)) = self.structured.as_ref().and_then(StructuredSlot::exhaustion) {
            return Ok(Step::End(TurnEnd::Failed(TurnError::Output { attempts, why })));
        }
        if self.hook_stop.take().is_some() {
            state.finished.reason = TerminalReason::HookStopped;
            state.finished.text.clear();
            return Ok(Step::End(TurnEnd::Done));
        }
        if self.is_full() && self.auto_compact(commands, report).await == CompactionOutcome::Interrupted {
            return self.stop(report);
        }
        self.absorb_prompts(commands, report)?;
        Ok(Step::Request)
    }

    /// Recovers from a failed request if possible.
    pub(super) async fn recover(
        &mut self,
        error: CallError,
        state: &mut TurnState,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Result<Step, TurnError> {
        match &error {
            CallError::ThinkingRefused(_) if !state.has_dropped_thinking => {
                state.has_dropped_thinking = true;
                self.conversation.drop_older_thinking()?;
                report(Event::Notice(Notice::ThinkingDropped));
                return Ok(Step::Request);
            }
            error if error.is_of_size() && self.may_compact() => {
                match self.compact(CompactionRequest::auto(), commands, report).await {
                    Ok(CompactionOutcome::Done) => return Ok(Step::Request),
                    Ok(CompactionOutcome::Interrupted) => return self.stop(report),
                    Err(CompactionError::Failed(why)) => {
                        report(Event::Notice(Notice::NotCompacted(why)));
                    }
                    Err(CompactionError::Session(error)) => return Err(error.into()),
                }
            }
            _ => {}
        }
        self.fail(error.into())
    }

    /// Ends a turn that the person interrupted.
    pub(super) fn stop(&mut self, report: &mut EventSink<'_>) -> Result<Step, TurnError> {
        self.append_interruption(INTERRUPTED, report)?;
        Ok(Step::End(TurnEnd::Interrupted))
    }

    /// Ends a turn that cannot continue.
    fn fail(&mut self, error: TurnError) -> Result<Step, TurnError> {
        self.append_failure(&error)?;
        Ok(Step::End(TurnEnd::Failed(error)))
    }

    /// Writes a failure into the session, as the original does: people see it, models do not.
    fn append_failure(&mut self, error: &TurnError) -> Result<(), AppendError> {
        let mut block = Vec::new();
        let mut object = ObjectWriter::begin(&mut block);
        object.string("type", "text").string("text", &format!("API Error: {error}"));
        object.end();
        let message = new_uuid(self.conversation.store().source);
        let response = ResponseDraft {
            message: &message,
            request: None,
            model: "<synthetic>",
            blocks: &[&block],
            stop_reason: Some("stop_sequence"),
            usage: None,
        };
        for draft in response.drafts() {
            self.conversation.append(draft.field("isApiErrorMessage", b"true"))?;
        }
        self.conversation.mark_stale();
        Ok(())
    }
}

/// Returns the calls of a response; an id used twice is one call.
fn calls_of(answer: &ApiResponse) -> Vec<PendingCall> {
    let mut ids = std::collections::HashSet::new();
    let blocks = answer.blocks.iter().filter(|block| block.kind == BlockKind::ToolUse);
    blocks.filter(|block| ids.insert(block.text("id"))).map(PendingCall::from_block).collect()
}

/// Returns the category of a refusal.
fn details(stop: &StopInfo) -> String {
    let category = |value: Value<'_>| value.get("category")?.text().map(|text| text.to_string());
    stop.details.as_ref().and_then(|details| category(details.value())).unwrap_or_default()
}
