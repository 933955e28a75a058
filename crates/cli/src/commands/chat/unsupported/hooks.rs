//! Hooks in a settings file: which events have one.

use annals_json::{Fields, Value, ValueKind};

/// Events whose hooks decide whether a tool call runs.
const GUARDS: [&str; 2] = ["PreToolUse", "PermissionRequest"];

/// Returns whether hooks of this event decide about tool calls.
pub(super) fn is_guard(event: &str) -> bool {
    GUARDS.contains(&event)
}

/// Returns the events that have a hook. None if the file switches hooks off.
pub(super) fn events(settings: &Fields<'_>) -> Vec<String> {
    if settings.is_true("disableAllHooks") {
        return Vec::new();
    }
    let Some(hooks) = settings.object("hooks") else { return Vec::new() };
    let with_hooks = hooks.iter().filter(|event| has_hook(event.value));
    with_hooks.map(|event| event.key.decode().into_owned()).collect()
}

/// Returns whether an event has a hook. What is not understood counts: it may be a guard in a newer form.
fn has_hook(event: Value<'_>) -> bool {
    match event.kind() {
        ValueKind::Array => event.items().any(|group| match group.get("hooks") {
            Some(hooks) if hooks.kind() == ValueKind::Array => hooks.items().next().is_some(),
            _ => true,
        }),
        _ => !event.is_null(),
    }
}
