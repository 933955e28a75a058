//! Hooks before the calls of a response: those of calls that run side by side are told at the same time.

use annals_json::{ObjectWriter, object};

use super::super::agent::Agent;
use super::super::pending::PendingCall;
use super::super::wait::{BoundedTasks, Either, either};
use super::{CallVerdict, HookedDecision, announce, conditions};
use crate::api::call::RetryClock;
use crate::api::transport::Transport;
use crate::hooks::{HookCall, HookDecision, HookEvent, HookOutcome, hook_name, run};
use crate::protocol::{Commands, EventSink};

const EVENT: HookEvent = HookEvent::PreToolUse;

impl<T: Transport, S: RetryClock> Agent<'_, T, S> {
    /// Tells hooks that calls are about to run; `None` if the person interrupts.
    pub(in super::super) async fn before_calls(
        &mut self,
        calls: &[PendingCall],
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Option<Vec<CallVerdict>> {
        let outcomes = match either(self.tell_all(calls), commands.interrupt()).await {
            Either::First(outcomes) => outcomes,
            Either::Second(()) => return None,
        };
        let verdicts = calls.iter().zip(outcomes).map(|(call, outcome)| match outcome {
            Ok(outcome) => {
                announce(&outcome, report);
                self.verdict(call, outcome)
            }
            Err(verdict) => verdict,
        });
        Some(verdicts.collect())
    }

    /// Tells hooks of calls, all at the same time. A call that cannot be made has its verdict at once.
    async fn tell_all(&mut self, calls: &[PendingCall]) -> Vec<Result<HookOutcome, CallVerdict>> {
        let (scope, cwd) = (self.hook_scope(), self.hook_folder());
        let (mut told, mut places) = (Vec::new(), Vec::new());
        let mut outcomes: Vec<Result<HookOutcome, CallVerdict>> = Vec::new();
        for (place, call) in calls.iter().enumerate() {
            let wanted = match self.first_reading(call) {
                Ok(wanted) => wanted,
                Err(outcome) => {
                    outcomes.push(Err(CallVerdict::Invalid(outcome)));
                    continue;
                }
            };
            outcomes.push(Ok(HookOutcome::default()));
            if !self.hooks.has(EVENT) {
                continue;
            }
            let (tool, seen) = (self.canonical_name(&call.name), self.hook_input(call));
            let is_covered = |rule: &_| conditions::is_covered(rule, &wanted, &self.policy);
            let chosen = self.hooks.chosen(EVENT, &tool, is_covered);
            let input = scope.input(EVENT, |input: &mut ObjectWriter<'_>| {
                input.string("tool_name", &tool).raw("tool_input", &seen);
                input.string("tool_use_id", &call.id);
            });
            places.push(place);
            told.push((chosen, tool, input, call.id.as_str()));
        }
        let work = told.iter().map(|(chosen, tool, input, id)| {
            let call = HookCall { event: EVENT, input, value: tool, tool_use: Some(id), cwd: &cwd };
            Box::pin(run(chosen, call)) as _
        });
        let mut work = BoundedTasks::new(work.collect(), told.len());
        work.finish().await;
        for (place, outcome) in places.into_iter().zip(work.into_results()) {
            outcomes[place] = Ok(outcome.unwrap_or_default());
        }
        outcomes
    }

    /// Notes what hooks said about a call, and returns what follows from it.
    fn verdict(&mut self, call: &PendingCall, outcome: HookOutcome) -> CallVerdict {
        let tool = self.canonical_name(&call.name);
        let name = hook_name(EVENT, &tool);
        self.note(EVENT, &tool, &call.id, &outcome);
        self.hook_stop = self.hook_stop.take().or(outcome.stop);
        let denied = outcome.blocks.into_iter().next_back();
        match (denied, outcome.decision) {
            (Some(why), _) | (None, Some((HookDecision::Deny, why))) => {
                CallVerdict::Denied(format!("{name} hook error: {why}"))
            }
            (None, Some((HookDecision::Defer, _))) => CallVerdict::Deferred,
            (None, decision) => {
                CallVerdict::Continue { input: outcome.updated_input, decision: HookedDecision(decision) }
            }
        }
    }

    /// Notes that a call waits until the session is resumed.
    pub(in super::super) fn note_deferred(&mut self, call: &PendingCall) {
        let (tool, mode) = (self.canonical_name(&call.name), self.policy.mode.name());
        self.remarks.attachments.push(object(|attachment| {
            attachment.string("type", "hook_deferred_tool").string("toolUseID", &call.id);
            attachment.string("toolName", &tool).raw("toolInput", &call.input);
            attachment.string("hookName", "settings").string("hookEvent", EVENT.name());
            attachment.string("permissionMode", mode);
        }));
    }
}
