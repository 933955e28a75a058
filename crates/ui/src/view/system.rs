//! Items of system records.

use annals_json::{Fields, Items, Value};
use annals_transcript::record::{System, SystemKind};

use super::item::{Failure, HookRun, ItemBody, Note, NoteKind};
use super::text::{tag, value_text, without_tags};

/// The item of an event; `None` for those that belong to another item (compactions, durations).
pub(super) fn of_system(system: &System<'_>) -> Option<ItemBody> {
    let text = system.text().unwrap_or_default();
    match system.system_kind() {
        SystemKind::CompactBoundary | SystemKind::TurnDuration => None,
        SystemKind::ApiError => Some(ItemBody::Failure(failure(system))),
        SystemKind::StopHookSummary => Some(ItemBody::Hook(stop_hooks(system))),
        SystemKind::LocalCommand => Some(ItemBody::Note(local_command(&text))),
        SystemKind::ModelRefusalFallback => {
            let model = |text: Option<annals_json::Text<'_>>| text.map(|t| t.to_string()).unwrap_or_default();
            let change = format!("{} to {}", model(system.original_model()), model(system.fallback_model()));
            Some(notice(Some("model fallback"), if text.is_empty() { change } else { text }))
        }
        SystemKind::AwaySummary => Some(notice(Some("while you were away"), text)),
        SystemKind::MicrocompactBoundary => Some(notice(Some("old tool results cleared"), text)),
        SystemKind::BridgeStatus => {
            let url = system.url().map(|url| format!(" {url}")).unwrap_or_default();
            Some(notice(None, text + &url))
        }
        SystemKind::Informational | SystemKind::Plain => Some(notice(None, text)),
        _ => {
            let name = system.subtype().map(|name| name.to_string());
            let text = if text.is_empty() {
                String::from_utf8_lossy(system.fields().raw()).into_owned()
            } else {
                text
            };
            Some(notice(name.as_deref(), text))
        }
    }
}

fn notice(label: Option<&str>, text: String) -> ItemBody {
    ItemBody::Note(Note { kind: NoteKind::Notice, label: label.map(str::to_owned), text })
}

/// A command that the client answered itself.
pub(super) fn local_command(text: &str) -> Note {
    if let Some(name) = tag(text, "command-name") {
        let arguments = tag(text, "command-args").unwrap_or_default();
        let text = format!("{name} {arguments}").trim().to_owned();
        return Note { kind: NoteKind::Notice, label: Some("command".to_owned()), text };
    }
    Note { kind: NoteKind::CommandOutput, label: None, text: command_output(text) }
}

/// What a command printed, without the tags around it.
pub(super) fn command_output(text: &str) -> String {
    without_tags(text, &["local-command-stdout", "local-command-stderr", "bash-stdout", "bash-stderr"])
}

fn failure(system: &System<'_>) -> Failure {
    let error = system.error();
    let inner = |keys: &[&str]| -> Option<Value<'_>> {
        keys.iter().try_fold(error?, |value, key| value.get(key)).filter(|value| !value.is_null())
    };
    let message = inner(&["error", "error", "message"])
        .or_else(|| inner(&["error", "message"]))
        .or_else(|| inner(&["message"]))
        .or_else(|| inner(&["cause", "code"]))
        .or_else(|| inner(&["code"]));
    let cause = system.cause().and_then(|cause| cause.get("code")).map(value_text);
    Failure {
        message: message.map(value_text).or(cause).unwrap_or_else(|| "the request failed".to_owned()),
        status: inner(&["status"]).and_then(Value::count),
        attempt: system.retry_attempt().map(|attempt| (attempt, system.max_retries())),
        retry_in_ms: system.retry_in_ms().map(|millis| millis as u64),
    }
}

fn stop_hooks(system: &System<'_>) -> HookRun {
    let count = system.hook_count().unwrap_or(0);
    let list =
        |items: Option<Items<'_>>| -> Vec<String> { items.into_iter().flatten().map(value_text).collect() };
    let command = |fields: Fields<'_>| fields.text("command").map(|text| text.to_string());
    let commands: Vec<_> = system
        .hook_infos()
        .into_iter()
        .flatten()
        .filter_map(|info| info.fields().and_then(command))
        .collect();
    let errors = list(system.hook_errors());
    let stopped = system.prevented_continuation() == Some(true);
    let mut lines = errors.clone();
    lines.extend(system.stop_reason().filter(|reason| !reason.is_empty()).map(|reason| reason.to_string()));
    lines.extend(list(system.hook_additional_context()));
    if lines.is_empty() {
        lines = commands;
    }
    HookRun {
        name: format!("Stop ({})", crate::figures::counted(count as usize, "hook")),
        text: lines.join("\n"),
        is_error: stopped || !errors.is_empty(),
    }
}
