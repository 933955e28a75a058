//! Hooks of a turn: what they are told, and what follows from their answers.

mod records;
mod turns;

use annals_json::ObjectWriter;
use annals_policy::{Decision, Mode, Reason};
use annals_store::session::AppendError;
use annals_transcript::draft::Draft;

use super::agent::Agent;
use super::approve::is_ask_rule;
use super::pending::PendingCall;
use super::wait::{Either, either};
use crate::api::call::RetryClock;
use crate::api::transport::Transport;
use crate::hooks::{HookCall, HookDecision, HookEvent, HookOutcome, HookScope, PermissionAnswer, hook_name};
use crate::protocol::{Commands, Event, EventSink, Notice, PermissionRequest, Permit, PermitChanges};
use crate::tools::Outcome;
pub(super) use records::CallRemarks;
use records::{remarks, replaced, rule_suggestion, shown_text};

/// What hooks are told of.
struct HookSubject<'v> {
    event: HookEvent,
    /// What matchers look at.
    value: &'v str,
    tool_use: Option<&'v str>,
}

impl<'v> HookSubject<'v> {
    fn new(event: HookEvent, value: &'v str) -> Self {
        Self { event, value, tool_use: None }
    }

    fn of_call(event: HookEvent, call: &'v PendingCall) -> Self {
        Self { event, value: &call.name, tool_use: Some(&call.id) }
    }
}

/// What hooks say about a call.
pub(super) enum CallVerdict {
    /// The call does not run; this is its result.
    Denied(String),
    /// The rules decide, about this input if it was changed.
    Continue { input: Option<Vec<u8>>, decision: HookedDecision },
}

/// The decision of hooks, beside that of the rules.
#[derive(Default)]
pub(super) struct HookedDecision(Option<(HookDecision, String)>);

impl HookedDecision {
    /// A hook can allow what would be asked, and ask about what would be allowed. Rules that deny or ask stay, and so does
    /// plan mode.
    pub(super) fn apply(self, decision: Decision) -> Decision {
        match (self.0, decision) {
            (Some((HookDecision::Allow, why)), Decision::Ask { because, suggestions }) => {
                let is_fixed =
                    is_ask_rule(&because) || matches!(because, Reason::Plan | Reason::Mode(Mode::Plan));
                if is_fixed {
                    Decision::Ask { because, suggestions }
                } else {
                    Decision::allow(Reason::Hook(why))
                }
            }
            (Some((HookDecision::Ask, why)), Decision::Allow { .. } | Decision::Ask { .. }) => {
                Decision::ask(Reason::Hook(why))
            }
            (_, decision) => decision,
        }
    }
}

impl<T: Transport, S: RetryClock> Agent<'_, T, S> {
    fn hook_scope(&self) -> HookScope {
        let folder = self.contexts().first().map(|context| context.current());
        let folder = folder.unwrap_or_else(|| self.conversation.cwd().to_path_buf());
        HookScope {
            session: self.conversation.session().to_owned(),
            transcript: self.conversation.transcript_path().display().to_string(),
            cwd: folder.display().to_string(),
            mode: self.policy.mode.name(),
            agent: self.subagent.clone(),
        }
    }

    /// Tells hooks of an event; `None` if the person interrupts.
    async fn tell(
        &mut self,
        HookSubject { event, value, tool_use }: HookSubject<'_>,
        fill: impl FnOnce(&mut ObjectWriter<'_>),
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Option<HookOutcome> {
        if !self.hooks.has(event) {
            return Some(HookOutcome::default());
        }
        let input = self.hook_scope().input(event, fill);
        let call = HookCall { event, input: &input, tool_use };
        let outcome = match either(self.hooks.run(call, value), commands.interrupt()).await {
            Either::First(outcome) => outcome,
            Either::Second(()) => return None,
        };
        for message in &outcome.messages {
            report(Event::Notice(Notice::Hook(message.clone())));
        }
        Some(outcome)
    }

    /// Tells hooks that a call is about to run.
    pub(super) async fn before_call(
        &mut self,
        call: &PendingCall,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Option<CallVerdict> {
        let fill = |input: &mut ObjectWriter<'_>| {
            input.string("tool_name", &call.name).raw("tool_input", &call.input);
            input.string("tool_use_id", &call.id);
        };
        let subject = HookSubject::of_call(HookEvent::PreToolUse, call);
        let outcome = self.tell(subject, fill, commands, report).await?;
        let name = hook_name(HookEvent::PreToolUse, &call.name);
        self.remarks.extend(remarks(HookEvent::PreToolUse, &call.name, &call.id, &outcome));
        self.hook_stop = self.hook_stop.take().or(outcome.stop);
        let denied = outcome.blocks.into_iter().next_back();
        Some(match (denied, outcome.decision) {
            (Some(why), _) | (None, Some((HookDecision::Deny, why))) => {
                CallVerdict::Denied(format!("{name} hook error: {why}"))
            }
            (None, Some((HookDecision::Defer, _))) => CallVerdict::Denied(format!(
                "{name} hook error: it defers the call, which is not supported here, so the call was not run"
            )),
            (None, decision) => {
                CallVerdict::Continue { input: outcome.updated_input, decision: HookedDecision(decision) }
            }
        })
    }

    /// Tells hooks that a person would be asked; `Some(None)` if they leave it to the person.
    pub(super) async fn before_question(
        &mut self,
        question: &PermissionRequest,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Option<Option<Permit>> {
        let fill = |input: &mut ObjectWriter<'_>| {
            input.string("tool_name", &question.tool).raw("tool_input", &question.input);
            input.array("permission_suggestions", |list| {
                for rule in &question.suggestions {
                    list.object(|entry| rule_suggestion(entry, rule));
                }
            });
        };
        let subject = HookSubject::new(HookEvent::PermissionRequest, &question.tool);
        let outcome = self.tell(subject, fill, commands, report).await?;
        Some(outcome.permission.map(|answer| match answer {
            PermissionAnswer::Allow(input) => {
                Permit::AllowChanged(PermitChanges { input, ..PermitChanges::default() })
            }
            PermissionAnswer::Deny { message, should_interrupt } => Permit::Reject {
                message: message.unwrap_or_else(|| "a hook denied it".to_owned()),
                should_interrupt,
            },
        }))
    }

    /// Tells hooks of the outcome of a call that ran; they may replace it. `None` if the person interrupts.
    pub(super) async fn after_call(
        &mut self,
        call: &PendingCall,
        outcome: Outcome,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Option<Outcome> {
        let event = if outcome.is_error { HookEvent::PostToolUseFailure } else { HookEvent::PostToolUse };
        let error = shown_text(&outcome);
        let fill = |input: &mut ObjectWriter<'_>| {
            input.string("tool_name", &call.name).raw("tool_input", &call.input);
            if event == HookEvent::PostToolUseFailure {
                input.string("tool_use_id", &call.id).string("error", &error).boolean("is_interrupt", false);
                return;
            }
            match outcome.kept.is_empty() {
                true => input.string("tool_response", &error),
                false => input.raw("tool_response", &outcome.kept),
            };
            input.string("tool_use_id", &call.id);
        };
        let answered = self.tell(HookSubject::of_call(event, call), fill, commands, report).await?;
        self.remarks.extend(remarks(event, &call.name, &call.id, &answered));
        self.hook_stop = self.hook_stop.take().or(answered.stop);
        Some(match answered.updated_output.filter(|_| event == HookEvent::PostToolUse) {
            Some(output) => replaced(&output, outcome),
            None => outcome,
        })
    }

    /// Writes what hooks said about the calls, behind their results.
    pub(super) fn append_remarks(&mut self) -> Result<(), AppendError> {
        for attachment in std::mem::take(&mut self.remarks).attachments {
            self.conversation.append(Draft::attachment(&attachment))?;
            self.conversation.mark_stale();
        }
        Ok(())
    }
}
