//! What follows a response: the tools that it calls, another request, or the end; and what can be done where there is none.

use annals_json::{ObjectWriter, Value};
use annals_store::session::AppendError;
use annals_store::source::new_uuid;
use annals_transcript::draft::{CompactionTrigger, Draft, ResponseDraft, Said};

use super::calls::{Asked, Ran};
use super::{Agent, Course, Ending, INTERRUPTED_CALL, Next, Report, TurnError};
use crate::api::call::{Answer, CallError, Ended, Surroundings};
use crate::api::request::Role;
use crate::api::retry::GiveUp;
use crate::api::stream::{BlockKind, Stop, StopReason};
use crate::api::transport::Transport;
use crate::command::Commands;
use crate::compact::Compacted;
use crate::conversation::Place;
use crate::event::{Event, Notice};

/// How often a response that paused is gone on with, and one that was cut.
const MOST_PAUSES: u32 = 10;
const MOST_CUTS: u32 = 3;

const CUT: &str = "Your response was cut at its limit of length. Go on exactly where it stopped.";
const BROKE_OFF: &str = "The connection broke before your response was whole: what came is above, and calls that are not there were \
not made. Go on where it stopped.";

impl<T: Transport, S: Surroundings> Agent<'_, T, S> {
    /// What follows an answer.
    pub(super) async fn go_on(
        &mut self,
        answer: &Answer,
        course: &mut Course,
        commands: &mut Commands,
        report: &mut Report<'_>,
    ) -> Result<Next, TurnError> {
        let finished = &mut course.finished;
        finished.responses += 1;
        finished.usage = answer.usage.clone();
        self.context = answer.usage.context().saturating_add(answer.usage.output());
        let texts = answer.blocks.iter().filter(|block| block.kind == BlockKind::Text);
        finished.text = texts.map(|block| block.text("text")).collect::<Vec<_>>().join("");
        let mut calls = calls_of(answer);
        let stop = match &answer.ended {
            Ended::Complete(stop) => stop,
            Ended::Broken(failure) => {
                report(Event::Noticed(Notice::Incomplete(failure.to_string())));
                finished.stop_reason = None;
                if !calls.is_empty() {
                    return self.run_and_ask(&calls, commands, report).await;
                }
                if course.cuts < MOST_CUTS {
                    return self.ask_to_go_on(BROKE_OFF, course);
                }
                // Half an answer is none: whoever waits for it must not take it for the whole.
                let (failure, why) = (failure.clone(), GiveUp::Attempts);
                return self.fail(CallError::Failed { failure, why, retries: course.cuts });
            }
        };
        finished.stop_reason = Some(stop.reason.name().to_owned());
        match &stop.reason {
            StopReason::ToolUse | StopReason::EndTurn | StopReason::StopSequence => match calls.is_empty() {
                true => Ok(Next::End(Ending::Done)),
                false => self.run_and_ask(&calls, commands, report).await,
            },
            StopReason::PauseTurn if course.pauses < MOST_PAUSES && calls.is_empty() => {
                course.pauses += 1;
                Ok(Next::Ask)
            }
            StopReason::MaxTokens | StopReason::ContextWindowExceeded => {
                report(Event::Noticed(Notice::Cut));
                // Even where the input looks whole: the model was not done with it.
                let is_last_a_call =
                    answer.blocks.last().is_some_and(|block| block.kind == BlockKind::ToolUse);
                if let Some(last) = calls.pop_if(|_| is_last_a_call) {
                    calls.push(last.not_to_run("The response was cut inside this call, so it was not run."));
                }
                if stop.reason == StopReason::ContextWindowExceeded {
                    self.answer_all(&calls, "Not executed: the context was full.", Place::New, report)?;
                    return match self.compact(CompactionTrigger::Auto, None, commands, report).await? {
                        Compacted::Done => Ok(Next::Ask),
                        Compacted::Interrupted => self.stop(),
                    };
                }
                if !calls.is_empty() {
                    return self.run_and_ask(&calls, commands, report).await;
                }
                if course.cuts == MOST_CUTS {
                    return Ok(Next::End(Ending::Done));
                }
                self.ask_to_go_on(CUT, course)
            }
            reason => {
                report(Event::Noticed(match reason {
                    StopReason::Refusal => Notice::Refused(details(stop)),
                    reason => Notice::UnknownEnd(reason.name().to_owned()),
                }));
                self.answer_all(&calls, "Not executed: the response ended early.", Place::New, report)?;
                Ok(Next::End(Ending::Done))
            }
        }
    }

    /// Asks for the rest of a response that is not whole.
    fn ask_to_go_on(&mut self, words: &str, course: &mut Course) -> Result<Next, TurnError> {
        course.cuts += 1;
        self.conversation.say(Draft::meta_prompt(Said::Text(words)), Role::User, Place::New)?;
        Ok(Next::Ask)
    }

    async fn run_and_ask(
        &mut self,
        calls: &[Asked],
        commands: &mut Commands,
        report: &mut Report<'_>,
    ) -> Result<Next, TurnError> {
        if self.run_calls(calls, commands, report).await? == Ran::Interrupted {
            self.mark(INTERRUPTED_CALL)?;
            return Ok(Next::End(Ending::Interrupted));
        }
        if self.is_full() && self.compact_unasked(commands, report).await == Compacted::Interrupted {
            return self.stop();
        }
        Ok(Next::Ask)
    }

    /// What can be done where there is no answer.
    pub(super) async fn recover(
        &mut self,
        error: CallError,
        course: &mut Course,
        commands: &mut Commands,
        report: &mut Report<'_>,
    ) -> Result<Next, TurnError> {
        match &error {
            CallError::ThinkingRefused(_) if !course.has_dropped_thinking => {
                course.has_dropped_thinking = true;
                self.conversation.drop_older_thinking()?;
                report(Event::Noticed(Notice::ThinkingDropped));
                return Ok(Next::Ask);
            }
            error if error.is_of_size() && self.may_compact() => {
                match self.compact(CompactionTrigger::Auto, None, commands, report).await {
                    Ok(Compacted::Done) => return Ok(Next::Ask),
                    Ok(Compacted::Interrupted) => return self.stop(),
                    Err(TurnError::TooLong(why)) => {
                        report(Event::Noticed(Notice::NotCompacted(why)));
                    }
                    Err(other) => return Err(other),
                }
            }
            _ => {}
        }
        self.fail(error)
    }

    /// The end of a turn that cannot go on.
    fn fail(&mut self, error: CallError) -> Result<Next, TurnError> {
        let error = TurnError::Call(error);
        self.note_failure(&error)?;
        Ok(Next::End(Ending::Failed(error)))
    }

    /// Writes a failure into the session, as the original does: people see it, and no model does.
    fn note_failure(&mut self, error: &TurnError) -> Result<(), AppendError> {
        let mut block = Vec::new();
        let mut object = ObjectWriter::begin(&mut block);
        object.string("type", "text").string("text", &format!("API Error: {error}"));
        object.end();
        let message = new_uuid(self.conversation.ground().source);
        let response = ResponseDraft {
            message: &message,
            request: None,
            model: "<synthetic>",
            blocks: &[&block],
            stop_reason: Some("stop_sequence"),
            usage: None,
        };
        for draft in response.drafts() {
            self.conversation.record(draft.field("isApiErrorMessage", b"true"))?;
        }
        self.conversation.read_again();
        Ok(())
    }
}

/// The calls of an answer; an id that is used twice is one call.
fn calls_of(answer: &Answer) -> Vec<Asked> {
    let mut ids = std::collections::HashSet::new();
    let blocks = answer.blocks.iter().filter(|block| block.kind == BlockKind::ToolUse);
    blocks.filter(|block| ids.insert(block.text("id"))).map(Asked::of).collect()
}

/// What a refusal says of itself.
fn details(stop: &Stop) -> String {
    let category = |value: Value<'_>| value.get("category")?.text().map(|text| text.to_string());
    stop.details.as_ref().and_then(|details| category(details.value())).unwrap_or_default()
}
