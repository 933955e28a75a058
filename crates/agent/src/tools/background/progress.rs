//! How far a task in the background is: how long it takes and, of a sub-agent, what it said and did.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::protocol::Event;

/// How long a task takes.
#[derive(Clone, Debug)]
pub(crate) struct TaskClock {
    began: Instant,
    ended: OnceLock<Instant>,
}

impl TaskClock {
    pub(crate) fn start() -> Self {
        Self { began: Instant::now(), ended: OnceLock::new() }
    }

    /// Notes that the task has ended.
    pub(crate) fn stop(&self) {
        let _ = self.ended.set(Instant::now());
    }

    pub(crate) fn elapsed(&self) -> Duration {
        let now = self.ended.get().copied().unwrap_or_else(Instant::now);
        now.duration_since(self.began)
    }
}

/// What a sub-agent in the background did so far.
#[derive(Debug)]
pub(crate) struct AgentProgress {
    clock: Mutex<TaskClock>,
    /// Prompts, responses and results, in order.
    events: Mutex<Vec<Event>>,
    tool_uses: AtomicU64,
    tokens: AtomicU64,
}

impl AgentProgress {
    pub(crate) fn start() -> Self {
        let clock = Mutex::new(TaskClock::start());
        Self { clock, events: Mutex::default(), tool_uses: AtomicU64::new(0), tokens: AtomicU64::new(0) }
    }

    /// Starts the clock again: it continues with a message.
    pub(crate) fn restart(&self) {
        *lock(&self.clock) = TaskClock::start();
    }

    /// Notes that it has ended.
    pub(crate) fn stop(&self) {
        lock(&self.clock).stop();
    }

    /// Notes what it does.
    pub(crate) fn add(&self, event: &Event) {
        match event {
            Event::Prompted(_) | Event::Replied(_) => {}
            Event::ToolDone { .. } => drop(self.tool_uses.fetch_add(1, Ordering::Relaxed)),
            Event::Usage { usage, .. } => {
                self.tokens.fetch_add(usage.output(), Ordering::Relaxed);
                return;
            }
            _ => return,
        }
        lock(&self.events).push(event.clone());
    }

    pub(crate) fn elapsed(&self) -> Duration {
        lock(&self.clock).elapsed()
    }

    /// Returns tool calls, and the tokens that it wrote.
    pub(crate) fn used(&self) -> (u64, u64) {
        (self.tool_uses.load(Ordering::Relaxed), self.tokens.load(Ordering::Relaxed))
    }

    /// Returns what it did, from one event on.
    pub(crate) fn events_from(&self, first: usize) -> Vec<Event> {
        lock(&self.events).iter().skip(first).cloned().collect()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
