//! The handlers of a conversation, and how they are run: all that match start together, each within its time.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::answer::{HookAnswer, HookDecision, HookOutcome};
use super::event::HookEvent;
use super::matcher::HookMatcher;

/// What a handler is told.
#[derive(Clone, Copy, Debug)]
pub struct HookCall<'h> {
    /// The event.
    pub event: HookEvent,
    /// What happened: a JSON object.
    pub input: &'h [u8],
    /// The id of the tool call, if the event is about one.
    pub tool_use: Option<&'h str>,
}

/// A handler at work.
pub type HookFuture<'h> = Pin<Box<dyn Future<Output = Result<HookAnswer, HookFailure>> + Send + 'h>>;

/// Something that is told of events and may answer. Dropping the future takes the question back.
pub trait HookHandler: Send + Sync {
    /// Returns what records call it: a command, an address, `callback`.
    fn name(&self) -> &str;

    /// Tells it of an event.
    fn run<'h>(&'h self, call: HookCall<'h>) -> HookFuture<'h>;
}

/// Why a handler gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HookFailure {
    /// It took too long.
    #[error("it did not answer within {} s", .0.as_secs_f64())]
    TimedOut(Duration),
    /// It cannot be reached, or it does not exist.
    #[error("it cannot be reached: {0}")]
    Unreachable(String),
    /// It failed, or its answer makes no sense.
    #[error("{0}")]
    Failed(String),
}

/// What follows if a handler gives no answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FailurePolicy {
    /// A guard denies, everything else continues.
    #[default]
    Guard,
    /// What the event is about does not happen.
    Block,
}

/// A handler and what it is told of.
pub struct RegisteredHook {
    /// The event.
    pub event: HookEvent,
    /// Which values of the event.
    pub matcher: HookMatcher,
    /// How long it may take.
    pub timeout: Duration,
    /// What follows if it gives no answer.
    pub on_failure: FailurePolicy,
    /// The handler.
    pub handler: Arc<dyn HookHandler>,
}

impl fmt::Debug for RegisteredHook {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("RegisteredHook")
            .field("event", &self.event)
            .field("name", &self.handler.name())
            .finish()
    }
}

/// The handlers of a conversation and its sub-agents.
#[derive(Clone, Debug, Default)]
pub struct Hooks(Arc<Mutex<Vec<Arc<RegisteredHook>>>>);

impl Hooks {
    /// Adds a handler.
    pub fn register(&self, hook: RegisteredHook) {
        self.list().push(Arc::new(hook));
    }

    /// Removes all handlers.
    pub fn clear(&self) {
        self.list().clear();
    }

    /// Returns whether an event has a handler, whatever it wants to be told of.
    pub fn has(&self, event: HookEvent) -> bool {
        self.list().iter().any(|hook| hook.event == event)
    }

    fn list(&self) -> MutexGuard<'_, Vec<Arc<RegisteredHook>>> {
        // A panic cannot leave the list half changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn chosen(&self, event: HookEvent, value: &str) -> Vec<Arc<RegisteredHook>> {
        let is_wanted = |hook: &&Arc<RegisteredHook>| {
            hook.event == event && (!event.has_matcher() || hook.matcher.matches(value))
        };
        self.list().iter().filter(is_wanted).cloned().collect()
    }

    /// Tells all handlers that want this value of an event, at the same time, and waits for all.
    pub async fn run(&self, call: HookCall<'_>, value: &str) -> HookOutcome {
        let hooks = self.chosen(call.event, value);
        let mut outcome = HookOutcome { handlers: hooks.len(), ..HookOutcome::default() };
        let mut work: Vec<_> = hooks.iter().map(|hook| Some(Box::pin(answer(hook, call)))).collect();
        let mut open = work.len();
        std::future::poll_fn(|context| {
            for (hook, slot) in hooks.iter().zip(&mut work) {
                let Some(future) = slot else { continue };
                let std::task::Poll::Ready(done) = future.as_mut().poll(context) else { continue };
                *slot = None;
                open -= 1;
                // Answers count in the order in which they come.
                match done {
                    Ok(answer) => outcome.add(answer),
                    Err(failure) => fail(&mut outcome, hook, value, &failure),
                }
            }
            if open == 0 { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
        })
        .await;
        outcome
    }
}

async fn answer(hook: &RegisteredHook, call: HookCall<'_>) -> Result<HookAnswer, HookFailure> {
    let late = Err(HookFailure::TimedOut(hook.timeout));
    tokio::time::timeout(hook.timeout, hook.handler.run(call)).await.unwrap_or(late)
}

/// Reports a failure, and lets nothing pass that the handler was to guard.
fn fail(outcome: &mut HookOutcome, hook: &RegisteredHook, value: &str, failure: &HookFailure) {
    let name = hook_name(hook.event, value);
    let why = format!("the {name} hook {:?} failed: {failure}", hook.handler.name());
    outcome.messages.push(why.clone());
    let is_block = hook.on_failure == FailurePolicy::Block;
    if hook.event.is_guard() {
        outcome.add(HookAnswer {
            decision: Some(HookDecision::Deny),
            reason: Some(why.clone()),
            permission: Some(super::PermissionAnswer::Deny { message: Some(why), should_interrupt: false }),
            ..HookAnswer::default()
        });
    } else if is_block {
        outcome.add(HookAnswer { is_block: true, reason: Some(why), ..HookAnswer::default() });
    }
}

/// Returns the name of an event in records: `PreToolUse:Bash`, `Stop`.
pub(crate) fn hook_name(event: HookEvent, value: &str) -> String {
    match event.has_matcher() && !value.is_empty() {
        true => format!("{}:{value}", event.name()),
        false => event.name().to_owned(),
    }
}
