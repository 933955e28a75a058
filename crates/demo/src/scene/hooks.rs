//! Hooks of the newer clients, which leave attachments.

use crate::actor::Actor;
use crate::response::Place;

/// What runs when a session starts.
pub(super) fn session_start(a: &mut Actor) {
    let id = a.script.random.uuid();
    a.script.attach("hook_success", None, |o| {
        o.string("hookName", "SessionStart:startup").string("toolUseID", id.as_str());
        o.string("hookEvent", "SessionStart").string("content", "").string("stdout", "standards loaded\n");
        o.string("stderr", "").raw("exitCode", b"0").string("command", "./tools/standards.sh");
        o.raw("durationMs", b"243");
    });
    a.script.attach("hook_additional_context", None, |o| {
        o.raw("content", br#"["Money is kept in cents."]"#).string("hookName", "SessionStart");
        o.string("toolUseID", id.as_str()).string("hookEvent", "SessionStart");
    });
    a.script.attach("hook_system_message", None, |o| {
        o.string("content", "House standards apply in this session.")
            .string("hookName", "SessionStart:startup");
        o.string("toolUseID", id.as_str()).string("hookEvent", "SessionStart");
    });
}

/// An edit whose hooks have something to say: one is content, one fails, one refuses.
pub(super) fn around_edit(a: &mut Actor) {
    let tool = a.edit();
    let mut response = a.script.response(a.model, 200, "tool_use");
    let called = a.script.call(&mut response, Place::Last, &tool);
    let result = a.script.answer(&called, &tool);
    a.script.parent = Some(called.line);
    a.script.attach("hook_success", None, |o| {
        o.string("hookName", "PostToolUse:Edit")
            .string("toolUseID", &called.id)
            .string("hookEvent", "PostToolUse");
        o.string("content", "").string("stdout", "").string("stderr", "").raw("exitCode", b"0");
        o.string("command", "npx prettier --write").raw("durationMs", b"412");
    });
    a.script.parent = Some(result);
    a.script.attach("hook_non_blocking_error", None, |o| {
        o.string("hookName", "PostToolUse:Edit")
            .string("toolUseID", &called.id)
            .string("hookEvent", "PostToolUse");
        o.string("stderr", "size report: no baseline").string("stdout", "").raw("exitCode", b"1");
        o.string("command", "./tools/size.sh").raw("durationMs", b"75");
    });
    a.script.attach("hook_blocking_error", None, |o| {
        o.string("hookEvent", "PostToolUse")
            .string("hookName", "PostToolUse:Edit")
            .string("toolUseID", &called.id);
        o.object("blockingError", |e| {
            e.string("blockingError", "lint: unused import").string("command", "npm run lint");
        });
    });
}
