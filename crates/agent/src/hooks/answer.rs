//! The answer of one handler: JSON.

use annals_json::{Value, ValueKind};

use super::event::HookEvent;
use crate::protocol::PermitChanges;

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
    /// The call runs, with what the answer changes.
    Allow(PermitChanges),
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
    /// The title that the session gets.
    pub title: Option<String>,
}

/// Keys of an answer, and the type that each must have.
const TYPES: [(&str, ValueKind); 6] = [
    ("continue", ValueKind::Boolean),
    ("stopReason", ValueKind::String),
    ("suppressOutput", ValueKind::Boolean),
    ("systemMessage", ValueKind::String),
    ("reason", ValueKind::String),
    ("hookSpecificOutput", ValueKind::Object),
];

impl HookAnswer {
    /// Reads the answer to an event. What is no JSON object, is about another event, or has a decision that is not known, is an
    /// error.
    pub fn parse(event: HookEvent, json: &[u8]) -> Result<Self, String> {
        let value = Value::parse(json).map_err(|_| "the answer is not JSON".to_owned())?;
        if value.kind() != ValueKind::Object {
            return Err("the answer is not a JSON object".to_owned());
        }
        for (key, kind) in TYPES {
            if value.get(key).is_some_and(|found| !found.is_null() && found.kind() != kind) {
                return Err(format!("`{key}` has the wrong type"));
            }
        }
        let specific = value.get("hookSpecificOutput");
        if let Some(name) = specific.and_then(|specific| text(specific, "hookEventName"))
            && name != event.name()
        {
            return Err(format!("the answer is for {name:?}, not for {}", event.name()));
        }
        let inner =
            |key: &str| specific.and_then(|specific| specific.get(key)).filter(|value| !value.is_null());
        let mut answer = Self {
            reason: text(value, "reason"),
            context: inner("additionalContext").and_then(words),
            system_message: text(value, "systemMessage"),
            updated_input: inner("updatedInput").map(|input| input.raw().to_vec()),
            title: inner("sessionTitle").and_then(words).filter(|title| !title.trim().is_empty()),
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
            let mut changes =
                PermitChanges { input: input.map(|input| input.raw().to_vec()), ..PermitChanges::default() };
            let updates = decision.get("updatedPermissions").into_iter().flat_map(Value::items);
            updates.for_each(|update| changes.add_update(update));
            Ok(PermissionAnswer::Allow(changes))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_is_not_understood_is_an_error() {
        for wrong in [
            "",
            "7",
            "[]",
            r#"{"decision":"maybe"}"#,
            r#"{"continue":"no"}"#,
            r#"{"hookSpecificOutput":7}"#,
            r#"{"hookSpecificOutput":{"hookEventName":"Stop"}}"#,
            r#"{"hookSpecificOutput":{"permissionDecision":"perhaps"}}"#,
        ] {
            assert!(HookAnswer::parse(HookEvent::PreToolUse, wrong.as_bytes()).is_err(), "{wrong}");
        }
        let unknown = br#"{"mystery":1,"hookSpecificOutput":{"hookEventName":"PreToolUse"}}"#;
        assert_eq!(HookAnswer::parse(HookEvent::PreToolUse, unknown), Ok(HookAnswer::default()));
    }
}
