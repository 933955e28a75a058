//! What the program offers over the channel: hooks (`hook_callback`) and MCP servers (`mcp_message`).

use std::sync::Arc;
use std::time::Duration;

use annals_agent::hooks::{
    FailurePolicy, HookAnswer, HookCall, HookEvent, HookFailure, HookFuture, HookHandler, HookMatcher,
    HookOrigin, Hooks, RegisteredHook,
};
use annals_agent::mcp::{McpError, McpFuture, McpTransport};
use annals_json::Value;

use super::super::servers::ProgramTransports;
use super::channel::{ChannelError, ControlChannel};
use super::incoming::text;

/// How long a hook may take if it does not say.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(600);
/// The same at the end of a session.
const END_TIMEOUT: Duration = Duration::from_millis(1500);
/// The longest time of a hook, in seconds.
const MAX_SECONDS: f64 = 86_400.0;

/// A hook that the program runs.
struct CallbackHook {
    id: String,
    channel: ControlChannel,
}

impl HookHandler for CallbackHook {
    fn name(&self) -> &str {
        "callback"
    }

    fn run<'h>(&'h self, call: HookCall<'h>) -> HookFuture<'h> {
        Box::pin(async move {
            let asked = self.channel.request("hook_callback", |request| {
                request.string("callback_id", &self.id).raw("input", call.input);
                request.string_or_null("tool_use_id", call.tool_use);
            });
            match asked.await {
                Ok(answer) => {
                    HookAnswer::parse(call.event, &answer).map(Into::into).map_err(HookFailure::Failed)
                }
                Err(ChannelError::Remote(error)) => Err(HookFailure::Failed(error)),
                Err(ChannelError::Closed(why)) => Err(HookFailure::Unreachable(why)),
            }
        })
    }
}

/// Registers the hooks of an initialize request. Returns what cannot work, one line each.
pub(super) fn register(hooks: &Hooks, wanted: Value<'_>, channel: &ControlChannel) -> Vec<String> {
    let mut problems = Vec::new();
    let Some(events) = wanted.fields() else { return problems };
    for event in events.iter() {
        let name = event.key.to_string();
        let Some(known) = HookEvent::of_name(&name) else {
            problems.push(format!("hooks for {name} are never called here"));
            continue;
        };
        for group in event.value.items() {
            let matcher = HookMatcher::new(text(group, "matcher").as_deref());
            if let HookMatcher::Invalid(why) = &matcher {
                problems.push(format!("a hook for {name} matches nothing: {why}"));
            }
            let seconds = group.get("timeout").and_then(Value::number).filter(|seconds| *seconds > 0.0);
            // Nobody waits long for the end of a session.
            let usual = if known == HookEvent::SessionEnd { END_TIMEOUT } else { DEFAULT_TIMEOUT };
            let timeout = seconds.map_or(usual, |seconds| Duration::from_secs_f64(seconds.min(MAX_SECONDS)));
            let on_failure = match text(group, "onFailure").as_deref() {
                None | Some("continue") => FailurePolicy::Guard,
                Some(_) => FailurePolicy::Block,
            };
            for id in group.get("hookCallbackIds").into_iter().flat_map(Value::items).filter_map(Value::text)
            {
                let handler = CallbackHook { id: id.to_string(), channel: channel.clone() };
                hooks.register(RegisteredHook {
                    event: known,
                    matcher: matcher.clone(),
                    condition: None,
                    timeout,
                    on_failure,
                    origin: HookOrigin::Program,
                    once: None,
                    handler: Arc::new(handler),
                });
            }
        }
    }
    problems
}

/// The way to an MCP server that runs inside the program.
struct ProgramTransport {
    server: String,
    channel: ControlChannel,
}

impl McpTransport for ProgramTransport {
    fn send<'m>(&'m self, message: Vec<u8>) -> McpFuture<'m> {
        Box::pin(async move {
            let asked = self.channel.request("mcp_message", |request| {
                request.string("server_name", &self.server).raw("message", &message);
            });
            let answer = asked.await.map_err(|error| McpError::Unreachable(error.to_string()))?;
            let inner = Value::parse(&answer).ok().and_then(|answer| answer.get("mcp_response"));
            inner.map(|inner| inner.raw().to_vec()).ok_or(McpError::Malformed("it has no mcp_response"))
        })
    }
}

/// Returns the way to servers that run inside the program.
pub(super) fn transports(channel: &ControlChannel) -> ProgramTransports {
    let channel = channel.clone();
    Box::new(move |name| Arc::new(ProgramTransport { server: name.to_owned(), channel: channel.clone() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_are_registered_and_what_cannot_work_is_said() {
        let hooks = Hooks::default();
        let wanted = br#"{"PreToolUse":[{"matcher":"Bash","hookCallbackIds":["hook_0"],"timeout":5}],
            "Stop":[{"matcher":null,"hookCallbackIds":["hook_1","hook_2"],"onFailure":"block"}],
            "WorktreeCreate":[{"hookCallbackIds":["hook_3"]}],"PostToolUse":[{"matcher":"(","hookCallbackIds":["hook_4"]}]}"#;
        let problems = register(&hooks, Value::parse(wanted).unwrap(), &ControlChannel::default());
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(
            hooks.has(HookEvent::PreToolUse)
                && hooks.has(HookEvent::Stop)
                && !hooks.has(HookEvent::PreCompact)
        );
    }
}
