//! Hooks of a turn: what they are told, and what follows from their answers.

use annals_json::{ObjectWriter, Value, ValueKind, object};
use annals_policy::{Decision, Mode, Reason};
use annals_store::session::AppendError;
use annals_store::source::new_uuid;
use annals_transcript::draft::{CompactionTrigger, Draft, PromptContent};

use super::agent::Agent;
use super::approve::is_ask_rule;
use super::pending::PendingCall;
use super::state::{Step, TurnState};
use super::wait::{Either, either};
use crate::api::call::RetryClock;
use crate::api::request::Role;
use crate::api::transport::Transport;
use crate::conversation::Grouping;
use crate::hooks::{HookCall, HookDecision, HookEvent, HookOutcome, HookScope, PermissionAnswer, hook_name};
use crate::protocol::{
    Commands, Event, EventSink, Notice, PermissionRequest, Permit, PermitChanges, Prompt, TerminalReason,
    TurnEnd, TurnError,
};
use crate::tools::{Outcome, ToolContent};

/// How often hooks may keep a turn from ending.
const MAX_STOP_BLOCKS: u32 = 8;
/// How often the model is asked for the output of the schema.
const MAX_OUTPUT_REQUESTS: u32 = 5;

const OUTPUT_REQUEST: &str =
    "You MUST call the StructuredOutput tool to complete this request. Call this tool now.";

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

/// What hooks add after a call.
#[derive(Default)]
pub(super) struct CallRemarks {
    attachments: Vec<Vec<u8>>,
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

    /// Tells hooks of an event; `None` if the person interrupts. `value` is what matchers look at.
    async fn tell(
        &mut self,
        event: HookEvent,
        value: &str,
        tool_use: Option<&str>,
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
        let outcome =
            self.tell(HookEvent::PreToolUse, &call.name, Some(&call.id), fill, commands, report).await?;
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
        let event = HookEvent::PermissionRequest;
        let outcome = self.tell(event, &question.tool, None, fill, commands, report).await?;
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
        let answered = self.tell(event, &call.name, Some(&call.id), fill, commands, report).await?;
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

    /// Tells hooks that the conversation, or a sub-agent, starts. What they say comes before the prompt or behind it.
    pub(super) async fn at_start(
        &mut self,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Result<Option<CallRemarks>, AppendError> {
        if std::mem::replace(&mut self.has_started, true) {
            return Ok(Some(CallRemarks::default()));
        }
        let (event, value) = match &self.subagent {
            Some((_, kind)) => (HookEvent::SubagentStart, kind.clone()),
            None if self.conversation.is_open() => (HookEvent::SessionStart, "resume".to_owned()),
            None => (HookEvent::SessionStart, "startup".to_owned()),
        };
        let fill = |input: &mut ObjectWriter<'_>| {
            if event == HookEvent::SessionStart {
                input.string("source", &value);
            }
        };
        let Some(outcome) = self.tell(event, &value, None, fill, commands, report).await else {
            return Ok(None);
        };
        Ok(Some(remarks(event, &value, event.name(), &outcome)))
    }

    /// Tells hooks of a prompt. `Ok(None)` if the person interrupts, an error if the prompt is refused.
    pub(super) async fn before_prompt(
        &mut self,
        prompt: &Prompt,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Option<Result<CallRemarks, TurnEnd>> {
        if !self.conversation.is_main() {
            return Some(Ok(CallRemarks::default()));
        }
        let event = HookEvent::UserPromptSubmit;
        let text = prompt.text();
        let fill = |input: &mut ObjectWriter<'_>| {
            input.string("prompt", &text);
        };
        let outcome = self.tell(event, "", None, fill, commands, report).await?;
        if let Some(why) = outcome.blocks.last().or(outcome.stop.as_ref()) {
            return Some(Err(TurnEnd::PromptBlocked(why.clone())));
        }
        let id = format!("hook-{}", new_uuid(self.conversation.store().source));
        Some(Ok(remarks(event, "", &id, &outcome)))
    }

    /// Writes what hooks said.
    pub(super) fn append_hook_lines(&mut self, remarks: CallRemarks) -> Result<(), AppendError> {
        self.remarks.extend(remarks);
        self.append_remarks()
    }

    /// Tells hooks that a turn is about to end. They may keep it going, and so may an output that is missing.
    pub(super) async fn before_end(
        &mut self,
        state: &mut TurnState,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Result<Step, TurnError> {
        let is_missing = self.structured.as_ref().is_some_and(|slot| !slot.is_filled());
        if is_missing && state.output_requests < MAX_OUTPUT_REQUESTS {
            state.output_requests += 1;
            return self.go_on(OUTPUT_REQUEST);
        }
        let is_main = self.subagent.is_none();
        let event = if is_main { HookEvent::Stop } else { HookEvent::SubagentStop };
        let value = self.subagent.as_ref().map(|(_, kind)| kind.clone()).unwrap_or_default();
        let (is_active, text) = (state.stop_blocks > 0, state.finished.text.clone());
        let fill = |input: &mut ObjectWriter<'_>| {
            input.boolean("stop_hook_active", is_active).string("last_assistant_message", &text);
            input.array("background_tasks", |_| {}).array("session_crons", |_| {});
        };
        let Some(outcome) = self.tell(event, &value, None, fill, commands, report).await else {
            return self.stop(report);
        };
        if let Some(why) = outcome.stop {
            state.finished.reason = TerminalReason::StopHookPrevented;
            report(Event::Notice(Notice::Hook(format!("a hook ended the turn: {why}"))));
            return Ok(Step::End(TurnEnd::Done));
        }
        let feedback: Vec<String> = outcome.blocks.into_iter().chain(outcome.contexts).collect();
        if feedback.is_empty() {
            return Ok(Step::End(TurnEnd::Done));
        }
        if state.stop_blocks == MAX_STOP_BLOCKS {
            let why = format!("hooks kept the turn from ending {MAX_STOP_BLOCKS} times; it ends now");
            report(Event::Notice(Notice::Hook(why)));
            return Ok(Step::End(TurnEnd::Done));
        }
        state.stop_blocks += 1;
        self.go_on(&format!("{} hook feedback:\n{}", event.name(), feedback.join("\n")))
    }

    /// Continues a turn that was about to end.
    fn go_on(&mut self, words: &str) -> Result<Step, TurnError> {
        let draft = Draft::meta_prompt(PromptContent::Text(words));
        self.conversation.append_and_send(draft, Role::User, Grouping::NewMessage)?;
        Ok(Step::Request)
    }

    /// Tells hooks of a compaction; the reason if they prevent it. `None` if the person interrupts.
    pub(super) async fn before_compaction(
        &mut self,
        trigger: CompactionTrigger,
        focus: Option<&str>,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Option<Result<(), String>> {
        let fill = |input: &mut ObjectWriter<'_>| {
            input.string("trigger", trigger.name()).string_or_null("custom_instructions", focus);
        };
        let outcome = self.tell(HookEvent::PreCompact, trigger.name(), None, fill, commands, report).await?;
        let blocked = outcome.blocks.into_iter().next_back().or(outcome.stop);
        Some(blocked.map_or(Ok(()), |why| Err(format!("a hook prevented it: {why}"))))
    }
}

impl CallRemarks {
    fn extend(&mut self, other: Self) {
        self.attachments.extend(other.attachments);
    }
}

/// Returns the records of what hooks said.
fn remarks(event: HookEvent, value: &str, tool_use: &str, outcome: &HookOutcome) -> CallRemarks {
    let name = hook_name(event, value);
    let common = |attachment: &mut ObjectWriter<'_>| {
        attachment.string("hookName", &name).string("toolUseID", tool_use).string("hookEvent", event.name());
    };
    let mut attachments = Vec::new();
    if !outcome.contexts.is_empty() {
        attachments.push(object(|attachment| {
            attachment.string("type", "hook_additional_context").array("content", |list| {
                for context in &outcome.contexts {
                    list.string(context);
                }
            });
            common(attachment);
        }));
    }
    let is_after = matches!(event, HookEvent::PostToolUse | HookEvent::PostToolUseFailure);
    for why in outcome.blocks.iter().filter(|_| is_after) {
        attachments.push(object(|attachment| {
            attachment.string("type", "hook_blocking_error");
            common(attachment);
            attachment.object("blockingError", |error| {
                error.string("blockingError", why).string("command", "callback");
            });
        }));
    }
    if let Some(why) = &outcome.stop {
        attachments.push(object(|attachment| {
            attachment.string("type", "hook_stopped_continuation").string("message", why);
            common(attachment);
        }));
    }
    CallRemarks { attachments }
}

/// Writes a rule as a suggestion.
fn rule_suggestion(entry: &mut ObjectWriter<'_>, rule: &str) {
    let (tool, content) = rule.split_once('(').unwrap_or((rule, ""));
    entry.string("type", "addRules").array("rules", |list| {
        list.object(|entry| {
            entry.string("toolName", tool);
            entry.string_if("ruleContent", content.strip_suffix(')'));
        });
    });
    entry.string("behavior", "allow").string("destination", "localSettings");
}

fn shown_text(outcome: &Outcome) -> String {
    match &outcome.shown {
        ToolContent::Text(text) => text.clone(),
        ToolContent::Blocks(blocks) => {
            let text = |block: &Vec<u8>| Some(Value::parse(block).ok()?.get("text")?.text()?.to_string());
            blocks.iter().filter_map(text).collect::<Vec<_>>().join("\n")
        }
    }
}

/// Returns the outcome with another result: a text, content blocks, or any JSON.
fn replaced(output: &[u8], before: Outcome) -> Outcome {
    let Ok(value) = Value::parse(output) else { return before };
    let is_block = |item: Value<'_>| item.get("type").and_then(Value::text).is_some();
    let shown = match (value.text(), value.kind()) {
        (Some(text), _) => ToolContent::Text(text.to_string()),
        (None, ValueKind::Array) if value.items().all(is_block) => {
            ToolContent::Blocks(value.items().map(|item| item.raw().to_vec()).collect())
        }
        _ => ToolContent::Text(String::from_utf8_lossy(output).into_owned()),
    };
    Outcome { shown, kept: value.raw().to_vec(), ..before }
}
