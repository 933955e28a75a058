//! Approval of tool calls: rules, mode and the person decide whether a call runs.

use std::path::{Path, PathBuf};

use annals_json::{RawJson, Value};
use annals_policy::paths::resolve;
use annals_policy::{Decision, Policy};
use annals_store::source::new_uuid;

use super::agent::Agent;
use super::pending::PendingCall;
use crate::api::call::RetryClock;
use crate::api::transport::Transport;
use crate::protocol::{Approver, Commands, Denial, Event, EventSink, PermissionRequest, Permit};
use crate::tools::{Outcome, ToolContent, ToolRequest, unknown_parameter};

/// The decision about a call.
pub(super) enum Approval {
    /// The call runs, on the file that its path resolves to now.
    Run(Option<PathBuf>),
    /// A plan was approved: the call runs, and plan mode ends.
    LeavePlan,
    Resolved(Outcome),
    Interrupted,
}

impl Approval {
    pub(super) fn agreed(&self) -> Option<&Path> {
        match self {
            Self::Run(agreed) => agreed.as_deref(),
            Self::LeavePlan | Self::Resolved(_) | Self::Interrupted => None,
        }
    }
}

impl<T: Transport, S: RetryClock> Agent<'_, T, S> {
    /// Resolves the path of a call as the tools do.
    pub(super) fn resolve_path(&self, path: &str) -> Option<PathBuf> {
        let workspace = self.policy.workspace;
        let full = match (path.strip_prefix("~/"), workspace.home()) {
            (Some(below), Some(home)) => home.join(below),
            _ => PathBuf::from(path),
        };
        resolve(self.policy.files, workspace.working(), &full).ok().map(|resolved| resolved.real)
    }

    /// Decides whether a call runs.
    pub(super) async fn approve(
        &mut self,
        call: &PendingCall,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Approval {
        if let Some(why) = &call.not_run_reason {
            return Approval::Resolved(wrong(why));
        }
        let Some(tool) = self.tool(&call.name) else {
            return Approval::Resolved(wrong(&format!("No such tool: {:?}.", call.name)));
        };
        let fields = Value::parse(&call.input).ok().and_then(Value::fields);
        let Some(fields) = fields else {
            return Approval::Resolved(wrong("The input must be a JSON object."));
        };
        if let Some(name) = unknown_parameter(&tool.spec(), &fields) {
            return Approval::Resolved(wrong(&format!("An unexpected parameter `{name}` was provided.")));
        }
        let wanted = match tool.call(&fields) {
            Ok(wanted) => wanted,
            Err(error) => return Approval::Resolved(wrong(&error.to_string())),
        };
        // The decision holds for the resolved file: a link that changes in between is not followed.
        let agreed = wanted.path().and_then(|path| self.resolve_path(path));
        let rules = self.grants.merged(self.policy.rules);
        let decision = wanted.decide(&Policy { rules: &rules, ..self.policy });
        let decision = match self.turn_config.approver {
            Approver::Nobody => decision.headless(),
            Approver::Person => decision,
        };
        let why = match decision {
            Decision::Allow { .. } => return Approval::Run(agreed),
            Decision::Deny { because } => because.to_string(),
            Decision::Ask { because, suggestions } => {
                let id = new_uuid(self.conversation.store().source);
                let question = PermissionRequest {
                    id: id.clone(),
                    call: call.id.clone(),
                    tool: call.name.clone(),
                    input: call.input.clone(),
                    why: because.to_string(),
                    suggestions,
                };
                report(Event::PermissionRequested(question));
                match commands.permit(&id).await {
                    Some(Permit::Allow) if wanted == ToolRequest::Plan => return Approval::LeavePlan,
                    Some(Permit::Allow) => return Approval::Run(agreed),
                    Some(Permit::AllowAlways(rules)) => {
                        self.grants.add(&rules);
                        return Approval::Run(agreed);
                    }
                    Some(Permit::Deny(said)) => said.unwrap_or_else(|| "the user declined".to_owned()),
                    None => return Approval::Interrupted,
                }
            }
        };
        let denied = format!("Permission to use {} was denied: {why}.", call.name);
        report(Event::Denied(Denial {
            call: call.id.clone(),
            tool: call.name.clone(),
            input: call.input.clone(),
            why,
        }));
        Approval::Resolved(failed(&denied))
    }
}

pub(super) fn failed(why: &str) -> Outcome {
    let kept = RawJson::string(&format!("Error: {why}")).raw().to_vec();
    Outcome { shown: ToolContent::Text(why.to_owned()), is_error: true, kept, changed: Vec::new() }
}

/// Builds the result of an invalid call.
fn wrong(why: &str) -> Outcome {
    let kept = RawJson::string(&format!("Error: {why}")).raw().to_vec();
    let shown = ToolContent::Text(format!("<tool_use_error>{why}</tool_use_error>"));
    Outcome { shown, is_error: true, kept, changed: Vec::new() }
}
