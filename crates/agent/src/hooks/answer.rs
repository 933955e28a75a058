//! Answers of hooks: JSON of one handler, and the answers of all handlers of an event together.

use annals_json::{Value, ValueKind};

/// What a handler decides about a call; of several the strongest holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HookDecision {
    /// The call runs, unless a rule denies it.
    Allow,
    /// A person is asked.
    Ask,
    /// The call is left to be run later.
    Defer,
    /// The call does not run.
    Deny,
}

/// What a handler of [`PermissionRequest`](super::HookEvent::PermissionRequest) decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PermissionAnswer {
    /// The call runs, with this input if there is one.
    Allow(Option<Vec<u8>>),
    /// The call does not run.
    Deny {
        /// What the model is told.
        message: Option<String>,
        /// Whether the turn ends.
        should_interrupt: bool,
    },
}

/// The answer of one handler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookAnswer {
    /// The decision about a call, and its reason.
    pub decision: Option<HookDecision>,
    /// Why it decides or blocks.
    pub reason: Option<String>,
    /// Whether it blocks what the event is about.
    pub is_block: bool,
    /// The decision about a permission request.
    pub permission: Option<PermissionAnswer>,
    /// The input that the call gets instead.
    pub updated_input: Option<Vec<u8>>,
    /// The result that the call gets instead.
    pub updated_output: Option<Vec<u8>>,
    /// What the model is told.
    pub context: Option<String>,
    /// What the person is told.
    pub system_message: Option<String>,
    /// Why the turn ends; `None` if it continues.
    pub stop: Option<String>,
}

impl HookAnswer {
    /// Reads an answer. What is no JSON object, or has a decision that is not known, is an error.
    pub fn parse(json: &[u8]) -> Result<Self, String> {
        let value = Value::parse(json).map_err(|_| "the answer is not JSON".to_owned())?;
        if value.kind() != ValueKind::Object {
            return Err("the answer is not a JSON object".to_owned());
        }
        let specific = value.get("hookSpecificOutput");
        let inner =
            |key: &str| specific.and_then(|specific| specific.get(key)).filter(|value| !value.is_null());
        let mut answer = Self {
            reason: text(value, "reason"),
            context: inner("additionalContext").and_then(words),
            system_message: text(value, "systemMessage"),
            updated_input: inner("updatedInput").map(|input| input.raw().to_vec()),
            ..Self::default()
        };
        let output = inner("updatedToolOutput").or_else(|| inner("updatedMCPToolOutput"));
        answer.updated_output = output.map(|output| output.raw().to_vec());
        if value.get("continue").and_then(Value::boolean) == Some(false) {
            answer.stop = Some(text(value, "stopReason").unwrap_or_default());
        }
        match text(value, "decision").as_deref() {
            None => {}
            Some("block") => answer.is_block = true,
            Some("approve") => answer.decision = Some(HookDecision::Allow),
            Some(other) => return Err(format!("unknown decision {other:?}")),
        }
        if let Some(decision) = inner("permissionDecision").and_then(words) {
            answer.decision = Some(decision_of(&decision)?);
            answer.reason = inner("permissionDecisionReason").and_then(words).or(answer.reason);
        }
        answer.permission = inner("decision").map(permission).transpose()?;
        Ok(answer)
    }
}

fn decision_of(name: &str) -> Result<HookDecision, String> {
    match name {
        "allow" => Ok(HookDecision::Allow),
        "deny" => Ok(HookDecision::Deny),
        "ask" => Ok(HookDecision::Ask),
        "defer" => Ok(HookDecision::Defer),
        other => Err(format!("unknown decision {other:?}")),
    }
}

fn permission(decision: Value<'_>) -> Result<PermissionAnswer, String> {
    match text(decision, "behavior").as_deref() {
        Some("allow") => {
            let input = decision.get("updatedInput").filter(|input| !input.is_null());
            Ok(PermissionAnswer::Allow(input.map(|input| input.raw().to_vec())))
        }
        Some("deny") => Ok(PermissionAnswer::Deny {
            message: text(decision, "message"),
            should_interrupt: decision.get("interrupt").and_then(Value::boolean) == Some(true),
        }),
        other => Err(format!("unknown decision {other:?}")),
    }
}

fn text(value: Value<'_>, key: &str) -> Option<String> {
    value.get(key).and_then(words)
}

fn words(value: Value<'_>) -> Option<String> {
    value.text().map(|text| text.to_string())
}

/// The answers of all handlers of an event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookOutcome {
    /// How many handlers were asked.
    pub handlers: usize,
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
        self.messages.extend(answer.system_message.filter(|message| !message.is_empty()));
        self.stop = self.stop.take().or(answer.stop);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(answers: &[&str]) -> HookOutcome {
        let mut outcome = HookOutcome::default();
        for answer in answers {
            outcome.add(HookAnswer::parse(answer.as_bytes()).unwrap());
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
            r#"{"decision":"block","reason":"no","systemMessage":"m","hookSpecificOutput":{"additionalContext":"c"}}"#,
            r#"{"continue":false,"stopReason":"enough","hookSpecificOutput":{"updatedInput":{"a":1}}}"#,
        ]);
        assert_eq!((outcome.blocks, outcome.contexts), (vec!["no".to_owned()], vec!["c".to_owned()]));
        assert_eq!((outcome.messages, outcome.stop), (vec!["m".to_owned()], Some("enough".to_owned())));
        assert_eq!(outcome.updated_input.as_deref(), Some(&br#"{"a":1}"#[..]));
        let denied = merged(&[
            r#"{"hookSpecificOutput":{"decision":{"behavior":"deny","interrupt":true}}}"#,
            r#"{"hookSpecificOutput":{"decision":{"behavior":"allow"}}}"#,
        ]);
        assert_eq!(denied.permission, Some(PermissionAnswer::Deny { message: None, should_interrupt: true }));
    }

    #[test]
    fn an_answer_that_is_not_understood_is_an_error() {
        for wrong in ["", "7", "[]", r#"{"decision":"maybe"}"#, &decision("perhaps")] {
            assert!(HookAnswer::parse(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }
}
