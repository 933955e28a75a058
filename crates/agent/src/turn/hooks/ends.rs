//! Hooks that only watch: a failed turn, waiting for the person, the end of the session.

use std::future::Future;
use std::time::Duration;

use annals_json::ObjectWriter;

use super::super::agent::Agent;
use super::{HookSubject, announce};
use crate::api::call::RetryClock;
use crate::api::transport::Transport;
use crate::hooks::{HookCall, HookEvent, run};
use crate::protocol::{Commands, EventSink, TurnError};

/// Why the client waits for the person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitReason<'w> {
    /// A question about a call of this tool is open.
    Permission(&'w str),
    /// The turn is over.
    Idle,
}

/// Why a session ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionExit {
    /// A new session follows.
    Clear,
    /// Another session follows.
    Resume,
    /// The person leaves.
    Prompt,
    /// Something else.
    Other,
}

impl SessionExit {
    /// Returns the name that hooks are told.
    pub fn name(self) -> &'static str {
        match self {
            Self::Clear => "clear",
            Self::Resume => "resume",
            Self::Prompt => "prompt_input_exit",
            Self::Other => "other",
        }
    }
}

impl<T: Transport, S: RetryClock> Agent<'_, T, S> {
    /// Tells hooks that a turn ended by a failed request.
    pub(in super::super) async fn after_failure(
        &mut self,
        error: &TurnError,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) {
        let event = HookEvent::StopFailure;
        if self.subagent.is_some() || !self.hooks.has(event) {
            return;
        }
        let (kind, words) = (error.kind(), format!("API Error: {error}"));
        let fill = |input: &mut ObjectWriter<'_>| {
            input.string("error", kind).string("last_assistant_message", &words);
        };
        // Whatever they say, the turn is over.
        let _ = self.tell(HookSubject::new(event, kind), fill, commands, report).await;
    }

    /// Returns work that tells hooks after a while that the client waits for the person; its result is what the person should see.
    pub fn notification(
        &self,
        reason: WaitReason<'_>,
        after: Duration,
    ) -> impl Future<Output = Vec<String>> + Send + use<T, S> {
        let event = HookEvent::Notification;
        let (kind, words) = match reason {
            WaitReason::Permission(tool) => {
                ("permission_prompt", format!("Permission is needed to use {tool}"))
            }
            WaitReason::Idle => ("idle_prompt", "The session is waiting for your input".to_owned()),
        };
        // Before the first turn nobody expects an answer.
        let is_due = self.has_started || reason != WaitReason::Idle;
        let chosen = is_due.then(|| self.hooks.chosen(event, kind, |_| false));
        let (hooks, cwd) = (chosen.unwrap_or_default(), self.hook_folder());
        let input = self.hook_scope().input(event, |input| {
            input.string("message", &words).string("notification_type", kind);
        });
        async move {
            if hooks.is_empty() {
                return std::future::pending().await;
            }
            tokio::time::sleep(after).await;
            run(&hooks, HookCall { event, input: &input, value: kind, tool_use: None, cwd: &cwd })
                .await
                .messages
        }
    }

    /// Tells hooks that the session ends, and waits for them.
    pub async fn end(&mut self, exit: SessionExit, report: &mut EventSink<'_>) {
        let event = HookEvent::SessionEnd;
        if !std::mem::take(&mut self.has_started) || !self.hooks.has(event) {
            return;
        }
        let (value, cwd) = (exit.name(), self.hook_folder());
        let hooks = self.hooks.chosen(event, value, |_| false);
        let input = self.hook_scope().input(event, |input| {
            input.string("reason", value);
        });
        let outcome = run(&hooks, HookCall { event, input: &input, value, tool_use: None, cwd: &cwd }).await;
        announce(&outcome, report);
    }
}
