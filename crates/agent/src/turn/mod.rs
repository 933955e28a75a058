//! Turns: a prompt, and responses and tools until the model is done, or something else ends it.
//!
//! | module | owns |
//! |---|---|
//! | `respond` | one response: asked for, shown, written down |
//! | `calls` | its tool calls: approval → attempt → result |
//! | `custom` | a custom command: its text, its files, its rules and its model |
//! | `next` | what follows a response, or its failure |
//! | `finished` | how a turn ended |
//! | `granted` | rules that a person grants meanwhile |
//! | `news` | what calls say while they run |
//! | `links` | what results lead to |
//! | `wait` | waiting for more than one thing |
//!
//! Whatever happens, a turn leaves a session that can be gone on with: every call has its result, and what was interrupted
//! says so.

mod calls;
mod custom;
mod finished;
mod granted;
mod links;
mod news;
mod next;
mod respond;
mod wait;

pub use finished::{Ending, Finished, TurnError, tokens};
pub use granted::Granted;
pub(crate) use wait::{Either, either};

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use annals_json::{ObjectWriter, RawJson};
use annals_store::session::AppendError;
use annals_transcript::draft::{CompactionTrigger, Draft, QueueStep, Said};
use annals_transcript::usage::Tokens;

use crate::api::call::{Caller, Surroundings};
use crate::api::model::Model;
use crate::api::request::{Caching, Effort, Role, Thinking};
use crate::api::transport::Transport;
use crate::command::{Command, Commands, Prompt};
use crate::commands::{CustomCommand, Invocation};
use crate::compact::Compacted;
use crate::conversation::{Conversation, Place};
use crate::event::{Event, Notice};
use crate::tools::Tool;
use annals_policy::{Mode, Policy};
use calls::Asked;
use custom::Begun;
use respond::Responded;

/// Who is told of events.
pub type Report<'r> = dyn FnMut(Event) + Send + 'r;

/// What the original writes where a person stopped a response: readers know it.
const INTERRUPTED: &str = "[Request interrupted by user]";
/// The same, where it stopped the tools.
pub(crate) const INTERRUPTED_CALL: &str = "[Request interrupted by user for tool use]";

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
    pub tools: Vec<Box<dyn Tool + 'a>>,
    /// What they may do.
    pub policy: Policy<'a>,
    /// How the model is asked.
    pub wishes: Wishes,
    /// Custom commands: a prompt that begins with the name of one says its text.
    pub custom: Vec<CustomCommand>,
    pub(crate) compactions_failed: u32,
    /// How much of the window the last response left full.
    pub(crate) context: u64,
    /// The mode that holds again when a plan is approved.
    before_plan: Mode,
    /// How many prompts wait, as the session was told.
    queued: u64,
    /// Rules that the person granted meanwhile.
    pub(crate) granted: Granted,
}

/// What opens a turn.
#[derive(Clone, Copy)]
enum Say<'p> {
    /// What the person says.
    Plain(&'p Prompt),
    /// The command that they say.
    Custom(&'p Invocation),
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
        tools: Vec<Box<dyn Tool + 'a>>,
        policy: Policy<'a>,
        wishes: Wishes,
    ) -> Self {
        Self {
            conversation,
            caller,
            tools,
            policy,
            wishes,
            custom: Vec::new(),
            compactions_failed: 0,
            context: 0,
            before_plan: Mode::Default,
            queued: 0,
            granted: Granted::default(),
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
            Command::SetMode(mode) => {
                if mode == Mode::Plan && self.policy.mode != Mode::Plan {
                    self.before_plan = self.policy.mode;
                }
                self.policy.mode = mode;
            }
            Command::Compact(focus) => {
                let summed =
                    self.compact(CompactionTrigger::Manual, focus.as_deref(), commands, report).await;
                let why = match summed {
                    Ok(Compacted::Done) => None,
                    Ok(Compacted::Interrupted) => Some("it was interrupted".to_owned()),
                    Err(error) => Some(error.to_string()),
                };
                if let Some(why) = why {
                    report(Event::Noticed(Notice::NotCompacted(why)));
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
                prompt: None,
                text: String::new(),
                responses: 0,
                stop_reason: None,
                millis: 0,
                api_millis: 0,
                spent: Default::default(),
                counted: Vec::new(),
                usage: Default::default(),
                denials: Vec::new(),
            },
            pauses: 0,
            cuts: 0,
            has_dropped_thinking: false,
        };
        let invoked = Invocation::of(prompt, &self.custom);
        // Where the model has too much to do, another one answers for the rest of the turn.
        let model = self.wishes.model.clone();
        let usual = invoked.as_ref().map(|invoked| self.lend(invoked));
        let (mut denials, mut counted) = (Vec::new(), Vec::<(String, Tokens)>::new());
        let ending = {
            // What sub-agents spend and are denied counts as well.
            let mut report = |event: Event| {
                match event.innermost() {
                    Event::Denied(denial) => denials.push(denial.clone()),
                    Event::Counted { model, usage, .. } => counted.push((model.clone(), tokens(usage))),
                    _ => {}
                }
                report(event);
            };
            let said = invoked.as_ref().map_or(Say::Plain(prompt), Say::Custom);
            match self.run(said, &mut course, commands, &mut report).await {
                Ok(ending) => ending,
                Err(error) => Ending::Failed(error),
            }
        };
        usual.into_iter().for_each(|usual| self.take_back(usual));
        self.wishes.model = model;
        let millis = millis(began.elapsed());
        let ended = self.note_queue(commands).and_then(|()| self.conversation.end_turn(millis));
        self.tell_notices(report);
        let ending = match (ending, ended) {
            (Ending::Done, Err(error)) => Ending::Failed(error.into()),
            (ending, _) => ending,
        };
        let mut spent = BTreeMap::<String, Tokens>::new();
        for (model, tokens) in &counted {
            *spent.entry(model.clone()).or_default() += *tokens;
        }
        let finished = Finished { ending, millis, denials, spent, counted, ..course.finished };
        report(Event::Finished(finished.clone()));
        finished
    }

    async fn run(
        &mut self,
        said: Say<'_>,
        course: &mut Course,
        commands: &mut Commands,
        report: &mut Report<'_>,
    ) -> Result<Ending, TurnError> {
        if self.is_full() && self.compact_unasked(commands, report).await == Compacted::Interrupted {
            // Nothing was said yet: the prompt is its owner's again.
            return Ok(Ending::Interrupted);
        }
        if self.queued > 0 {
            self.queued -= 1;
            self.conversation.record(Draft::queue_operation(QueueStep::Dequeue, None))?;
        }
        match said {
            Say::Plain(prompt) => course.finished.prompt = Some(self.conversation.prompt(prompt)?.uuid),
            Say::Custom(invoked) => match self.begin(invoked, commands, report).await? {
                Begun::Said(line) => course.finished.prompt = Some(line.uuid),
                Begun::Failed(line, error) => {
                    course.finished.prompt = Some(line.uuid);
                    return Ok(Ending::Failed(error));
                }
                Begun::Interrupted => return Ok(Ending::Interrupted),
            },
        }
        loop {
            self.note_queue(commands)?;
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
                    self.answer_all(&calls, INTERRUPTED_CALL, Place::New, report)?;
                    self.stop()?
                }
                Responded::Failed(error) => self.recover(error, course, commands, report).await?,
            };
            if let Next::End(ending) = next {
                return Ok(ending);
            }
        }
    }

    /// Tells the session of prompts that have come to wait.
    fn note_queue(&mut self, commands: &mut Commands) -> Result<(), AppendError> {
        for prompt in commands.take_queued() {
            let content = match prompt {
                Prompt::Text(text) => RawJson::string(&text).raw().to_vec(),
                Prompt::Blocks(json) => json,
            };
            self.conversation.record(Draft::queue_operation(QueueStep::Enqueue, Some(&content)))?;
            self.queued += 1;
        }
        Ok(())
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

    async fn compact_unasked(&mut self, commands: &mut Commands, report: &mut Report<'_>) -> Compacted {
        let summed = self.compact(CompactionTrigger::Auto, None, commands, report).await;
        summed.unwrap_or_else(|error| {
            // Where it fails, the turn goes on: there may still be room.
            report(Event::Noticed(Notice::NotCompacted(error.to_string())));
            Compacted::Done
        })
    }

    /// The end of a turn that a person stopped.
    fn stop(&mut self) -> Result<Next, TurnError> {
        self.mark(INTERRUPTED)?;
        Ok(Next::End(Ending::Interrupted))
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
