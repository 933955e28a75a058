//! Sub-agents in the background: how each stands, and what the model and the caller are not told yet. Commands that end beside them are
//! told in the same way.

use std::future::{Future as _, poll_fn};
use std::path::PathBuf;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::Poll;

use annals_json::ArrayWriter;
use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedSender;

use super::progress::AgentProgress;
use crate::protocol::{AgentAnswer, Command, Event, Prompt, TaskNotification};
use crate::tools::agent::{AgentResult, SpawnError};
use crate::tools::bash::{BackgroundStatus, Shells};

/// The most sub-agents that have answered their caller and wait for messages.
const MAX_KEPT: usize = 32;

/// The sub-agents in the background of a session.
#[derive(Default)]
pub struct BackgroundAgents {
    agents: Mutex<Vec<Arc<BackgroundAgent>>>,
    events: Mutex<Vec<Event>>,
    /// Wakes those who wait for an end.
    ends: Notify,
    /// The commands in the background.
    shells: Weak<Shells>,
}

/// A sub-agent in the background.
pub struct BackgroundAgent {
    pub id: String,
    pub description: String,
    /// Its type.
    pub(crate) kind: String,
    /// Its task.
    pub(crate) prompt: String,
    /// The call that it works for: the one that started it, or that sent it the last message.
    pub(crate) tool_use: Mutex<String>,
    /// Its session file, if it has one.
    pub(crate) file: Option<PathBuf>,
    /// Takes the interrupt that ends it.
    pub(crate) commands: UnboundedSender<Command>,
    /// What came of it.
    pub(crate) result: Mutex<Option<Result<AgentResult, SpawnError>>>,
    /// Whether the model or the person has ended it.
    pub(crate) is_stopped: AtomicBool,
    /// Whether the model knows of its end.
    pub(crate) is_told: AtomicBool,
    /// Whether it is in lists: one that was waited for is not, before it gets a message.
    pub(crate) is_listed: AtomicBool,
    /// Messages since it was stopped last: those before were meant for the work that was stopped.
    pub(crate) messages: AtomicUsize,
    /// What it did so far.
    pub(crate) progress: AgentProgress,
    /// What it answered before a message came that was sent without knowing of that.
    pub(crate) untold: Mutex<Option<String>>,
}

/// What became of a message for a sub-agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Delivery {
    /// It works, and gets the message when it can.
    Queued,
    /// It had ended, and continues with the message.
    Resumed,
    /// There is none, or it cannot continue.
    Unknown,
}

impl BackgroundAgents {
    /// Creates the list, beside the commands in the background.
    pub fn beside(shells: &Arc<Shells>) -> Self {
        Self { shells: Arc::downgrade(shells), ..Self::default() }
    }

    pub(crate) fn add(&self, agent: BackgroundAgent) -> Arc<BackgroundAgent> {
        let agent = Arc::new(agent);
        lock(&self.agents).push(Arc::clone(&agent));
        agent
    }

    pub(crate) fn find(&self, id: &str) -> Option<Arc<BackgroundAgent>> {
        lock(&self.agents).iter().find(|agent| agent.id == id).cloned()
    }

    /// Notes what came of a sub-agent.
    pub(crate) fn end(&self, agent: &BackgroundAgent, mut result: Result<AgentResult, SpawnError>) {
        if let Ok(done) = &mut result
            && let Some(earlier) = lock(&agent.untold).take()
        {
            done.answer = format!("{earlier}\n\n{}", done.answer);
        }
        *lock(&agent.result) = Some(result);
        agent.progress.stop();
        self.ends.notify_waiters();
    }

    /// Adds an event that the caller is told later.
    pub(crate) fn push_event(&self, event: Event) {
        lock(&self.events).push(event);
    }

    /// Takes the events since the last call.
    pub(crate) fn take_events(&self) -> Vec<Event> {
        std::mem::take(&mut *lock(&self.events))
    }

    /// Takes the sub-agents that have ended and that the model does not know of.
    pub fn take_ended(&self) -> Vec<TaskNotification> {
        let agents = lock(&self.agents).clone();
        let ended = agents.iter().filter(|agent| agent.status() != RUNNING && !agent.mark_told());
        ended.map(|agent| agent.notification()).collect()
    }

    /// Waits for a sub-agent or a command that has ended and that the model does not know of; `None` at once if none runs.
    pub async fn next_end(&self) -> Option<TaskNotification> {
        loop {
            let shells = self.shells.upgrade();
            if let Some(ended) = shells.as_ref().and_then(|shells| shells.take_end()) {
                return Some(ended);
            }
            let commands = shells.map(|shells| shells.running()).unwrap_or_default();
            let mut end = pin!(self.ends.notified());
            end.as_mut().enable();
            let agents = lock(&self.agents).clone();
            let ended = agents.iter().find(|agent| agent.status() != RUNNING && !agent.mark_told());
            if let Some(agent) = ended {
                return Some(agent.notification());
            }
            if commands.is_empty() && agents.iter().all(|agent| agent.status() != RUNNING) {
                return None;
            }
            let mut waits: Vec<_> = commands.iter().map(|command| Box::pin(command.wait())).collect();
            poll_fn(|context| {
                let is_over = end.as_mut().poll(context).is_ready();
                match is_over || waits.iter_mut().any(|wait| wait.as_mut().poll(context).is_ready()) {
                    true => Poll::Ready(()),
                    false => Poll::Pending,
                }
            })
            .await;
        }
    }

    /// Drops the oldest sub-agents that only wait for messages, if there are too many: each has an open file.
    pub(crate) fn drop_oldest_kept(&self) {
        let mut agents = lock(&self.agents);
        let is_kept = |agent: &Arc<BackgroundAgent>| !agent.is_listed.load(Ordering::Relaxed);
        let kept = agents.iter().filter(|agent| is_kept(agent)).count();
        let mut left = kept.saturating_sub(MAX_KEPT);
        agents.retain(|agent| {
            let is_dropped = left > 0 && is_kept(agent);
            if is_dropped {
                left -= 1;
                let _ = agent.commands.send(Command::Quit);
            }
            !is_dropped
        });
    }

    /// Gives a message to a sub-agent, for this call.
    pub(super) fn deliver(&self, id: &str, message: &str, call: &str) -> Delivery {
        let Some(agent) = self.find(id) else { return Delivery::Unknown };
        let is_running = agent.status() == RUNNING;
        if agent.commands.send(Command::Prompt(Prompt::Message(message.to_owned()))).is_err() {
            return Delivery::Unknown;
        }
        agent.messages.fetch_add(1, Ordering::Relaxed);
        if is_running {
            return Delivery::Queued;
        }
        agent.revive(call);
        Delivery::Resumed
    }

    /// Ends a sub-agent; whether there was one that ran. The model is told with its next request.
    pub fn stop(&self, id: &str) -> bool {
        match self.find(id).filter(|agent| agent.status() == RUNNING) {
            Some(agent) => {
                agent.stop();
                self.ends.notify_waiters();
                true
            }
            None => false,
        }
    }

    /// Returns whether none runs, and the model knows of all ends.
    pub fn is_idle(&self) -> bool {
        let is_over =
            |agent: &Arc<BackgroundAgent>| agent.status() != RUNNING && agent.is_told.load(Ordering::Relaxed);
        let are_commands = self.shells.upgrade().is_none_or(|shells| shells.is_idle());
        are_commands && lock(&self.agents).iter().all(is_over)
    }

    /// Ends all of them; the model is not told.
    pub fn stop_all(&self) {
        for agent in lock(&self.agents).iter().filter(|agent| agent.status() == RUNNING) {
            agent.mark_told();
            agent.stop();
        }
        self.ends.notify_waiters();
    }

    /// Returns how far each is, the oldest first.
    pub fn statuses(&self) -> Vec<BackgroundStatus> {
        let status = |agent: &Arc<BackgroundAgent>| BackgroundStatus {
            id: agent.id.clone(),
            command: agent.description.clone(),
            status: agent.status(),
            output: agent.answer(),
            printed: 0,
            elapsed: agent.progress.elapsed(),
            used: Some(agent.progress.used()),
        };
        let agents = lock(&self.agents);
        agents.iter().filter(|agent| agent.is_listed.load(Ordering::Relaxed)).map(status).collect()
    }

    /// Returns what a sub-agent said and did from one of these events on: its prompts, responses and results.
    pub fn events_from(&self, id: &str, first: usize) -> Vec<Event> {
        self.find(id).map(|agent| agent.progress.events_from(first)).unwrap_or_default()
    }

    /// Returns what those are for that still run.
    pub fn running(&self) -> Vec<String> {
        self.running_agents().iter().map(|agent| agent.description.clone()).collect()
    }

    pub(crate) fn running_agents(&self) -> Vec<Arc<BackgroundAgent>> {
        lock(&self.agents).iter().filter(|agent| agent.status() == RUNNING).cloned().collect()
    }
}

const RUNNING: &str = "running";

impl BackgroundAgent {
    /// Describes it to hooks.
    pub(crate) fn describe(&self, list: &mut ArrayWriter<'_>) {
        list.object(|entry| {
            entry.string("id", &self.id).string("type", "subagent").string("status", self.status());
            entry.string("description", &self.description).string("agent_type", &self.kind);
        });
    }

    /// `running`, `completed`, `failed` or `killed`.
    pub(super) fn status(&self) -> &'static str {
        match &*lock(&self.result) {
            _ if self.is_stopped.load(Ordering::Relaxed) => "killed",
            None => RUNNING,
            Some(Ok(_)) => "completed",
            Some(Err(_)) => "failed",
        }
    }

    /// Returns its answer, or why it has none; empty while it runs.
    pub(super) fn answer(&self) -> String {
        match &*lock(&self.result) {
            Some(Ok(done)) => done.answer.clone(),
            Some(Err(error)) => error.to_string(),
            None => String::new(),
        }
    }

    /// Notes that the model knows of its end, and returns whether it knew already.
    pub(super) fn mark_told(&self) -> bool {
        self.is_told.swap(true, Ordering::Relaxed)
    }

    /// Returns the call that it works for.
    pub(crate) fn call(&self) -> String {
        lock(&self.tool_use).clone()
    }

    /// Notes that it continues, for this call.
    fn revive(&self, call: &str) {
        call.clone_into(&mut lock(&self.tool_use));
        let before = lock(&self.result).take();
        if let (Some(before), false) = (before, self.is_told.load(Ordering::Relaxed)) {
            *lock(&self.untold) = Some(before.map_or_else(|error| error.to_string(), |done| done.answer));
        }
        self.progress.restart();
        self.is_stopped.store(false, Ordering::Relaxed);
        self.is_told.store(false, Ordering::Relaxed);
        self.is_listed.store(true, Ordering::Relaxed);
    }

    /// Interrupts it. It completes its file by itself.
    pub(super) fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
        self.messages.store(0, Ordering::Relaxed);
        let _ = self.commands.send(Command::Interrupt);
    }

    fn notification(&self) -> TaskNotification {
        let (status, name) = (self.status(), &self.description);
        let result = lock(&self.result).clone();
        let summary = match (status, &result) {
            ("failed", Some(Err(error))) => format!("Agent \"{name}\" failed: {error}"),
            ("killed", _) => format!("Agent \"{name}\" was stopped"),
            _ => format!("Agent \"{name}\" {status}"),
        };
        TaskNotification {
            agent: self.id.clone(),
            call: self.call(),
            status,
            summary,
            note: None,
            file: self.file.clone(),
            answer: result.and_then(Result::ok).filter(|_| status == "completed").map(|done| AgentAnswer {
                text: done.answer,
                tokens: done.tokens,
                tool_uses: done.tool_uses,
                millis: done.millis,
            }),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
