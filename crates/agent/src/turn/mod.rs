//! Turns: a prompt, and responses and tools until the model is done, or something else ends it.
//!
//! | module | owns |
//! |---|---|
//! | `respond` | one response: asked for, shown, written down |
//! | `calls` | its tool calls: approval → attempt → result |
//! | `next` | what follows a response, or its failure |
//! | `finished` | how a turn ended |
//! | `wait` | waiting for more than one thing |
//!
//! Whatever happens, a turn leaves a session that can be gone on with: every call has its result, and what was interrupted
//! says so.

mod calls;
mod finished;
mod next;
mod respond;
mod wait;

pub(crate) use finished::tokens;
pub use finished::{Ending, Finished, TurnError};
pub(crate) use wait::{Either, either};

use std::time::{Duration, Instant};

use annals_store::session::AppendError;
use annals_transcript::draft::{CompactionTrigger, Draft, Said};
use annals_transcript::json::ObjectWriter;

use crate::api::call::{Caller, Surroundings};
use crate::api::model::Model;
use crate::api::request::{Caching, Effort, Role, Thinking};
use crate::api::transport::Transport;
use crate::command::{Command, Commands, Prompt};
use crate::conversation::{Conversation, Place};
use crate::event::{Event, Notice};
use crate::policy::Policy;
use crate::policy::rules::Rule;
use crate::tools::Tool;
use calls::Asked;
use respond::Responded;

/// Who is told of events.
pub type Report<'r> = dyn FnMut(Event) + Send + 'r;

/// What the original writes where a person stopped a response: readers know it.
const INTERRUPTED: &str = "[Request interrupted by user]";
const INTERRUPTED_TOOLS: &str = "[Request interrupted by user for tool use]";

/// Who decides where rules do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asking {
    /// Nobody: what would be asked for is denied.
    Nobody,
    /// A person, by [`Command::Permit`].
    Person,
}

/// How the model is asked.
#[derive(Clone, Debug)]
pub struct Wishes {
    /// The model.
    pub model: String,
    /// How much it may write at once.
    pub max_tokens: u64,
    /// The system prompt, in blocks.
    pub system: Vec<String>,
    /// How it shall think.
    pub thinking: Thinking,
    /// How hard it shall try.
    pub effort: Option<Effort>,
    /// What the API shall remember.
    pub caching: Caching,
    /// So many responses a turn has at most.
    pub most_responses: Option<u64>,
    /// Who decides where rules do not.
    pub asking: Asking,
    /// How full the model's window is, in percent, when the conversation is summed up by itself; never, where none.
    pub compact_at: Option<u8>,
}

/// A conversation, and all that it is had with.
pub struct Agent<'a, T, S> {
    /// The conversation.
    pub conversation: Conversation<'a>,
    /// How requests are sent.
    pub caller: Caller<'a, T, S>,
    /// The tools.
    pub tools: Vec<Box<dyn Tool>>,
    /// What they may do.
    pub policy: Policy<'a>,
    /// How the model is asked.
    pub wishes: Wishes,
    pub(crate) compactions_failed: u32,
    /// How much of the window the last response left full.
    pub(crate) context: u64,
    /// Rules that the person granted meanwhile.
    pub(crate) granted: Vec<Rule>,
}

/// What to do next in a turn.
enum Next {
    Ask,
    End(Ending),
}

/// A turn as far as it has come.
struct Course {
    finished: Finished,
    pauses: u32,
    cuts: u32,
    has_dropped_thinking: bool,
}

impl<'a, T: Transport, S: Surroundings> Agent<'a, T, S> {
    /// Puts one together.
    pub fn new(
        conversation: Conversation<'a>,
        caller: Caller<'a, T, S>,
        tools: Vec<Box<dyn Tool>>,
        policy: Policy<'a>,
        wishes: Wishes,
    ) -> Self {
        Self {
            conversation,
            caller,
            tools,
            policy,
            wishes,
            compactions_failed: 0,
            context: 0,
            granted: Vec::new(),
        }
    }

    /// How many tokens of the model's window the last response left full; 0 before the first one.
    pub fn context(&self) -> u64 {
        self.context
    }

    /// Carries out a command. A turn's commands come meanwhile: an interrupt stops it, the rest waits.
    pub async fn obey(
        &mut self,
        command: Command,
        commands: &mut Commands,
        report: &mut Report<'_>,
    ) -> Option<Finished> {
        match command {
            Command::Prompt(prompt) => return Some(self.turn(&prompt, commands, report).await),
            Command::SetModel(model) => self.wishes.model = model,
            Command::SetMode(mode) => self.policy.mode = mode,
            Command::Compact(focus) => {
                let summed =
                    self.compact(CompactionTrigger::Manual, focus.as_deref(), commands, report).await;
                if let Err(error) = summed {
                    report(Event::Noticed(Notice::NotCompacted(error.to_string())));
                }
                self.tell_notices(report);
            }
            // Nothing runs that could be stopped, and nobody waits for a decision.
            Command::Interrupt | Command::Permit { .. } | Command::Quit => {}
        }
        None
    }

    /// A whole turn.
    pub async fn turn(
        &mut self,
        prompt: &Prompt,
        commands: &mut Commands,
        report: &mut Report<'_>,
    ) -> Finished {
        let began = Instant::now();
        let mut course = Course {
            finished: Finished {
                ending: Ending::Done,
                text: String::new(),
                responses: 0,
                stop_reason: None,
                millis: 0,
                api_millis: 0,
                spent: Default::default(),
                usage: Default::default(),
                denials: Vec::new(),
            },
            pauses: 0,
            cuts: 0,
            has_dropped_thinking: false,
        };
        let mut denials = Vec::new();
        let ending = {
            let mut report = |event: Event| {
                if let Event::Denied(denial) = &event {
                    denials.push(denial.clone());
                }
                report(event);
            };
            match self.run(prompt, &mut course, commands, &mut report).await {
                Ok(ending) => ending,
                Err(error) => Ending::Failed(error),
            }
        };
        let millis = millis(began.elapsed());
        let ended = self.conversation.end_turn(millis);
        self.tell_notices(report);
        let ending = match (ending, ended) {
            (Ending::Done, Err(error)) => Ending::Failed(error.into()),
            (ending, _) => ending,
        };
        let finished = Finished { ending, millis, denials, ..course.finished };
        report(Event::Finished(finished.clone()));
        finished
    }

    async fn run(
        &mut self,
        prompt: &Prompt,
        course: &mut Course,
        commands: &mut Commands,
        report: &mut Report<'_>,
    ) -> Result<Ending, TurnError> {
        if self.is_full() {
            self.compact_unasked(commands, report).await;
        }
        self.conversation.prompt(prompt)?;
        loop {
            self.tell_notices(report);
            if self.wishes.most_responses.is_some_and(|most| course.finished.responses >= most) {
                return Ok(Ending::MostResponses);
            }
            let (responded, took) = self.respond(commands, report).await?;
            course.finished.api_millis += millis(took);
            let next = match responded {
                Responded::Answered(answer) => self.go_on(&answer, course, commands, report).await?,
                Responded::Interrupted(calls) => {
                    let calls: Vec<_> = calls.iter().map(Asked::of).collect();
                    self.answer_all(&calls, INTERRUPTED_TOOLS, Place::New, report)?;
                    self.mark(INTERRUPTED)?;
                    Next::End(Ending::Interrupted)
                }
                Responded::Failed(error) => self.recover(error, course, commands, report).await?,
            };
            if let Next::End(ending) = next {
                return Ok(ending);
            }
        }
    }

    /// Writes that a person stopped it.
    fn mark(&mut self, words: &str) -> Result<(), AppendError> {
        let mut json = b"[".to_vec();
        let mut object = ObjectWriter::begin(&mut json);
        object.string("type", "text").string("text", words);
        object.end();
        json.push(b']');
        self.conversation.say(Draft::prompt(Said::Blocks(&json)), Role::User, Place::New)?;
        self.conversation.read_again();
        Ok(())
    }

    /// Whether the conversation should be summed up before it goes on.
    fn is_full(&self) -> bool {
        let full = Model::of(&self.wishes.model).fullness(self.context) * 100.0;
        self.may_compact() && self.wishes.compact_at.is_some_and(|at| full >= f64::from(at))
    }

    async fn compact_unasked(&mut self, commands: &mut Commands, report: &mut Report<'_>) {
        // Where it fails, the turn goes on: there may still be room.
        if let Err(error) = self.compact(CompactionTrigger::Auto, None, commands, report).await {
            report(Event::Noticed(Notice::NotCompacted(error.to_string())));
        }
    }

    fn tell_notices(&mut self, report: &mut Report<'_>) {
        for notice in self.conversation.take_notices() {
            report(Event::Noticed(notice));
        }
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
