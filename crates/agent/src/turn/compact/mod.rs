//! Compaction: a summary by the model replaces the conversation so far. Lines are only added, as the original does; the
//! older lines stay in the file.

mod pictures;
mod range;

use annals_json::ObjectWriter;
use annals_store::session::AppendError;
use annals_transcript::draft::{CompactionTrigger, Draft};

use super::agent::Agent;
use super::respond::request;
use super::told::ToldContext;
use super::wait::{Either, either};
use crate::api::call::{ApiResponse, CallError, ResponseEnd, RetryClock};
use crate::api::model::Model;
use crate::api::request::{Request, Role, Thinking};
use crate::api::stream::{BlockKind, StopReason};
use crate::api::transport::Transport;
use crate::conversation::ApiMessage;
use crate::protocol::{Commands, Event, EventSink, Notice, SummaryDirection, TurnError, UsageStorage};
pub(crate) use range::CompactionRequest;

/// The most failures in a row before automatic compaction stops.
const MAX_FAILURES: u32 = 3;
/// How often the older half is left out if even the request for a summary is too long.
const MAX_HALVES: u32 = 3;

const ASK: &str = "Stop here and sum up this conversation, so that somebody who has read nothing but your summary can go \
on with the work. Say what was asked for, in the person's own words where they matter; what was done, with paths and \
names; what was found and decided, and why; what failed; what is unfinished, and the very next step. Call no tool. \
Write nothing but the summary.";
const OPENING: &str =
    "This conversation continues an earlier one, which was summarized because it became too long.";
const CLOSING: &str =
    "Continue the work where it stopped. Do not ask again about what the summary already answers.";

/// The result of a compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CompactionOutcome {
    Done,
    /// The person interrupted it, and nothing changed.
    Interrupted,
}

/// Why a compaction failed. Nothing has changed.
#[derive(Debug)]
pub(crate) enum CompactionError {
    /// There is no summary, for this reason.
    Failed(String),
    /// The session cannot be read or written.
    Session(AppendError),
}

impl From<AppendError> for CompactionError {
    fn from(error: AppendError) -> Self {
        Self::Session(error)
    }
}

impl From<CompactionError> for TurnError {
    fn from(error: CompactionError) -> Self {
        match error {
            CompactionError::Failed(why) => Self::TooLong(why),
            CompactionError::Session(error) => error.into(),
        }
    }
}

enum SummaryError {
    Interrupted,
    Failed(String),
}

impl<T: Transport, S: RetryClock> Agent<'_, T, S> {
    /// Returns whether compaction has not failed too often.
    pub(crate) fn may_compact(&self) -> bool {
        self.compactions_failed < MAX_FAILURES
    }

    /// Returns whether the context window is full enough for automatic compaction.
    pub(super) fn is_full(&self) -> bool {
        let full = Model::of(&self.turn_config.model).fullness(self.conversation.context()) * 100.0;
        self.may_compact() && self.turn_config.compact_at.is_some_and(|at| full >= f64::from(at))
    }

    pub(super) async fn auto_compact(
        &mut self,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> CompactionOutcome {
        let summed = self.compact(CompactionRequest::auto(), commands, report).await;
        summed.unwrap_or_else(|error| {
            // The turn continues after a failure: the next request may still fit.
            let why = match error {
                CompactionError::Failed(why) => why,
                CompactionError::Session(error) => error.to_string(),
            };
            report(Event::Notice(Notice::NotCompacted(why)));
            CompactionOutcome::Done
        })
    }

    /// Compacts the conversation, or one side of a prompt. After an error nothing has changed.
    pub(crate) async fn compact(
        &mut self,
        order: CompactionRequest<'_>,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Result<CompactionOutcome, CompactionError> {
        let CompactionRequest { trigger, focus, range } = order;
        if trigger == CompactionTrigger::Manual {
            self.sync()?;
        }
        let split = match range {
            Some(range) => Some((range, self.conversation.split_at(&range.prompt)?)),
            None => None,
        };
        let messages = match &split {
            Some((range, split)) if range.direction == SummaryDirection::UpTo => split.messages.clone(),
            _ => self.conversation.messages()?.to_vec(),
        };
        let question = match &split {
            Some((range, split)) => range::question(range.direction, split),
            None => question(focus),
        };
        if messages.is_empty() {
            return Err(CompactionError::Failed("nothing to summarize".to_owned()));
        }
        match self.before_compaction(trigger, focus, commands, report).await {
            None => return Ok(CompactionOutcome::Interrupted),
            Some(Err(why)) => return Err(CompactionError::Failed(why)),
            Some(Ok(())) => {}
        }
        report(Event::Compacting);
        let summed = self.summary(messages, &question, commands, report).await;
        let summary = match summed {
            Ok(summary) => summary,
            Err(SummaryError::Interrupted) => return Ok(CompactionOutcome::Interrupted),
            Err(SummaryError::Failed(why)) => {
                self.compactions_failed += 1;
                return Err(CompactionError::Failed(why));
            }
        };
        self.compactions_failed = 0;
        let tokens_before = self.conversation.context();
        match &split {
            Some((range, split)) => self.append_range_summary(range, split, &summary, tokens_before)?,
            None => {
                self.conversation.append(Draft::compact_boundary(trigger, tokens_before, |_| {}))?;
                let text = format!("{OPENING}\n\n{summary}\n\n{CLOSING}");
                self.conversation.append(Draft::compact_summary(&text))?;
            }
        }
        self.conversation.mark_stale();
        // The model knows the summary and none of the files that it read before.
        self.tools.iter().for_each(|tool| tool.forget());
        self.instructed = None;
        self.told = ToldContext::default();
        self.conversation.set_context(0);
        report(Event::Compacted { tokens_before, trigger });
        self.after_compaction(trigger, &summary, commands, report).await?;
        // An interrupt of the hooks does not undo it.
        let _ = self.reload_memory(commands, report).await;
        Ok(CompactionOutcome::Done)
    }

    async fn summary(
        &self,
        mut messages: Vec<ApiMessage>,
        question: &str,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Result<String, SummaryError> {
        let mut halves = 0;
        loop {
            let asked = with_question(messages.clone(), question);
            let request = Request {
                messages: asked.iter().map(ApiMessage::message).collect(),
                thinking: Thinking::Off,
                ..request(&self.turn_config, &self.tools)
            };
            let mut ignore = |_| {};
            let first = either(self.caller.call(&request, &mut ignore), commands.interrupt()).await;
            match first {
                Either::First(Ok(answer)) => {
                    // No line of the session holds it, but it was paid for.
                    report(Event::Usage {
                        model: answer.model.clone(),
                        usage: answer.usage.clone(),
                        storage: UsageStorage::None,
                    });
                    return summary_of(&answer).map_err(SummaryError::Failed);
                }
                Either::First(Err(error))
                    if error.is_of_size()
                        && let Some(lighter) = pictures::without_pictures(&messages) =>
                {
                    messages = lighter;
                }
                Either::First(Err(error))
                    if error.is_of_size() && halves < MAX_HALVES && messages.len() > 1 =>
                {
                    halves += 1;
                    messages = newer_half(messages);
                }
                Either::First(Err(CallError::ThinkingRefused(_)))
                    if messages.iter().any(ApiMessage::has_thinking) =>
                {
                    messages.iter_mut().for_each(ApiMessage::drop_thinking);
                    messages.retain(|message| !message.blocks.is_empty());
                }
                Either::First(Err(error)) => return Err(SummaryError::Failed(error.to_string())),
                Either::Second(()) => return Err(SummaryError::Interrupted),
            }
        }
    }
}

/// Extracts the summary from a response. The model loses everything before it, so only a complete response counts: no tool
/// call, no refusal, no cut.
fn summary_of(answer: &ApiResponse) -> Result<String, String> {
    if answer.blocks.iter().any(|block| block.kind == BlockKind::ToolUse) {
        return Err("the model called a tool instead of writing a summary".to_owned());
    }
    match &answer.ended {
        ResponseEnd::Complete(stop) => match &stop.reason {
            StopReason::EndTurn | StopReason::StopSequence => {}
            reason => return Err(format!("the summary is incomplete: it ended with {}", reason.name())),
        },
        ResponseEnd::Broken(failure) => return Err(format!("the summary was cut off: {failure}")),
    }
    let texts = answer.blocks.iter().filter(|block| block.kind == BlockKind::Text);
    let text = texts.map(|block| block.text("text")).collect::<Vec<_>>().join("\n");
    if text.trim().is_empty() {
        Err("the model wrote no summary".to_owned())
    } else {
        Ok(text.trim().to_owned())
    }
}

/// Returns what the model is asked for.
fn question(focus: Option<&str>) -> String {
    match focus {
        Some(focus) => format!("{ASK}\n\nAbove all, keep what matters for this: {focus}"),
        None => ASK.to_owned(),
    }
}

/// Adds the request for a summary: as a new message, or to the last one.
fn with_question(mut messages: Vec<ApiMessage>, words: &str) -> Vec<ApiMessage> {
    let question = text_block(words);
    match messages.last_mut().filter(|last| last.role == Role::User) {
        Some(last) => last.blocks.push(question),
        None => messages.push(ApiMessage { role: Role::User, blocks: vec![question] }),
    }
    messages
}

/// Returns the newer half, starting with a prompt: results without their calls would be refused.
fn newer_half(messages: Vec<ApiMessage>) -> Vec<ApiMessage> {
    let middle = messages.len().div_ceil(2);
    let is_start = |message: &ApiMessage| message.role == Role::User && !message.has_results();
    let from = messages[middle..].iter().position(is_start).map(|at| middle + at);
    match from {
        Some(from) => messages[from..].to_vec(),
        // A single long turn: keep its end, without the prompt.
        None => {
            let said = messages.into_iter().next_back().into_iter().flat_map(|last| last.blocks);
            let mut words = Vec::new();
            for block in said {
                words.extend_from_slice(&block);
            }
            let end = String::from_utf8_lossy(&words).chars().rev().take(20_000).collect::<Vec<_>>();
            let end: String = end.into_iter().rev().collect();
            vec![ApiMessage { role: Role::User, blocks: vec![text_block(&end)] }]
        }
    }
}

fn text_block(words: &str) -> Vec<u8> {
    let mut block = Vec::new();
    let mut object = ObjectWriter::begin(&mut block);
    object.string("type", "text").string("text", words);
    object.end();
    block
}
