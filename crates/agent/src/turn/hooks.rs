//! Hooks of a turn: what they are told, and what follows from their answers.
//!
//! | module | owns |
//! |---|---|
//! | `turns`, `stop` | the start, the prompt, the end, a compaction |
//! | `before` | calls that are about to run |
//! | `calls` | results, batches of calls, a changed folder |
//! | `ends` | what hooks only watch |
//! | `conditions`, `input` | which calls a hook is told of, and what it sees of them |
//! | `records` | what hooks did, as records of the session |

mod before;
mod calls;
mod conditions;
mod ends;
mod input;
mod records;
mod stop;
mod turns;

use std::path::PathBuf;

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
use crate::hooks::{
    HookCall, HookDecision, HookEvent, HookOutcome, HookScope, PermissionAnswer, hook_name, run,
};
use crate::protocol::{Commands, Event, EventSink, Notice, PermissionRequest, Permit, UsageStorage};
use crate::tools::{Outcome, ToolRequest};
pub(super) use calls::AnsweredCall;
pub use ends::{SessionExit, WaitReason};
pub(super) use records::CallRemarks;
use records::{RecordSubject, rule_suggestion};

/// What hooks are told of.
pub(super) struct HookSubject<'v> {
    event: HookEvent,
    /// What matchers look at.
    value: &'v str,
    tool_use: Option<&'v str>,
    /// What the call would do, for conditions.
    wanted: Option<&'v ToolRequest>,
}

impl<'v> HookSubject<'v> {
    pub(super) fn new(event: HookEvent, value: &'v str) -> Self {
        Self { event, value, tool_use: None, wanted: None }
    }
}

/// What hooks say about a call.
pub(super) enum CallVerdict {
    /// The call cannot be made, and no hook was told of it; this is its result.
    Invalid(Outcome),
    /// The call does not run; this is its result.
    Denied(String),
    /// The call is left to be run later.
    Deferred,
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
    /// Returns the folder in which commands start.
    pub(super) fn hook_folder(&self) -> PathBuf {
        let folder = self.contexts().first().map(|context| context.current());
        let folder = folder.filter(|folder| folder.is_dir());
        folder.unwrap_or_else(|| self.conversation.cwd().to_path_buf())
    }

    pub(super) fn hook_scope(&self) -> HookScope {
        HookScope {
            session: self.conversation.session().to_owned(),
            transcript: self.conversation.session_path().display().to_string(),
            cwd: self.hook_folder().display().to_string(),
            prompt: self.prompt_id.clone(),
            mode: self.policy.mode.name(),
            agent: self.subagent.clone(),
            effort: self.turn_config.effort.map(|effort| effort.name()),
        }
    }

    /// Returns the name of a tool, whatever older name the model used.
    fn canonical_name(&self, name: &str) -> String {
        self.tool(name).map_or_else(|| name.to_owned(), |tool| tool.spec().name)
    }

    /// Returns the input of a call as hooks see it.
    fn hook_input(&self, call: &PendingCall) -> Vec<u8> {
        input::normal(&self.canonical_name(&call.name), &call.input, &self.hook_folder())
    }

    /// Tells hooks of an event; `None` if the person interrupts.
    pub(super) async fn tell(
        &mut self,
        HookSubject { event, value, tool_use, wanted }: HookSubject<'_>,
        fill: impl FnOnce(&mut ObjectWriter<'_>),
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Option<HookOutcome> {
        if !self.hooks.has(event) {
            return Some(HookOutcome::default());
        }
        let chosen = self.hooks.chosen(event, value, |rule| {
            wanted.is_some_and(|wanted| conditions::is_covered(rule, wanted, &self.policy))
        });
        let (input, cwd) = (self.hook_scope().input(event, fill), self.hook_folder());
        let call = HookCall { event, input: &input, value, tool_use, cwd: &cwd };
        let outcome = match either(run(&chosen, call), commands.interrupt()).await {
            Either::First(outcome) => outcome,
            Either::Second(()) => return None,
        };
        announce(&outcome, report);
        Some(outcome)
    }

    /// Notes what hooks did, until it is written.
    fn note(&mut self, event: HookEvent, value: &str, id: &str, outcome: &HookOutcome) {
        let folder = self.conversation.overflow_folder();
        let subject = RecordSubject { event, value, id, folder: folder.as_deref() };
        self.remarks.extend(subject.remarks(outcome));
    }

    /// Tells hooks that a person would be asked; `Some(None)` if they leave it to the person.
    pub(super) async fn before_question(
        &mut self,
        question: &PermissionRequest,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Option<Option<Permit>> {
        let (event, tool) = (HookEvent::PermissionRequest, self.canonical_name(&question.tool));
        if !self.hooks.has(event) {
            return Some(None);
        }
        let wanted = self.read_call(&question.tool, &question.input).ok();
        let seen = input::normal(&tool, &question.input, &self.hook_folder());
        let fill = |input: &mut ObjectWriter<'_>| {
            input.string("tool_name", &tool).raw("tool_input", &seen);
            input.array("permission_suggestions", |list| {
                for rule in &question.suggestions {
                    list.object(|entry| rule_suggestion(entry, rule));
                }
            });
        };
        let subject = HookSubject { event, value: &tool, tool_use: None, wanted: wanted.as_ref() };
        let outcome = self.tell(subject, fill, commands, report).await?;
        self.note(event, &tool, &question.call, &outcome);
        if let Some(answer) = &outcome.permission {
            let decision = if matches!(answer, PermissionAnswer::Allow(_)) { "allow" } else { "deny" };
            self.remarks.attachments.push(annals_json::object(|attachment| {
                attachment.string("type", "hook_permission_decision").string("decision", decision);
                attachment.string("toolUseID", &question.call).string("hookEvent", event.name());
            }));
        }
        Some(outcome.permission.map(|answer| match answer {
            PermissionAnswer::Allow(changes) => Permit::AllowChanged(changes),
            PermissionAnswer::Deny { message, should_interrupt } => Permit::Reject {
                message: message.unwrap_or_else(|| "a hook denied it".to_owned()),
                should_interrupt,
            },
        }))
    }

    /// Adds what hooks said that run in the background.
    fn note_late(&mut self) {
        if self.subagent.is_some() {
            return;
        }
        let folder = self.conversation.overflow_folder();
        for late in self.hooks.late().take() {
            let id = late.tool_use.clone().unwrap_or_else(|| format!("async_hook_{}", late.process));
            let subject =
                RecordSubject { event: late.event, value: &late.value, id: &id, folder: folder.as_deref() };
            self.remarks.attachments.extend(subject.late(&late));
            let name = hook_name(late.event, &late.value);
            let said = late.reply.answer.system_message.map(|message| format!("{name} says: {message}"));
            let fault = late
                .reply
                .fault
                .map(|fault| format!("the {name} hook {:?} failed: {}", late.name, fault.why()));
            for words in said.into_iter().chain(fault) {
                self.conversation.add_notice(Notice::Hook(words));
            }
        }
    }

    /// Writes what hooks said about the calls, behind their results.
    pub(super) fn append_remarks(&mut self) -> Result<(), AppendError> {
        self.note_late();
        let CallRemarks { attachments, title } = std::mem::take(&mut self.remarks);
        for attachment in attachments {
            self.conversation.append(Draft::attachment(&attachment))?;
            self.conversation.mark_stale();
        }
        match title {
            Some(title) => self.conversation.append_metadata(Draft::custom_title(&title)),
            None => Ok(()),
        }
    }
}

/// Reports what hooks say to the person, and what they cost.
fn announce(outcome: &HookOutcome, report: &mut EventSink<'_>) {
    for message in &outcome.messages {
        report(Event::Notice(Notice::Hook(message.clone())));
    }
    let replies = outcome.reports.iter().filter_map(|done| done.result.as_ref().ok());
    for (model, usage) in replies.flat_map(|reply| &reply.usage) {
        let (model, usage) = (model.clone(), usage.clone());
        report(Event::Usage { model, usage, storage: UsageStorage::None });
    }
}
