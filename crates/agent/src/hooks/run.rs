//! The handlers of a conversation, and how they are run: all that match start together, each within its time.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use annals_policy::rules::Rule;

use super::answer::{HookAnswer, HookDecision};
use super::event::HookEvent;
use super::late::LateReplies;
use super::matcher::HookMatcher;
use super::outcome::HookOutcome;
use super::reply::{HandlerReport, HookFault, HookReply};

/// What a handler is told.
#[derive(Clone, Copy, Debug)]
pub struct HookCall<'h> {
    pub event: HookEvent,
    /// What happened: a JSON object.
    pub input: &'h [u8],
    /// What matchers look at: the name of a tool, a source, a reason.
    pub value: &'h str,
    /// The id of the tool call, if the event is about one.
    pub tool_use: Option<&'h str>,
    /// The working folder of commands.
    pub cwd: &'h Path,
}

/// A handler at work.
pub type HookFuture<'h> = Pin<Box<dyn Future<Output = Result<HookReply, HookFailure>> + Send + 'h>>;

/// Something that is told of events and may answer. Dropping the future takes the question back.
pub trait HookHandler: Send + Sync {
    /// Returns what records call it: a command, an address, `callback`.
    fn name(&self) -> &str;

    /// Returns what makes it the same as another one: of these one alone is run. `None` if it is always run.
    fn identity(&self) -> Option<String> {
        None
    }

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
    /// As the original does for handlers in settings: it continues. But if the handler failed to start, a call is asked about.
    Ask,
}

/// Who brought a handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookOrigin {
    /// A program that drives this one.
    Program,
    Settings,
}

/// A handler and what it is told of.
pub struct RegisteredHook {
    pub event: HookEvent,
    /// Which values of the event.
    pub matcher: HookMatcher,
    /// Which calls; all if there is none.
    pub condition: Option<Rule>,
    /// How long it may take.
    pub timeout: Duration,
    /// What follows if it gives no answer.
    pub on_failure: FailurePolicy,
    /// Who brought it.
    pub origin: HookOrigin,
    /// Whether it has run, for one that runs once; `None` for one that always runs.
    pub once: Option<AtomicBool>,
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

/// What brings handlers of its own, by its front matter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum HookOwner {
    /// A type of sub-agent: they are told of what happens in such a sub-agent.
    Agent(String),
    /// A command or a skill: they are told of what happens once it is used.
    Skill(String),
}

type HookList = Vec<Arc<RegisteredHook>>;

/// The handlers of a conversation and its sub-agents.
#[derive(Clone, Debug, Default)]
pub struct Hooks {
    list: Arc<Mutex<HookList>>,
    /// Those that wait until their owner is used.
    owned: Arc<Mutex<HashMap<HookOwner, HookList>>>,
    /// Those of the skills that were used.
    of_skills: HookList,
    /// Those of the type of this sub-agent.
    of_agent: HookList,
    late: LateReplies,
}

impl Hooks {
    /// Adds a handler.
    pub fn register(&self, hook: RegisteredHook) {
        self.list().push(Arc::new(hook));
    }

    /// Adds a handler that waits until its owner is used.
    pub fn register_for(&self, owner: HookOwner, hook: RegisteredHook) {
        self.owned().entry(owner).or_default().push(Arc::new(hook));
    }

    /// Returns the handlers for a sub-agent of this type.
    pub(crate) fn for_agent(&self, kind: &str) -> Self {
        let own = self.owned().get(&HookOwner::Agent(kind.to_owned())).cloned();
        Self { of_agent: own.unwrap_or_default(), ..self.clone() }
    }

    /// Begins with the handlers of a command or a skill; one that is used again has them once.
    pub(crate) fn use_skill(&mut self, name: &str) {
        let own = self.owned().get(&HookOwner::Skill(name.to_owned())).cloned().unwrap_or_default();
        for hook in own {
            if !self.of_skills.iter().any(|known| Arc::ptr_eq(known, &hook)) {
                self.of_skills.push(hook);
            }
        }
    }

    /// Removes the handlers of the program that drives this one.
    pub fn clear_program(&self) {
        self.list().retain(|hook| hook.origin != HookOrigin::Program);
    }

    /// Returns whether there is no handler, also none that waits for its owner.
    pub fn is_empty(&self) -> bool {
        self.all().is_empty() && self.owned().is_empty()
    }

    /// Returns whether an event has a handler, whatever it wants to be told of.
    pub fn has(&self, event: HookEvent) -> bool {
        self.all().iter().any(|hook| hook.event == event)
    }

    /// Returns where handlers that run in the background leave what they say.
    pub fn late(&self) -> &LateReplies {
        &self.late
    }

    fn list(&self) -> MutexGuard<'_, HookList> {
        // A panic cannot leave the list half changed.
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn owned(&self) -> MutexGuard<'_, HashMap<HookOwner, HookList>> {
        self.owned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the handlers that are told of what happens now.
    fn all(&self) -> HookList {
        self.list().iter().chain(&self.of_skills).chain(&self.of_agent).cloned().collect()
    }

    /// Returns the handlers that want this value of an event, of equal ones the first. `is_covered` says whether a rule speaks
    /// about the call.
    pub(crate) fn chosen(
        &self,
        event: HookEvent,
        value: &str,
        is_covered: impl Fn(&Rule) -> bool,
    ) -> Vec<Arc<RegisteredHook>> {
        let mut seen = HashSet::new();
        let is_wanted = |hook: &Arc<RegisteredHook>| {
            hook.event == event
                && (!event.has_matcher() || hook.matcher.matches(value))
                && hook.condition.as_ref().is_none_or(|rule| event.is_of_tool() && is_covered(rule))
        };
        let mut wanted = self.all();
        wanted.retain(is_wanted);
        wanted.retain(|hook| hook.handler.identity().is_none_or(|same| seen.insert(same)));
        wanted.retain(|hook| hook.once.as_ref().is_none_or(|has_run| !has_run.swap(true, Ordering::Relaxed)));
        wanted
    }
}

/// Tells handlers of an event, all at the same time, and waits for all.
pub(crate) async fn run(hooks: &[Arc<RegisteredHook>], call: HookCall<'_>) -> HookOutcome {
    let mut outcome = HookOutcome::default();
    let longest = hooks.iter().map(|hook| hook.timeout).max().unwrap_or_default();
    let mut work: Vec<_> = hooks.iter().map(|hook| Some(Box::pin(answer(hook, call, longest)))).collect();
    let mut open = work.len();
    std::future::poll_fn(|context| {
        for (hook, slot) in hooks.iter().zip(&mut work) {
            let Some(future) = slot else { continue };
            let std::task::Poll::Ready(done) = future.as_mut().poll(context) else { continue };
            *slot = None;
            open -= 1;
            // Answers count in the order in which they come.
            take(&mut outcome, hook, call.value, done);
        }
        if open == 0 { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    outcome
}

async fn answer(
    hook: &RegisteredHook,
    call: HookCall<'_>,
    longest: Duration,
) -> Result<HookReply, HookFailure> {
    // At the end of a session all have the time of the one that asks for most.
    let time = if call.event == HookEvent::SessionEnd { longest } else { hook.timeout };
    let late = Err(HookFailure::TimedOut(time));
    tokio::time::timeout(time, hook.handler.run(call)).await.unwrap_or(late)
}

/// Adds what a handler did.
fn take(outcome: &mut HookOutcome, hook: &RegisteredHook, value: &str, done: Result<HookReply, HookFailure>) {
    let name = hook_name(hook.event, value);
    match &done {
        Ok(reply) => {
            let said = reply.answer.system_message.as_ref().filter(|message| !message.is_empty());
            outcome.messages.extend(said.map(|message| format!("{name} says: {message}")));
            if let Some(fault) = &reply.fault {
                let why = format!("the {name} hook {:?} failed: {}", hook.handler.name(), fault.why());
                let is_unguarded =
                    hook.event == HookEvent::PreToolUse && matches!(fault, HookFault::NotStarted(_));
                if is_unguarded {
                    let (decision, reason) = (Some(HookDecision::Ask), Some(why.clone()));
                    outcome.add(HookAnswer { decision, reason, ..HookAnswer::default() });
                }
                outcome.messages.push(why);
            }
            outcome.add(reply.answer.clone());
        }
        Err(failure) => fail(outcome, hook, &name, failure),
    }
    let (name, origin) = (hook.handler.name().to_owned(), hook.origin);
    outcome.reports.push(HandlerReport { name, origin, result: done });
}

/// Reports a failure, and lets nothing pass that the handler was to guard.
fn fail(outcome: &mut HookOutcome, hook: &RegisteredHook, name: &str, failure: &HookFailure) {
    let why = format!("the {name} hook {:?} failed: {failure}", hook.handler.name());
    outcome.messages.push(why.clone());
    let is_ask = hook.on_failure == FailurePolicy::Ask;
    if is_ask && hook.event == HookEvent::PreToolUse && matches!(failure, HookFailure::Unreachable(_)) {
        let (decision, reason) = (Some(HookDecision::Ask), Some(why));
        outcome.add(HookAnswer { decision, reason, ..HookAnswer::default() });
    } else if hook.event.is_guard() && !is_ask {
        outcome.add(HookAnswer {
            decision: Some(HookDecision::Deny),
            reason: Some(why.clone()),
            permission: Some(super::PermissionAnswer::Deny { message: Some(why), should_interrupt: false }),
            ..HookAnswer::default()
        });
    } else if hook.on_failure == FailurePolicy::Block {
        outcome.add(HookAnswer { is_block: true, reason: Some(why), ..HookAnswer::default() });
    }
}

/// Returns the name of an event in records: `PreToolUse:Bash`, `Stop`.
pub(crate) fn hook_name(event: HookEvent, value: &str) -> String {
    // The name of a command is matched, and not part of the hook's name.
    let is_named = event.has_matcher() && event != HookEvent::UserPromptExpansion;
    match is_named && !value.is_empty() {
        true => format!("{}:{value}", event.name()),
        false => event.name().to_owned(),
    }
}
