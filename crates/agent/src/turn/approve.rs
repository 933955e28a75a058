//! Approval of tool calls: hooks, rules, mode and the person decide whether a call runs.

use std::path::{Path, PathBuf};

use annals_json::{RawJson, Value};
use annals_policy::paths::resolve;
use annals_policy::rules::{RuleList, Rules};
use annals_policy::{Decision, Mode, Policy, Reason};
use annals_store::source::new_uuid;

use super::agent::Agent;
use super::hooks::{CallVerdict, HookedDecision, WaitReason};
use super::pending::PendingCall;
use super::wait::{Either, either};
use crate::api::call::RetryClock;
use crate::api::transport::Transport;
use crate::protocol::{
    Approver, Commands, Denial, Event, EventSink, Grants, Notice, PermissionRequest, Permit, PermitChanges,
};
use crate::tools::{Outcome, Tool, ToolContent, ToolRequest, unknown_parameter};

/// The decision about a call.
pub(super) enum Approval {
    /// The call runs.
    Run(ApprovedCall),
    /// A plan was approved: the call runs, and plan mode ends.
    LeavePlan(ApprovedCall),
    Resolved(Outcome),
    /// The call waits until the session is resumed.
    Deferred,
    Interrupted,
}

/// What an approved call runs with.
#[derive(Default)]
pub(super) struct ApprovedCall {
    /// The file that its path resolves to now.
    path: Option<PathBuf>,
    /// The input, if it was changed.
    input: Option<Vec<u8>>,
    /// Why it runs.
    because: String,
    /// The mode that an answer has set, which holds in place of the one before plan mode.
    mode: Option<Mode>,
}

/// Decides about calls as the conversation does: by rules, mode and what the person has granted.
pub struct CallDecider<'a> {
    policy: Policy<'a>,
    grants: Grants,
}

impl CallDecider<'_> {
    /// Decides about a call, without hooks and without asking.
    pub fn decide(&self, wanted: &ToolRequest) -> Decision {
        let rules = self.grants.merged(self.policy.rules);
        wanted.decide(&Policy { rules: &rules, ..self.policy })
    }

    /// Returns the rules of all sources, without those that were granted meanwhile.
    pub fn rules(&self) -> &Rules {
        self.policy.rules
    }

    /// Returns the permission mode.
    pub fn mode(&self) -> Mode {
        self.policy.mode
    }

    /// Decides in another permission mode from now on.
    pub fn set_mode(&mut self, mode: Mode) {
        self.policy.mode = mode;
    }
}

impl Approval {
    pub(super) fn agreed(&self) -> Option<&Path> {
        match self {
            Self::Run(call) | Self::LeavePlan(call) => call.path.as_deref(),
            Self::Resolved(_) | Self::Deferred | Self::Interrupted => None,
        }
    }

    /// Returns the input, if it was changed.
    pub(super) fn input(&self) -> Option<&[u8]> {
        match self {
            Self::Run(call) | Self::LeavePlan(call) => call.input.as_deref(),
            _ => None,
        }
    }

    /// Returns why the call runs.
    pub(super) fn because(&self) -> &str {
        match self {
            Self::Run(call) | Self::LeavePlan(call) => &call.because,
            _ => "",
        }
    }

    /// Returns the mode that the answer has set.
    pub(super) fn mode(&self) -> Option<Mode> {
        match self {
            Self::Run(call) | Self::LeavePlan(call) => call.mode,
            _ => None,
        }
    }

    pub(super) fn is_run(&self) -> bool {
        matches!(self, Self::Run(_) | Self::LeavePlan(_))
    }
}

impl<'a, T: Transport, S: RetryClock> Agent<'a, T, S> {
    /// Resolves the path of a call as the tools do.
    pub(super) fn resolve_path(&self, path: &str) -> Option<PathBuf> {
        let workspace = self.policy.workspace;
        let full = match (path.strip_prefix("~/"), workspace.home()) {
            (Some(below), Some(home)) => home.join(below),
            _ => PathBuf::from(path),
        };
        resolve(self.policy.files, workspace.working(), &full).ok().map(|resolved| resolved.real)
    }

    /// Returns what a call would do before hooks are told of it, or its result if it cannot be made.
    pub(super) fn first_reading(&self, call: &PendingCall) -> Result<ToolRequest, Outcome> {
        match &call.not_run_reason {
            Some(why) => Err(wrong(why)),
            None => self.read_call(&call.name, &call.input),
        }
    }

    /// Decides whether a call runs that is made by itself.
    pub(super) async fn approve_alone(
        &mut self,
        call: &PendingCall,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Approval {
        let verdicts = self.before_calls(std::slice::from_ref(call), commands, report).await;
        match verdicts.and_then(|mut verdicts| verdicts.pop()) {
            Some(verdict) => self.approve(call, verdict, commands, report).await,
            None => Approval::Interrupted,
        }
    }

    /// Decides whether a call runs, after hooks were told of it.
    pub(super) async fn approve(
        &mut self,
        call: &PendingCall,
        verdict: CallVerdict,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Approval {
        let (input, hooked) = match verdict {
            CallVerdict::Invalid(outcome) => return Approval::Resolved(outcome),
            CallVerdict::Denied(why) => return self.deny(call, why.clone(), &why, report),
            CallVerdict::Deferred => {
                let why = "a hook tried to defer a call that cannot be deferred; the rules decide".to_owned();
                report(Event::Notice(Notice::Hook(why)));
                (None, HookedDecision::default())
            }
            CallVerdict::Continue { input, decision } => (input, decision),
        };
        let wanted = match self.read_call(&call.name, input.as_deref().unwrap_or(&call.input)) {
            Ok(wanted) => wanted,
            Err(outcome) => return Approval::Resolved(outcome),
        };
        match self.with_question(call, hooked.apply(self.decide(&wanted))) {
            Decision::Allow { because } => Approval::Run(self.approved(&wanted, input, because.to_string())),
            Decision::Deny { because } => self.refuse(call, &because.to_string(), report),
            Decision::Ask { because, suggestions } => {
                let question = PermissionRequest {
                    id: new_uuid(self.conversation.store().source),
                    call: call.id.clone(),
                    tool: call.name.clone(),
                    input: input.clone().unwrap_or_else(|| call.input.clone()),
                    why: because.to_string(),
                    suggestions,
                    path: wanted.path().and_then(|path| self.resolve_path(path)),
                    agent: self.label.clone(),
                };
                match self.ask(call, &question, because, commands, report).await {
                    Ok(answer) => self.obey(call, &wanted, question.input, answer, report),
                    Err(approval) => approval,
                }
            }
        }
    }

    /// Asks hooks and then the person about a call, and returns who answered what; without an answer there is an outcome.
    async fn ask(
        &mut self,
        call: &PendingCall,
        question: &PermissionRequest,
        because: Reason,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Result<(&'static str, Permit), Approval> {
        let by_hook = match self.before_question(question, commands, report).await {
            Some(by_hook) => by_hook,
            None => return Err(Approval::Interrupted),
        };
        match (by_hook, self.turn_config.approver) {
            (Some(permit), _) => Ok(("a hook", permit)),
            (None, Approver::Nobody) => {
                if let Some(tool) = self.permission_tool.clone() {
                    return match either(tool.ask(question), commands.interrupt()).await {
                        Either::First(permit) => Ok(("the program that is asked", permit)),
                        Either::Second(()) => Err(Approval::Interrupted),
                    };
                }
                let denied = Decision::Ask { because, suggestions: Vec::new() }.headless();
                let why = match denied {
                    Decision::Deny { because } => because.to_string(),
                    _ => "nobody can be asked".to_owned(),
                };
                Err(self.refuse(call, &why, report))
            }
            (None, Approver::Person) => {
                report(Event::PermissionRequested(question.clone()));
                let told = self.notification(WaitReason::Permission(&call.name), self.notify_after);
                let permit = match either(commands.permit(&question.id), told).await {
                    Either::First(permit) => permit,
                    Either::Second(messages) => {
                        for message in messages {
                            report(Event::Notice(Notice::Hook(message)));
                        }
                        commands.permit(&question.id).await
                    }
                };
                permit.map(|permit| ("you", permit)).ok_or_else(|| {
                    report(Event::PermissionWithdrawn(question.id.clone()));
                    Approval::Interrupted
                })
            }
        }
    }

    /// Does what the answer to a permission request says.
    fn obey(
        &mut self,
        call: &PendingCall,
        wanted: &ToolRequest,
        input: Vec<u8>,
        (who, permit): (&str, Permit),
        report: &mut EventSink<'_>,
    ) -> Approval {
        let because = format!("{who} answered: {}", permit.in_words());
        let changes = match permit {
            Permit::Allow => PermitChanges::default(),
            Permit::AllowAlways(rules) => {
                self.grants.add(&rules);
                PermitChanges::default()
            }
            Permit::AllowChanged(changes) => changes,
            Permit::Deny(said) => {
                let why = said.unwrap_or_else(|| "the user declined".to_owned());
                return self.refuse(call, &why, report);
            }
            Permit::Reject { message, should_interrupt } => {
                let denied = self.deny(call, message.clone(), &message, report);
                return if should_interrupt { Approval::Interrupted } else { denied };
            }
            Permit::Fail(why) => return Approval::Resolved(failed(&why)),
        };
        self.grants.add_all(&changes.rules);
        if let Some(mode) = changes.mode {
            self.set_mode(mode);
        }
        let changed = changes.input.filter(|changed| *changed != input);
        let Some(changed) = changed else {
            let input = Some(input).filter(|input| *input != call.input);
            return self.agreed_to(wanted, input, because, changes.mode);
        };
        // The one who changes the input has seen it; what a rule denies stays denied.
        match self.read_call(&call.name, &changed) {
            Err(outcome) => Approval::Resolved(outcome),
            Ok(wanted) => match self.decide(&wanted) {
                Decision::Deny { because } => self.refuse(call, &because.to_string(), report),
                _ => self.agreed_to(&wanted, Some(changed), because, changes.mode),
            },
        }
    }

    /// What the person has agreed to.
    fn agreed_to(
        &self,
        wanted: &ToolRequest,
        input: Option<Vec<u8>>,
        because: String,
        mode: Option<Mode>,
    ) -> Approval {
        let call = ApprovedCall { mode, ..self.approved(wanted, input, because) };
        if *wanted == ToolRequest::Plan { Approval::LeavePlan(call) } else { Approval::Run(call) }
    }

    /// Returns what a call with this input would do, or its result if it cannot be made.
    pub(super) fn read_call(&self, name: &str, input: &[u8]) -> Result<ToolRequest, Outcome> {
        let Some(tool) = self.tool(name) else { return Err(wrong(&format!("No such tool: {name:?}."))) };
        let fields = Value::parse(input).ok().and_then(Value::fields);
        let Some(fields) = fields else { return Err(wrong("The input must be a JSON object.")) };
        if let Some(name) = unknown_parameter(&tool.spec(), &fields) {
            return Err(wrong(&format!("An unexpected parameter `{name}` was provided.")));
        }
        tool.call(&fields).map_err(|error| wrong(&error.to_string()))
    }

    /// Some tools ask a person about every call.
    fn with_question(&self, call: &PendingCall, decision: Decision) -> Decision {
        match decision {
            Decision::Allow { .. } if self.tool(&call.name).is_some_and(Tool::must_ask) => {
                Decision::ask(Reason::NotCovered(call.name.clone()))
            }
            decision => decision,
        }
    }

    /// Decides about a call by rules, mode and what the person has granted, without hooks and without asking.
    pub fn decide(&self, wanted: &ToolRequest) -> Decision {
        self.decider().decide(wanted)
    }

    /// Returns what decides about calls while a turn runs.
    pub fn decider(&self) -> CallDecider<'a> {
        CallDecider { policy: Policy { ..self.policy }, grants: self.grants.clone() }
    }

    /// Lets a call run that rules allow without a question; `None` for any other. Hooks are not told.
    pub(super) fn approve_unasked(&self, call: &PendingCall) -> Option<Approval> {
        let wanted = self.read_call(&call.name, &call.input).ok()?;
        let Decision::Allow { because } = self.decide(&wanted) else { return None };
        Some(Approval::Run(self.approved(&wanted, None, because.to_string())))
    }

    /// The decision holds for the resolved file: a link that changes in between is not followed.
    fn approved(&self, wanted: &ToolRequest, input: Option<Vec<u8>>, because: String) -> ApprovedCall {
        let path = wanted.path().and_then(|path| self.resolve_path(path));
        ApprovedCall { path, input, because, mode: None }
    }

    /// Denies a call for this reason.
    fn refuse(&self, call: &PendingCall, why: &str, report: &mut EventSink<'_>) -> Approval {
        let said = format!("Permission to use {} was denied: {why}.", call.name);
        self.deny(call, why.to_owned(), &said, report)
    }

    /// Denies a call with this result.
    fn deny(&self, call: &PendingCall, why: String, said: &str, report: &mut EventSink<'_>) -> Approval {
        let input = call.input.clone();
        report(Event::Denied(Denial { call: call.id.clone(), tool: call.name.clone(), input, why }));
        Approval::Resolved(failed(said))
    }
}

/// Returns whether a rule says that the person is asked.
pub(super) fn is_ask_rule(because: &Reason) -> bool {
    matches!(because, Reason::Rule { list: RuleList::Ask, .. } | Reason::MayMatch { list: RuleList::Ask, .. })
}

pub(super) fn failed(why: &str) -> Outcome {
    let kept = RawJson::string(&format!("Error: {why}")).raw().to_vec();
    Outcome { shown: ToolContent::Text(why.to_owned()), is_error: true, kept, ..Outcome::default() }
}

/// Builds the result of an invalid call.
fn wrong(why: &str) -> Outcome {
    let kept = RawJson::string(&format!("Error: {why}")).raw().to_vec();
    let shown = ToolContent::Text(format!("<tool_use_error>{why}</tool_use_error>"));
    Outcome { shown, is_error: true, kept, ..Outcome::default() }
}
