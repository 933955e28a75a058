//! What hooks said, as records of the session; and results that they replace.

use annals_json::{ObjectWriter, Value, ValueKind, object};

use crate::hooks::{HookEvent, HookOutcome, hook_name};
use crate::tools::{Outcome, ToolContent};

/// What hooks add after a call.
#[derive(Default)]
pub(in super::super) struct CallRemarks {
    pub(super) attachments: Vec<Vec<u8>>,
}

impl CallRemarks {
    pub(super) fn extend(&mut self, other: Self) {
        self.attachments.extend(other.attachments);
    }
}

/// Returns the records of what hooks said.
pub(super) fn remarks(event: HookEvent, value: &str, tool_use: &str, outcome: &HookOutcome) -> CallRemarks {
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
pub(super) fn rule_suggestion(entry: &mut ObjectWriter<'_>, rule: &str) {
    let (tool, content) = rule.split_once('(').unwrap_or((rule, ""));
    entry.string("type", "addRules").array("rules", |list| {
        list.object(|entry| {
            entry.string("toolName", tool);
            entry.string_if("ruleContent", content.strip_suffix(')'));
        });
    });
    entry.string("behavior", "allow").string("destination", "localSettings");
}

pub(super) fn shown_text(outcome: &Outcome) -> String {
    match &outcome.shown {
        ToolContent::Text(text) => text.clone(),
        ToolContent::Blocks(blocks) => {
            let text = |block: &Vec<u8>| Some(Value::parse(block).ok()?.get("text")?.text()?.to_string());
            blocks.iter().filter_map(text).collect::<Vec<_>>().join("\n")
        }
    }
}

/// Returns the outcome with another result: a text, content blocks, or any JSON.
pub(super) fn replaced(output: &[u8], before: Outcome) -> Outcome {
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
