//! One response: requested, displayed while it streams, written block by block.

use std::time::{Duration, Instant};

use annals_store::session::AppendError;
use annals_transcript::draft::{Draft, ResponseDraft, Retry as RetryNote};

use super::agent::Agent;
use super::wait::{Either, either};
use crate::api::call::RetryClock;
use crate::api::call::{ApiResponse, CallError, CallProgress, ResponseEnd};
use crate::api::request::{Request, Role};
use crate::api::stream::{Block, BlockKind, StreamEvent};
use crate::api::transport::Transport;
use crate::api::usage::Usage;
use crate::conversation::{ApiMessage, Conversation, Grouping, is_thought};
use crate::protocol::{Approver, Commands, Event, EventSink, Notice, TurnConfig, UsageStorage};
use crate::tools::Tool;
use annals_policy::Mode;

/// The result of a request.
#[derive(Debug)]
pub(super) enum ResponseOutcome {
    /// The response, already written.
    Answered(Box<ApiResponse>),
    /// The request was interrupted; these calls are already written.
    Interrupted(Vec<Block>),
    Failed(CallError),
}

impl<T: Transport, S: RetryClock> Agent<'_, T, S> {
    /// Requests the next response.
    pub(super) async fn respond(
        &mut self,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Result<(ResponseOutcome, Duration), AppendError> {
        let messages = self.conversation.take_messages()?;
        let mut request = Request {
            messages: messages.iter().map(ApiMessage::message).collect(),
            ..request(&self.turn_config, &self.tools)
        };
        if self.policy.mode == Mode::Plan {
            request.system.push(planning(self.turn_config.approver).into());
        }
        report(Event::Requesting);
        let began = Instant::now();
        let mut writer = ResponseWriter::new(&mut self.conversation, report);
        let first = {
            let mut take = |progress| writer.take(progress);
            either(self.caller.call(&request, &mut take), commands.interrupt()).await
        };
        let took = began.elapsed();
        let outcome = match first {
            Either::First(Ok(answer)) => {
                writer.end(&answer);
                ResponseOutcome::Answered(Box::new(answer))
            }
            Either::First(Err(error)) => ResponseOutcome::Failed(error),
            Either::Second(()) => ResponseOutcome::Interrupted(writer.interrupt()),
        };
        let (drafts, fault, new_model) = (writer.drafts, writer.fault, writer.new_model);
        drop(request);
        self.conversation.restore_messages(messages);
        if let Some(model) = new_model {
            self.turn_config.model = model;
            self.conversation.note_other_author();
        }
        if let ResponseOutcome::Answered(answer) = &outcome {
            self.conversation.note_author(&answer.model);
        }
        if let ResponseOutcome::Answered(answer) = &outcome
            && answer.is_paused()
        {
            self.conversation.push_paused(answer.blocks.iter().map(|block| block.json.clone()).collect());
            return fault.map_or(Ok((outcome, took)), Err);
        }
        for (number, draft) in drafts.iter().enumerate() {
            let grouping = if number == 0 { Grouping::NewMessage } else { Grouping::SameMessage };
            self.conversation.push_message(draft, Role::Assistant, grouping);
        }
        if drafts.last().is_some_and(is_thought) {
            // Clients do not send thinking without content after it, and the API refuses it.
            self.conversation.mark_stale();
        }
        match fault {
            Some(fault) => Err(fault),
            None => Ok((outcome, took)),
        }
    }
}

/// Builds a request with these tools and without messages.
pub(super) fn request<'c>(turn_config: &'c TurnConfig, tools: &[Box<dyn Tool + '_>]) -> Request<'c> {
    Request {
        model: &turn_config.model,
        max_tokens: turn_config.max_tokens,
        system: turn_config.system.iter().map(Into::into).collect(),
        tools: tools.iter().map(|tool| tool.spec()).collect(),
        messages: Vec::new(),
        thinking: turn_config.thinking,
        effort: turn_config.effort,
        caching: turn_config.caching,
        user: None,
        betas: turn_config.betas.iter().map(Into::into).collect(),
    }
}

/// The instructions for plan mode.
fn planning(approver: Approver) -> &'static str {
    match approver {
        Approver::Person => {
            "Plan mode is on: change nothing yet. Find out what the change needs, and when the plan is complete, show it with \
             ExitPlanMode if you have that tool, or give it in your last message."
        }
        Approver::Nobody => {
            "Plan mode is on: change nothing. Find out what the change needs. Nobody can approve the plan here: give it in \
             your last message."
        }
    }
}

/// Writes a response while it streams.
struct ResponseWriter<'c, 's, 'r> {
    conversation: &'c mut Conversation<'s>,
    report: &'c mut EventSink<'r>,
    message: String,
    model: String,
    request: Option<String>,
    /// The usage so far; `None` before the message starts.
    counted: Option<Usage>,
    /// The fallback model that answers from now on.
    new_model: Option<String>,
    /// The newest block: it is not known yet whether it is the last one.
    lists: Option<Block>,
    calls: Vec<Block>,
    drafts: Vec<Draft>,
    fault: Option<AppendError>,
}

impl<'c, 's, 'r> ResponseWriter<'c, 's, 'r> {
    fn new(conversation: &'c mut Conversation<'s>, report: &'c mut EventSink<'r>) -> Self {
        Self {
            conversation,
            report,
            message: String::new(),
            model: String::new(),
            request: None,
            counted: None,
            new_model: None,
            lists: None,
            calls: Vec::new(),
            drafts: Vec::new(),
            fault: None,
        }
    }

    fn take(&mut self, progress: CallProgress) {
        match progress {
            CallProgress::Opened(head) => self.request = head.request,
            CallProgress::Event(event) => {
                match &event {
                    StreamEvent::MessageStart(start) => {
                        self.message = self.conversation.response_id(&start.id);
                        self.model = start.model.clone();
                        self.counted = Some(start.usage.clone());
                    }
                    StreamEvent::Usage(usage) => self.counted = Some(usage.clone()),
                    _ => {}
                }
                (self.report)(Event::Streamed(event));
            }
            CallProgress::Block(block) => {
                if let Some(before) = self.lists.replace(block) {
                    self.write(&before, false, None);
                }
            }
            CallProgress::Restarted => {
                self.counted = None;
                (self.report)(Event::Restarted);
            }
            CallProgress::RetryScheduled(retry) => {
                let note = RetryNote {
                    in_ms: u64::try_from(retry.wait.as_millis()).unwrap_or(u64::MAX),
                    attempt: retry.attempt.into(),
                    most: retry.max_retries.into(),
                };
                self.put(Draft::api_error(&retry.failure.to_json(), note));
                (self.report)(Event::Retrying(retry));
            }
            CallProgress::ModelChanged { to } => {
                self.new_model = Some(to.clone());
                (self.report)(Event::Notice(Notice::ModelChanged(to)));
            }
            CallProgress::LimitLowered { .. } => {}
        }
    }

    /// Writes the last block of a complete response.
    fn end(&mut self, answer: &ApiResponse) {
        let reason = match &answer.ended {
            ResponseEnd::Complete(stop) => Some(stop.reason.name().to_owned()),
            ResponseEnd::Broken(_) => None,
        };
        self.counted = Some(answer.usage.clone());
        if let Some(block) = self.lists.take() {
            self.write(&block, true, reason.as_deref());
        }
        (self.report)(Event::Usage {
            model: answer.model.clone(),
            usage: answer.usage.clone(),
            storage: UsageStorage::Session,
        });
    }

    /// Writes what has come of an interrupted response. Returns the calls that are written.
    fn interrupt(&mut self) -> Vec<Block> {
        if let Some(block) = self.lists.take() {
            self.write(&block, false, None);
        }
        if let Some(usage) = self.counted.take() {
            let storage = if self.drafts.is_empty() { UsageStorage::None } else { UsageStorage::Session };
            (self.report)(Event::Usage { model: self.model.clone(), usage, storage });
        }
        std::mem::take(&mut self.calls)
    }

    fn write(&mut self, block: &Block, is_last: bool, reason: Option<&str>) {
        let usage = self.counted.as_ref().map_or_else(|| Usage::default().to_json(), Usage::to_json);
        let response = ResponseDraft {
            message: &self.message,
            request: self.request.as_deref(),
            model: &self.model,
            blocks: &[&block.json],
            stop_reason: reason,
            usage: Some(&usage),
        };
        let draft = match is_last {
            true => response.drafts().pop(),
            false => Some(response.open_block(&block.json)),
        };
        let Some(draft) = draft else { return };
        let (draft, line) = self.conversation.with_uuid(draft);
        self.put(draft.clone());
        if block.kind == BlockKind::ToolUse {
            self.calls.push(block.clone());
        }
        self.drafts.push(draft);
        (self.report)(Event::Replied(line));
    }

    fn put(&mut self, draft: Draft) {
        if self.fault.is_some() {
            return;
        }
        if let Err(error) = self.conversation.append(draft) {
            self.fault = Some(error);
        }
    }
}
