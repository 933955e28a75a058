//! Commands in the background: how each stands, what it printed, and what is told of its end.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use annals_sandbox::AbsenceWatch;

use super::group::CommandExit;
use super::sandboxed::moved_note;
use super::shells::StartedCommand;
use crate::protocol::TaskNotification;
use crate::tools::background::TaskClock;

/// How often the size of an output is checked.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

pub(in crate::tools) struct BackgroundCommand {
    pub(in crate::tools) id: String,
    pub(in crate::tools) command: String,
    /// What it does, if the model says so.
    pub(in crate::tools) description: Option<String>,
    /// The call that started it.
    pub(super) call: String,
    pub(super) started: StartedCommand,
    pub(super) clock: TaskClock,
    /// What is told of paths that it must not have created, once it has ended.
    pub(super) moved: Mutex<Option<String>>,
    /// The file with its last folder, which is removed unread.
    pub(super) note: Option<PathBuf>,
    pub(super) killed: Mutex<bool>,
    /// Whether the model knows that it ended.
    pub(super) is_told: AtomicBool,
}

impl Drop for BackgroundCommand {
    fn drop(&mut self) {
        if let Some(note) = &self.note {
            let _ = std::fs::remove_file(note);
        }
    }
}

/// How far a command or a sub-agent in the background is, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackgroundStatus {
    pub id: String,
    /// The command, or what the sub-agent is for.
    pub command: String,
    /// `running`, `completed`, `failed` or `killed`.
    pub status: &'static str,
    /// The end of what it has printed, or the answer.
    pub output: String,
    /// The bytes that it has printed in all.
    pub printed: u64,
    /// How long it runs, or ran.
    pub elapsed: Duration,
    /// What a sub-agent used: tool calls and the tokens that it wrote.
    pub used: Option<(u64, u64)>,
}

impl BackgroundCommand {
    pub(in crate::tools) fn ended(&self) -> Option<CommandExit> {
        self.started.group.ended()
    }

    /// `running`, `completed`, `failed` or `killed`.
    pub(in crate::tools) fn status(&self) -> &'static str {
        match self.ended() {
            _ if *self.killed.lock().unwrap_or_else(PoisonError::into_inner) => "killed",
            None => "running",
            Some(CommandExit::Code(0)) => "completed",
            Some(_) => "failed",
        }
    }

    /// Notes that the model knows of its end, and returns whether it knew already.
    pub(in crate::tools) fn mark_told(&self) -> bool {
        self.is_told.swap(true, Ordering::Relaxed)
    }

    /// Waits for its end.
    pub(in crate::tools) async fn wait(&self) {
        self.started.group.wait().await;
    }

    /// Whether it has ended, and nobody has ended it.
    pub(super) fn has_ended_by_itself(&self) -> bool {
        matches!(self.status(), "completed" | "failed")
    }

    /// Describes its end, as clients record it. What it printed is not in a file that the model may read.
    pub(super) fn notification(&self) -> TaskNotification {
        let name = self.description.as_deref().unwrap_or(&self.command);
        let code = self.ended().map_or(0, CommandExit::code);
        let ended = match code {
            0 => format!("Background command \"{name}\" completed (exit code 0)"),
            code => format!("Background command \"{name}\" failed with exit code {code}"),
        };
        let moved = self.check_absent().map(|moved| format!("\n{moved}")).unwrap_or_default();
        TaskNotification {
            agent: self.id.clone(),
            call: self.call.clone(),
            status: self.status(),
            summary: format!("{ended}{moved}"),
            note: Some("TaskOutput shows what it printed."),
            file: None,
            answer: None,
        }
    }

    pub(super) fn end_notice(&self) -> String {
        let code = self.ended().map(|ended| format!(", exit code {}", ended.code())).unwrap_or_default();
        let (id, status, command) = (&self.id, self.status(), &self.command);
        let notice = format!(
            "The background command {id} has ended ({status}{code}): {command}\nTaskOutput shows what it printed."
        );
        match self.check_absent() {
            Some(moved) => format!("{notice}\n{moved}"),
            None => notice,
        }
    }

    /// Renames what it must not have created, and returns what is told of it.
    pub(super) fn check_absent(&self) -> Option<String> {
        let mut told = self.moved.lock().unwrap_or_else(PoisonError::into_inner);
        let moved = self.started.absent.as_ref().map(AbsenceWatch::finish).unwrap_or_default();
        *told = moved_note(&moved).or(told.take());
        told.clone()
    }

    pub(in crate::tools) fn kill(&self) {
        self.mark_killed();
        self.started.group.end();
    }

    pub(super) fn mark_killed(&self) {
        *self.killed.lock().unwrap_or_else(PoisonError::into_inner) = true;
    }

    /// Returns the output so far: both ends of it if it has more bytes.
    pub(in crate::tools) fn printed(&self, max_bytes: usize) -> String {
        let mut text = self.started.output.ends(max_bytes);
        // An incomplete character waits for its rest.
        if self.ended().is_none() {
            text.truncate(text.trim_end_matches('\u{fffd}').len());
        }
        text
    }
}

/// Ends a command that prints too much; returns when the command is dropped.
pub(super) fn watch(task: &Weak<BackgroundCommand>, most: u64) {
    while let Some(task) = task.upgrade().filter(|task| task.ended().is_none()) {
        if task.started.output.size() > most {
            task.kill();
            task.clock.stop();
            return;
        }
        drop(task);
        thread::sleep(POLL_INTERVAL);
    }
    if let Some(task) = task.upgrade() {
        task.clock.stop();
        task.check_absent();
    }
}
