//! One response: asked for, shown while it streams, and written down block by block as it stands.

use std::time::{Duration, Instant};

use annals_store::session::AppendError;
use annals_transcript::draft::{Draft, ResponseDraft, Retry as RetryNote};

use super::wait::{Either, either};
use super::{Agent, Asking, Report, Wishes};
use crate::api::call::Surroundings;
use crate::api::call::{Answer, CallError, Ended, Progress};
use crate::api::request::{Request, Role};
use crate::api::stream::{Block, BlockKind, Event as Streamed};
use crate::api::transport::Transport;
use crate::api::usage::Usage;
use crate::command::Commands;
use crate::conversation::{Conversation, Place, Spoken, is_thought};
use crate::event::{Event, Notice, Standing};
use crate::tools::Tool;
use annals_policy::Mode;

/// What came of a request.
#[derive(Debug)]
pub(super) enum Responded {
    /// An answer, written down.
    Answered(Box<Answer>),
    /// It was interrupted; the calls that stand are these.
    Interrupted(Vec<Block>),
    /// There is no answer.
    Failed(CallError),
}

impl<T: Transport, S: Surroundings> Agent<'_, T, S> {
    /// Asks for the next response.
    pub(super) async fn respond(
        &mut self,
        commands: &mut Commands,
        report: &mut Report<'_>,
    ) -> Result<(Responded, Duration), AppendError> {
        let lent = self.conversation.lend()?;
        let mut request = Request {
            messages: lent.iter().map(Spoken::message).collect(),
            ..self.wishes.request(&self.tools)
        };
        if self.policy.mode == Mode::Plan {
            request.system.push(planning(self.wishes.asking).into());
        }
        let began = Instant::now();
        let mut scribe = Scribe::new(&mut self.conversation, report);
        let first = {
            let mut take = |progress| scribe.take(progress);
            either(self.caller.call(&request, &mut take), commands.interrupt()).await
        };
        let took = began.elapsed();
        let responded = match first {
            Either::First(Ok(answer)) => {
                scribe.end(&answer);
                Responded::Answered(Box::new(answer))
            }
            Either::First(Err(error)) => Responded::Failed(error),
            Either::Second(()) => Responded::Interrupted(scribe.break_off()),
        };
        let (said, fault, instead) = (scribe.said, scribe.fault, scribe.instead);
        drop(request);
        self.conversation.take_back(lent);
        if let Some(model) = instead {
            self.wishes.model = model;
        }
        for (number, draft) in said.iter().enumerate() {
            let place = if number == 0 { Place::New } else { Place::Same };
            self.conversation.hear(draft, Role::Assistant, place);
        }
        if said.last().is_some_and(is_thought) {
            // Thoughts that lead to nothing are not sent back by clients, and the API would refuse them.
            self.conversation.read_again();
        }
        match fault {
            Some(fault) => Err(fault),
            None => Ok((responded, took)),
        }
    }
}

impl Wishes {
    /// A request with these tools, without its messages.
    pub(crate) fn request(&self, tools: &[Box<dyn Tool + '_>]) -> Request<'_> {
        Request {
            model: &self.model,
            max_tokens: self.max_tokens,
            system: self.system.iter().map(Into::into).collect(),
            tools: tools.iter().map(|tool| tool.spec()).collect(),
            messages: Vec::new(),
            thinking: self.thinking,
            effort: self.effort,
            caching: self.caching,
            user: None,
            betas: Vec::new(),
        }
    }
}

/// What the model is told while nothing is to be changed.
fn planning(asking: Asking) -> &'static str {
    match asking {
        Asking::Person => {
            "The mode is plan: change nothing yet. Find out what the change needs, and when the plan is complete, show it with \
             ExitPlanMode, where you have that tool, or say it in your last message."
        }
        Asking::Nobody => {
            "The mode is plan: change nothing. Find out what the change needs. Nobody can approve the plan here: say it in \
             your last message."
        }
    }
}

/// Writes a response down while it comes.
struct Scribe<'c, 's, 'r> {
    conversation: &'c mut Conversation<'s>,
    report: &'c mut Report<'r>,
    message: String,
    model: String,
    request: Option<String>,
    /// What was counted so far; nothing where no message has begun.
    counted: Option<Usage>,
    /// The model that answers instead of the one that was asked, from now on.
    instead: Option<String>,
    /// The newest block: whether it is the last one, and how the response ends, is not known yet.
    held: Option<Block>,
    calls: Vec<Block>,
    said: Vec<Draft>,
    fault: Option<AppendError>,
}

impl<'c, 's, 'r> Scribe<'c, 's, 'r> {
    fn new(conversation: &'c mut Conversation<'s>, report: &'c mut Report<'r>) -> Self {
        Self {
            conversation,
            report,
            message: String::new(),
            model: String::new(),
            request: None,
            counted: None,
            instead: None,
            held: None,
            calls: Vec::new(),
            said: Vec::new(),
            fault: None,
        }
    }

    fn take(&mut self, progress: Progress) {
        match progress {
            Progress::Opened(head) => self.request = head.request,
            Progress::Event(event) => {
                match &event {
                    Streamed::MessageStart(start) => {
                        self.message = self.conversation.response_id(&start.id);
                        self.model = start.model.clone();
                        self.counted = Some(start.usage.clone());
                    }
                    Streamed::Usage(usage) => self.counted = Some(usage.clone()),
                    _ => {}
                }
                (self.report)(Event::Streamed(event));
            }
            Progress::Block(block) => {
                if let Some(before) = self.held.replace(block) {
                    self.write(&before, Last::No, None);
                }
            }
            Progress::Restarted => {
                self.counted = None;
                (self.report)(Event::Restarted);
            }
            Progress::RetryScheduled(retry) => {
                let note = RetryNote {
                    in_ms: u64::try_from(retry.wait.as_millis()).unwrap_or(u64::MAX),
                    attempt: retry.attempt.into(),
                    most: retry.most.into(),
                };
                self.put(Draft::api_error(&retry.failure.to_json(), note));
                (self.report)(Event::Retrying(retry));
            }
            Progress::ModelChanged { to } => {
                self.instead = Some(to.clone());
                (self.report)(Event::Noticed(Notice::ModelChanged(to)));
            }
            Progress::LimitLowered { .. } => {}
        }
    }

    /// The response is over.
    fn end(&mut self, answer: &Answer) {
        let reason = match &answer.ended {
            Ended::Complete(stop) => Some(stop.reason.name().to_owned()),
            Ended::Broken(_) => None,
        };
        self.counted = Some(answer.usage.clone());
        if let Some(block) = self.held.take() {
            self.write(&block, Last::Yes, reason.as_deref());
        }
        (self.report)(Event::Counted {
            model: answer.model.clone(),
            usage: answer.usage.clone(),
            standing: Standing::Written,
        });
    }

    /// The response is given up: what stands stays, and what was counted is paid for. Gives the calls that are written.
    fn break_off(&mut self) -> Vec<Block> {
        if let Some(block) = self.held.take() {
            self.write(&block, Last::No, None);
        }
        if let Some(usage) = self.counted.take() {
            let standing = if self.said.is_empty() { Standing::Aside } else { Standing::Written };
            (self.report)(Event::Counted { model: self.model.clone(), usage, standing });
        }
        std::mem::take(&mut self.calls)
    }

    fn write(&mut self, block: &Block, last: Last, reason: Option<&str>) {
        let usage = self.counted.as_ref().map_or_else(|| Usage::default().to_json(), Usage::to_json);
        let response = ResponseDraft {
            message: &self.message,
            request: self.request.as_deref(),
            model: &self.model,
            blocks: &[&block.json],
            stop_reason: reason,
            usage: Some(&usage),
        };
        let draft = match last {
            Last::Yes => response.drafts().pop(),
            Last::No => Some(response.open_block(&block.json)),
        };
        let Some(draft) = draft else { return };
        let (draft, line) = self.conversation.named(draft);
        self.put(draft.clone());
        if block.kind == BlockKind::ToolUse {
            self.calls.push(block.clone());
        }
        self.said.push(draft);
        (self.report)(Event::Replied(line));
    }

    fn put(&mut self, draft: Draft) {
        if self.fault.is_some() {
            return;
        }
        if let Err(error) = self.conversation.record(draft) {
            self.fault = Some(error);
        }
    }
}

/// Whether a block is the last of its response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Last {
    Yes,
    No,
}
