//! Hooks after the calls of a response: what each of them did, the whole batch, a changed folder.

use std::path::Path;

use annals_json::{ObjectWriter, RawJson};
use annals_store::source::new_uuid;

use super::super::agent::Agent;
use super::super::pending::PendingCall;
use super::HookSubject;
use super::records::{replaced, shown_text};
use crate::api::call::RetryClock;
use crate::api::transport::Transport;
use crate::hooks::HookEvent;
use crate::protocol::{Commands, EventSink};
use crate::tools::{Outcome, ToolContent};

/// A call with its result, as the whole batch is told.
pub(in super::super) struct AnsweredCall {
    pub(in super::super) call: PendingCall,
    /// The content of the result: JSON.
    pub(in super::super) content: Vec<u8>,
}

impl AnsweredCall {
    pub(in super::super) fn new(call: &PendingCall, outcome: &Outcome) -> Self {
        let content = match &outcome.shown {
            ToolContent::Text(text) => RawJson::string(text).raw().to_vec(),
            ToolContent::Blocks(blocks) => [b"[", &blocks.join(&b","[..])[..], b"]"].concat(),
        };
        Self { call: call.clone(), content }
    }
}

impl<T: Transport, S: RetryClock> Agent<'_, T, S> {
    /// Tells hooks of the outcome of a call that ran; they may replace it. `None` if the person interrupts.
    pub(in super::super) async fn after_call(
        &mut self,
        (call, millis): (&PendingCall, u64),
        outcome: Outcome,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Option<Outcome> {
        let event = if outcome.is_error { HookEvent::PostToolUseFailure } else { HookEvent::PostToolUse };
        if !self.hooks.has(event) {
            return Some(outcome);
        }
        let (name, wanted) = (self.canonical_name(&call.name), self.read_call(&call.name, &call.input).ok());
        let (error, seen) = (shown_text(&outcome), self.hook_input(call));
        let fill = |input: &mut ObjectWriter<'_>| {
            input.string("tool_name", &name).raw("tool_input", &seen);
            if event == HookEvent::PostToolUseFailure {
                input.string("tool_use_id", &call.id).string("error", &error).boolean("is_interrupt", false);
            } else {
                match outcome.kept.is_empty() {
                    true => input.string("tool_response", &error),
                    false => input.raw("tool_response", &outcome.kept),
                };
                input.string("tool_use_id", &call.id);
            }
            input.number("duration_ms", millis);
        };
        let subject = HookSubject { event, value: &name, tool_use: Some(&call.id), wanted: wanted.as_ref() };
        let answered = self.tell(subject, fill, commands, report).await?;
        self.note(event, &name, &call.id, &answered);
        self.hook_stop = self.hook_stop.take().or(answered.stop);
        Some(match answered.updated_output.filter(|_| event == HookEvent::PostToolUse) {
            Some(output) => replaced(&output, outcome),
            None => outcome,
        })
    }

    /// Tells hooks that all calls of a response have their results. They may end the turn.
    pub(in super::super) async fn after_batch(
        &mut self,
        calls: &[AnsweredCall],
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Option<()> {
        let event = HookEvent::PostToolBatch;
        if !self.hooks.has(event) {
            return Some(());
        }
        let inputs: Vec<_> = calls.iter().map(|answered| self.hook_input(&answered.call)).collect();
        let fill = |input: &mut ObjectWriter<'_>| {
            input.array("tool_calls", |list| {
                for (AnsweredCall { call, content }, seen) in calls.iter().zip(&inputs) {
                    list.object(|entry| {
                        entry.string("tool_name", &call.name).raw("tool_input", seen);
                        entry.string("tool_use_id", &call.id).raw("tool_response", content);
                    });
                }
            });
        };
        let mut outcome = self.tell(HookSubject::new(event, ""), fill, commands, report).await?;
        let id = format!("hook-{}", new_uuid(self.conversation.store().source));
        outcome.stop = outcome.stop.take().or(outcome.blocks.last().cloned());
        self.note(event, "", &id, &outcome);
        self.hook_stop = self.hook_stop.take().or(outcome.stop);
        Some(())
    }

    /// Tells hooks that commands start in another folder from now on.
    pub(in super::super) async fn after_move(
        &mut self,
        before: &Path,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Option<()> {
        let (event, now) = (HookEvent::CwdChanged, self.hook_folder());
        if now == before || !self.hooks.has(event) {
            return Some(());
        }
        let fill = |input: &mut ObjectWriter<'_>| {
            input.string("old_cwd", &before.display().to_string());
            input.string("new_cwd", &now.display().to_string());
        };
        self.tell(HookSubject::new(event, ""), fill, commands, report).await.map(drop)
    }
}
