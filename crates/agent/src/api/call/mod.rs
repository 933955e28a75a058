//! One logical request: sent, retried if that is safe, and never again after the first complete block.
//!
//! A caller gets each complete block once, in order, as [`CallProgress::Block`]. If the stream breaks after that, the call
//! returns what has come ([`ResponseEnd::Broken`]): its tool calls run once, and nothing is requested twice. Dropping the
//! future cancels the request at any point.

mod partial;
mod rejection;

use std::future::Future;
use std::time::Duration;

use super::failure::Failure;
use super::request::{Request, RequestBody, RequestError};
use super::retry::{Backoff, GiveUpReason, RetryDecision, decide_retry};
use super::stream::{Block, StopInfo, StopReason, StreamEvent, StreamReader};
use super::transport::{ByteSource, ResponseHead, ResponseStream, Transport};
use super::usage::Usage;
use partial::{FailedAttempt, PartialResponse};
use rejection::RejectionKind;

/// Supplies the wall clock and the jitter of retries.
pub trait RetryClock: Sync {
    /// Returns milliseconds since 1970.
    fn now(&self) -> i64;
    /// Returns a random number from 0 up to 1.
    fn jitter(&self) -> f64;
}

/// Options for retries, timeouts and the fallback model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetryOptions {
    /// How often and how soon a request is retried.
    pub backoff: Backoff,
    /// The longest wait for the next byte.
    pub idle: Duration,
    /// The model to use when the first one is overloaded.
    pub fallback: Option<String>,
    /// Whether events of the stream are also reported as they came.
    pub has_raw_events: bool,
}

impl Default for RetryOptions {
    fn default() -> Self {
        Self {
            backoff: Backoff::default(),
            idle: Duration::from_secs(300),
            fallback: None,
            has_raw_events: false,
        }
    }
}

/// The overloads in a row before the fallback model is used.
const OVERLOADS_BEFORE_FALLBACK: u32 = 3;
/// The most retries after the model had started thinking: its thinking is paid for each time.
const MAX_RETRIES_AFTER_THINKING: u32 = 2;
/// How long the end of a body may take after its message, so that the connection can be reused.
const BODY_END_TIMEOUT: Duration = Duration::from_millis(100);

/// Progress of a call, for display or for the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallProgress {
    /// The response has started.
    Opened(ResponseHead),
    /// A piece of the stream, for display. Complete blocks come as [`CallProgress::Block`] instead.
    Event(StreamEvent),
    /// A complete block, to be written.
    Block(Block),
    /// The displayed part of the response is void: the response starts over.
    Restarted,
    /// An attempt failed and will be retried.
    RetryScheduled(ScheduledRetry),
    /// The fallback model is used from now on.
    ModelChanged {
        /// The name of the fallback model.
        to: String,
    },
    /// A shorter response is requested, because the context window is nearly full.
    LimitLowered {
        /// The new `max_tokens`.
        max_tokens: u64,
    },
}

/// An attempt that failed, and its retry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduledRetry {
    /// Why the attempt failed.
    pub failure: Failure,
    /// The pause before the retry.
    pub wait: Duration,
    /// The number of the retry, from 1.
    pub attempt: u32,
    /// The most retries of this request.
    pub max_retries: u32,
}

impl ScheduledRetry {
    /// When the next attempt comes, and how many are left: "retrying in 4 s · attempt 1 of 10".
    pub fn schedule(&self) -> String {
        let seconds = self.wait.as_secs_f64().ceil();
        format!("retrying in {seconds} s · attempt {} of {}", self.attempt, self.max_retries)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiResponse {
    /// `message.id`.
    pub id: String,
    /// The model that answered.
    pub model: String,
    /// The response headers.
    pub head: ResponseHead,
    /// The complete blocks, in order.
    pub blocks: Vec<Block>,
    /// The token usage.
    pub usage: Usage,
    /// How the response ended.
    pub ended: ResponseEnd,
}

impl ApiResponse {
    /// Returns whether the API paused and continues the response when it is sent back.
    pub fn is_paused(&self) -> bool {
        matches!(&self.ended, ResponseEnd::Complete(stop) if stop.reason == StopReason::PauseTurn)
    }
}

/// How a response ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResponseEnd {
    Complete(StopInfo),
    /// The stream broke: the blocks are complete, but more was to come.
    Broken(Failure),
}

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The request could not be built.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The conversation does not fit and must be compacted.
    #[error("the conversation is too long for the model: {0}")]
    PromptTooLong(Failure),
    /// The body is too large: images or results must be left out.
    #[error("the request is too large: {0}")]
    TooLarge(Failure),
    /// Thinking of earlier turns is refused; it can be left out once.
    #[error("the model rejected the thinking of earlier turns: {0}")]
    ThinkingRefused(Failure),
    /// The request failed, and a retry is useless or was in vain.
    #[error("{failure}")]
    Failed {
        /// The last failure.
        failure: Failure,
        /// Why there was no further retry.
        why: GiveUpReason,
        /// The number of retries.
        retries: u32,
    },
}

impl CallError {
    /// Returns whether a smaller request could succeed.
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
    /// Carries requests to the API.
    pub transport: &'t T,
    /// The clock and jitter of retries.
    pub clock: &'t S,
    /// Options for retries, timeouts and the fallback model.
    pub retry: RetryOptions,
}

struct CallState {
    model: String,
    max_tokens: u64,
    was_lowered: bool,
    retries: u32,
    overloads: u32,
    lost_thinking: u32,
}

impl<T: Transport, S: RetryClock> Caller<'_, T, S> {
    /// Sends a request, with retries. Progress is passed to `report`.
    pub async fn call(
        &self,
        request: &Request<'_>,
        report: &mut (dyn FnMut(CallProgress) + Send),
    ) -> Result<ApiResponse, CallError> {
        let mut state = CallState {
            model: request.model.to_owned(),
            max_tokens: request.max_tokens,
            was_lowered: false,
            retries: 0,
            overloads: 0,
            lost_thinking: 0,
        };
        loop {
            let body = request.body(&state.model, state.max_tokens)?;
            let failed = match self.attempt(&body, report).await {
                Ok(answer) => return Ok(answer),
                Err(failed) => failed,
            };
            if failed.was_seen {
                report(CallProgress::Restarted);
            }
            let pause = self.next_step(&mut state, failed, report)?;
            if !pause.is_zero() {
                tokio::time::sleep(pause).await;
            }
        }
    }

    /// Decides what follows a failed attempt: the pause before the next one, or an error.
    fn next_step(
        &self,
        state: &mut CallState,
        failed: FailedAttempt,
        report: &mut (dyn FnMut(CallProgress) + Send),
    ) -> Result<Duration, CallError> {
        match RejectionKind::of(&failed.failure) {
            Some(RejectionKind::MaxTokensTooHigh { left }) if !state.was_lowered => {
                state.was_lowered = true;
                state.max_tokens = left;
                report(CallProgress::LimitLowered { max_tokens: left });
                return Ok(Duration::ZERO);
            }
            Some(RejectionKind::MaxTokensTooHigh { .. } | RejectionKind::PromptTooLong) => {
                return Err(CallError::PromptTooLong(failed.failure));
            }
            Some(RejectionKind::Thinking) => return Err(CallError::ThinkingRefused(failed.failure)),
            Some(RejectionKind::TooLarge) => return Err(CallError::TooLarge(failed.failure)),
            None => {}
        }
        state.overloads = if failed.failure.is_overload() { state.overloads + 1 } else { 0 };
        let fallback = self.retry.fallback.as_ref().filter(|name| **name != state.model);
        if let Some(name) = fallback.filter(|_| state.overloads >= OVERLOADS_BEFORE_FALLBACK) {
            state.model.clone_from(name);
            (state.overloads, state.retries) = (0, 0);
            report(CallProgress::ModelChanged { to: name.clone() });
            return Ok(Duration::ZERO);
        }
        self.pause(state, failed, report)
    }

    fn pause(
        &self,
        state: &mut CallState,
        failed: FailedAttempt,
        report: &mut (dyn FnMut(CallProgress) + Send),
    ) -> Result<Duration, CallError> {
        let FailedAttempt { failure, had_thinking, .. } = failed;
        let backoff = &self.retry.backoff;
        let (now, jitter) = (self.clock.now(), self.clock.jitter());
        state.lost_thinking += u32::from(had_thinking);
        let decision = match decide_retry(backoff, state.retries, &failure, now, jitter) {
            RetryDecision::Wait(_) if state.lost_thinking > MAX_RETRIES_AFTER_THINKING => {
                RetryDecision::GiveUp(GiveUpReason::Attempts)
            }
            decision => decision,
        };
        match decision {
            RetryDecision::GiveUp(why) => Err(CallError::Failed { failure, why, retries: state.retries }),
            RetryDecision::Wait(wait) => {
                state.retries += 1;
                let retry = ScheduledRetry {
                    failure,
                    wait,
                    attempt: state.retries,
                    max_retries: backoff.max_retries,
                };
                report(CallProgress::RetryScheduled(retry));
                Ok(wait)
            }
        }
    }

    /// Makes one attempt: a response, complete or broken, or a failure without any complete block.
    async fn attempt(
        &self,
        body: &RequestBody,
        report: &mut (dyn FnMut(CallProgress) + Send),
    ) -> Result<ApiResponse, FailedAttempt> {
        let opened = self.watched(self.transport.send(body)).await;
        let ResponseStream { head, mut source } =
            opened.map_err(|failure| FailedAttempt { failure, was_seen: false, had_thinking: false })?;
        report(CallProgress::Opened(head.clone()));
        let mut partial = PartialResponse::new(head);
        let mut reader = StreamReader::raw(self.retry.has_raw_events);
        loop {
            let mut events = Vec::new();
            let (read, is_end) = match self.watched(source.next()).await {
                Ok(Some(bytes)) => {
                    (reader.feed(&bytes, &mut events).map_err(Failure::from), reader.is_over())
                }
                Ok(None) => (reader.end().map_err(Failure::from), true),
                // A complete message is valid however its connection ended.
                Err(failure) => (reader.end().map_err(|_| failure), true),
            };
            for event in events {
                partial.take(event, report);
            }
            match read {
                Err(failure) => return partial.broken(failure),
                Ok(()) if is_end => {
                    // Reading the rest of the body, nearly always empty, lets the connection be reused.
                    let _ = tokio::time::timeout(BODY_END_TIMEOUT, source.next()).await;
                    return partial.complete(report);
                }
                Ok(()) => {}
            }
        }
    }

    /// Runs a step with the idle timeout.
    async fn watched<R>(&self, step: impl Future<Output = Result<R, Failure>>) -> Result<R, Failure> {
        let idle = Failure::Idle { after: self.retry.idle };
        tokio::time::timeout(self.retry.idle, step).await.unwrap_or(Err(idle))
    }
}
