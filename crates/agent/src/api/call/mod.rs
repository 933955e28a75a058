//! One logical request: sent, sent again where that is right, and never again once something of the answer stands.
//!
//! What a caller writes down comes as [`Progress::Block`], once for each block, in order. A stream that breaks after that
//! is an [`Answer`] that says so ([`Ended::Broken`]): the calls in it are run once, and nothing is asked for twice. Dropping
//! the future takes the request back at any point.

mod complaint;
mod gather;

use std::future::Future;
use std::time::Duration;

use super::failure::Failure;
use super::request::{Body, Request, RequestError};
use super::retry::{GiveUp, Patience, Verdict, judge};
use super::stream::{Block, Event, Reader, Stop};
use super::transport::{ByteSource, Head, Opened, Transport};
use super::usage::Usage;
use complaint::Complaint;
use gather::{Gathered, Tried};

/// The clock on the wall, and chance: a library has neither.
pub trait Surroundings: Sync {
    /// Milliseconds since 1970.
    fn now(&self) -> i64;
    /// A number from 0 up to 1.
    fn chance(&self) -> f64;
}

/// How a call goes about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manner {
    /// How often and how soon to try again.
    pub patience: Patience,
    /// How long no byte may come.
    pub idle: Duration,
    /// The model to turn to when the first has too much to do.
    pub fallback: Option<String>,
}

impl Default for Manner {
    fn default() -> Self {
        Self { patience: Patience::default(), idle: Duration::from_secs(300), fallback: None }
    }
}

/// After so many overloads in a row another model is asked, where there is one.
const OVERLOADS_BEFORE_FALLBACK: u32 = 3;
/// How often a try is repeated that broke after the model had thought: its thoughts are paid for each time.
const MOST_AFTER_THOUGHT: u32 = 2;
/// How long the end of a body may take after the end of its message, so that the connection can be used again.
const FAREWELL: Duration = Duration::from_millis(100);

/// Something that a caller may want to show or write down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// An answer has begun.
    Opened(Head),
    /// Something of a stream: for showing. A finished block comes as [`Progress::Block`] instead.
    Event(Event),
    /// A block that stands: to be written down.
    Block(Block),
    /// What was shown of the answer is void: it begins anew.
    Restarted,
    /// A try failed and another one follows.
    RetryScheduled(Retry),
    /// Another model is asked from now on.
    ModelChanged {
        /// Its name.
        to: String,
    },
    /// A shorter answer is asked for, because the window has no room for more.
    LimitLowered {
        /// The new `max_tokens`.
        max_tokens: u64,
    },
}

/// A try that failed, and when the next one is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retry {
    /// What went wrong.
    pub failure: Failure,
    /// The pause.
    pub wait: Duration,
    /// Which retry this will be, from 1.
    pub attempt: u32,
    /// How many there are at most.
    pub most: u32,
}

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// `message.id`.
    pub id: String,
    /// The model that answered.
    pub model: String,
    /// What the headers said.
    pub head: Head,
    /// The blocks that stand, in order.
    pub blocks: Vec<Block>,
    /// What was counted.
    pub usage: Usage,
    /// How it ended.
    pub ended: Ended,
}

/// How an answer ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// As it should.
    Complete(Stop),
    /// In the middle: what is there is whole, but more was to come.
    Broken(Failure),
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The request could not even be made.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The conversation does not fit: it must be summed up first.
    #[error("the conversation is too long for the model: {0}")]
    PromptTooLong(Failure),
    /// The body is too large: images or results must go.
    #[error("the request is too large: {0}")]
    TooLarge(Failure),
    /// Thinking of earlier turns is refused: once, it can be left out.
    #[error("the model does not take back the thinking of earlier turns: {0}")]
    ThinkingRefused(Failure),
    /// It failed, and trying again is no use or was none.
    #[error("{failure}")]
    Failed {
        /// What went wrong last.
        failure: Failure,
        /// Why it was not tried again.
        why: GiveUp,
        /// How often it was tried again.
        retries: u32,
    },
}

impl CallError {
    /// Whether it is about how much was sent: less may be taken.
    pub fn is_of_size(&self) -> bool {
        matches!(
            self,
            Self::PromptTooLong(_) | Self::TooLarge(_) | Self::Request(RequestError::TooLarge { .. })
        )
    }
}

/// Sends requests over a transport.
#[derive(Debug)]
pub struct Caller<'t, T, S> {
    /// How bodies get to the API.
    pub transport: &'t T,
    /// The clock and chance.
    pub surroundings: &'t S,
    /// How it goes about it.
    pub manner: Manner,
}

/// What has happened so far in one call.
struct Course {
    model: String,
    max_tokens: u64,
    was_lowered: bool,
    retries: u32,
    overloads: u32,
    thoughts_lost: u32,
}

impl<T: Transport, S: Surroundings> Caller<'_, T, S> {
    /// Asks, and asks again as the rules say. Whatever happens on the way is told to `report`.
    pub async fn call(
        &self,
        request: &Request<'_>,
        report: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<Answer, CallError> {
        let mut course = Course {
            model: request.model.to_owned(),
            max_tokens: request.max_tokens,
            was_lowered: false,
            retries: 0,
            overloads: 0,
            thoughts_lost: 0,
        };
        loop {
            let body = request.body(&course.model, course.max_tokens)?;
            let tried = match self.attempt(&body, report).await {
                Ok(answer) => return Ok(answer),
                Err(tried) => tried,
            };
            if tried.was_seen {
                report(Progress::Restarted);
            }
            let pause = self.next_step(&mut course, tried, report)?;
            if !pause.is_zero() {
                tokio::time::sleep(pause).await;
            }
        }
    }

    /// What to do after a try that left nothing: the pause before the next one, or an error.
    fn next_step(
        &self,
        course: &mut Course,
        tried: Tried,
        report: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<Duration, CallError> {
        match Complaint::of(&tried.failure) {
            Some(Complaint::NoRoom { left }) if !course.was_lowered => {
                course.was_lowered = true;
                course.max_tokens = left;
                report(Progress::LimitLowered { max_tokens: left });
                return Ok(Duration::ZERO);
            }
            Some(Complaint::NoRoom { .. } | Complaint::PromptTooLong) => {
                return Err(CallError::PromptTooLong(tried.failure));
            }
            Some(Complaint::Thinking) => return Err(CallError::ThinkingRefused(tried.failure)),
            Some(Complaint::TooLarge) => return Err(CallError::TooLarge(tried.failure)),
            None => {}
        }
        course.overloads = if tried.failure.is_overload() { course.overloads + 1 } else { 0 };
        let fallback = self.manner.fallback.as_ref().filter(|name| **name != course.model);
        if let Some(name) = fallback.filter(|_| course.overloads >= OVERLOADS_BEFORE_FALLBACK) {
            course.model.clone_from(name);
            (course.overloads, course.retries) = (0, 0);
            report(Progress::ModelChanged { to: name.clone() });
            return Ok(Duration::ZERO);
        }
        self.pause(course, tried, report)
    }

    fn pause(
        &self,
        course: &mut Course,
        tried: Tried,
        report: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<Duration, CallError> {
        let Tried { failure, had_thought, .. } = tried;
        let patience = &self.manner.patience;
        let (now, chance) = (self.surroundings.now(), self.surroundings.chance());
        course.thoughts_lost += u32::from(had_thought);
        let verdict = match judge(patience, course.retries, &failure, now, chance) {
            Verdict::Wait(_) if course.thoughts_lost > MOST_AFTER_THOUGHT => {
                Verdict::GiveUp(GiveUp::Attempts)
            }
            verdict => verdict,
        };
        match verdict {
            Verdict::GiveUp(why) => Err(CallError::Failed { failure, why, retries: course.retries }),
            Verdict::Wait(wait) => {
                course.retries += 1;
                let retry = Retry { failure, wait, attempt: course.retries, most: patience.most };
                report(Progress::RetryScheduled(retry));
                Ok(wait)
            }
        }
    }

    /// One try: an answer, whole or broken, or nothing to keep.
    async fn attempt(&self, body: &Body, report: &mut (dyn FnMut(Progress) + Send)) -> Result<Answer, Tried> {
        let opened = self.watched(self.transport.send(body)).await;
        let Opened { head, mut source } =
            opened.map_err(|failure| Tried { failure, was_seen: false, had_thought: false })?;
        report(Progress::Opened(head.clone()));
        let mut gathered = Gathered::new(head);
        let mut reader = Reader::default();
        loop {
            let mut events = Vec::new();
            let (read, is_end) = match self.watched(source.next()).await {
                Ok(Some(bytes)) => {
                    (reader.feed(&bytes, &mut events).map_err(Failure::from), reader.is_over())
                }
                Ok(None) => (reader.end().map_err(Failure::from), true),
                // A message that is whole does not care how its connection ended.
                Err(failure) => (reader.end().map_err(|_| failure), true),
            };
            for event in events {
                gathered.take(event, report);
            }
            match read {
                Err(failure) => return gathered.broken(failure),
                Ok(()) if is_end => {
                    // The rest of the body, nearly always nothing, lets the connection be used again.
                    let _ = tokio::time::timeout(FAREWELL, source.next()).await;
                    return gathered.complete(report);
                }
                Ok(()) => {}
            }
        }
    }

    /// A step that must not keep silent for too long.
    async fn watched<R>(&self, step: impl Future<Output = Result<R, Failure>>) -> Result<R, Failure> {
        let idle = Failure::Idle { after: self.manner.idle };
        tokio::time::timeout(self.manner.idle, step).await.unwrap_or(Err(idle))
    }
}
