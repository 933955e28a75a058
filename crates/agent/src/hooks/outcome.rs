//! The answers of all handlers of an event together.

use super::answer::{HookAnswer, HookDecision, PermissionAnswer};
use super::reply::HandlerReport;

/// The answers of all handlers of an event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookOutcome {
    /// What each handler did, in the order in which they ended.
    pub reports: Vec<HandlerReport>,
    /// The strongest decision about a call, and its reason.
    pub decision: Option<(HookDecision, String)>,
    /// The first decision about a permission request; a denial comes before all others.
    pub permission: Option<PermissionAnswer>,
    /// The reasons of handlers that block.
    pub blocks: Vec<String>,
    /// The input that the call gets instead.
    pub updated_input: Option<Vec<u8>>,
    /// The result that the call gets instead.
    pub updated_output: Option<Vec<u8>>,
    /// What the model is told.
    pub contexts: Vec<String>,
    /// What the person is told: messages, and handlers that failed.
    pub messages: Vec<String>,
    /// Why the turn ends; `None` if it continues.
    pub stop: Option<String>,
    /// The title that the session gets.
    pub title: Option<String>,
}

impl HookOutcome {
    /// Adds the answer of a handler.
    pub(super) fn add(&mut self, answer: HookAnswer) {
        let reason = answer.reason.unwrap_or_default();
        if let Some(decision) = answer.decision
            && self.decision.as_ref().is_none_or(|(known, _)| decision >= *known)
        {
            self.decision = Some((decision, reason.clone()));
        }
        if answer.is_block {
            self.blocks.push(reason);
        }
        let is_denied = matches!(self.permission, Some(PermissionAnswer::Deny { .. }));
        if answer.permission.is_some() && !is_denied {
            self.permission = answer.permission;
        }
        self.updated_input = answer.updated_input.or(self.updated_input.take());
        self.updated_output = answer.updated_output.or(self.updated_output.take());
        self.contexts.extend(answer.context.filter(|context| !context.is_empty()));
        self.stop = self.stop.take().or(answer.stop);
        self.title = answer.title.or(self.title.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hooks::HookEvent;

    fn merged(answers: &[&str]) -> HookOutcome {
        let mut outcome = HookOutcome::default();
        for answer in answers {
            outcome.add(HookAnswer::parse(HookEvent::PreToolUse, answer.as_bytes()).unwrap());
        }
        outcome
    }

    fn decision(name: &str) -> String {
        format!(
            r#"{{"hookSpecificOutput":{{"permissionDecision":"{name}","permissionDecisionReason":"{name}!"}}}}"#
        )
    }

    #[test]
    fn the_strongest_decision_holds() {
        for (names, strongest) in [
            (["allow", "deny"], HookDecision::Deny),
            (["deny", "allow"], HookDecision::Deny),
            (["ask", "defer"], HookDecision::Defer),
            (["allow", "ask"], HookDecision::Ask),
        ] {
            let outcome = merged(&names.map(decision).each_ref().map(String::as_str));
            assert_eq!(outcome.decision.map(|(decision, _)| decision), Some(strongest), "{names:?}");
        }
        assert_eq!(merged(&["{}", r#"{"continue":true}"#]), HookOutcome::default());
    }

    #[test]
    fn answers_add_up() {
        let outcome = merged(&[
            r#"{"decision":"block","reason":"no","hookSpecificOutput":{"additionalContext":"c"}}"#,
            r#"{"continue":false,"stopReason":"enough","hookSpecificOutput":{"updatedInput":{"a":1}}}"#,
        ]);
        assert_eq!((outcome.blocks, outcome.contexts), (vec!["no".to_owned()], vec!["c".to_owned()]));
        assert_eq!(outcome.stop, Some("enough".to_owned()));
        assert_eq!(outcome.updated_input.as_deref(), Some(&br#"{"a":1}"#[..]));
        let denied = merged(&[
            r#"{"hookSpecificOutput":{"decision":{"behavior":"deny","interrupt":true}}}"#,
            r#"{"hookSpecificOutput":{"decision":{"behavior":"allow"}}}"#,
        ]);
        assert_eq!(denied.permission, Some(PermissionAnswer::Deny { message: None, should_interrupt: true }));
    }
}
