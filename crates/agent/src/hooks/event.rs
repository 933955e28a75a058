//! The events that hooks are told of, and the input that their handlers get.

use annals_json::{ObjectWriter, object};

/// An event of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HookEvent {
    /// A conversation starts or is resumed.
    SessionStart,
    /// A prompt is about to be written.
    UserPromptSubmit,
    /// A call is about to be decided about.
    PreToolUse,
    /// A person would be asked about a call.
    PermissionRequest,
    /// A call succeeded.
    PostToolUse,
    /// A call ran and failed.
    PostToolUseFailure,
    /// A sub-agent starts.
    SubagentStart,
    /// A sub-agent is about to end.
    SubagentStop,
    /// A turn is about to end.
    Stop,
    /// The conversation is about to be compacted.
    PreCompact,
}

impl HookEvent {
    /// All events that are told.
    pub const ALL: [Self; 10] = [
        Self::SessionStart,
        Self::UserPromptSubmit,
        Self::PreToolUse,
        Self::PermissionRequest,
        Self::PostToolUse,
        Self::PostToolUseFailure,
        Self::SubagentStart,
        Self::SubagentStop,
        Self::Stop,
        Self::PreCompact,
    ];

    /// Returns the name in settings and in the protocol.
    pub fn name(self) -> &'static str {
        match self {
            Self::SessionStart => "SessionStart",
            Self::UserPromptSubmit => "UserPromptSubmit",
            Self::PreToolUse => "PreToolUse",
            Self::PermissionRequest => "PermissionRequest",
            Self::PostToolUse => "PostToolUse",
            Self::PostToolUseFailure => "PostToolUseFailure",
            Self::SubagentStart => "SubagentStart",
            Self::SubagentStop => "SubagentStop",
            Self::Stop => "Stop",
            Self::PreCompact => "PreCompact",
        }
    }

    /// Returns the event of this name; `None` if it is never told here.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.name() == name)
    }

    /// Returns whether a handler that fails must stop what the event is about.
    pub fn is_guard(self) -> bool {
        matches!(self, Self::PreToolUse | Self::PermissionRequest)
    }

    /// Returns whether its handlers are chosen by a matcher.
    pub(super) fn has_matcher(self) -> bool {
        !matches!(self, Self::UserPromptSubmit | Self::Stop)
    }

    /// Returns whether its input has the permission mode.
    fn has_mode(self) -> bool {
        !matches!(self, Self::SessionStart | Self::SubagentStart | Self::PreCompact)
    }
}

/// What every event of a conversation tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookScope {
    /// The id of the session.
    pub session: String,
    /// The file of the session.
    pub transcript: String,
    /// The working folder of commands.
    pub cwd: String,
    /// The permission mode.
    pub mode: &'static str,
    /// The id and the type of the sub-agent, if it is one.
    pub agent: Option<(String, String)>,
}

impl HookScope {
    /// Builds the input of an event: what all have, and what `fill` adds.
    pub(crate) fn input(&self, event: HookEvent, fill: impl FnOnce(&mut ObjectWriter<'_>)) -> Vec<u8> {
        object(|input| {
            input.string("session_id", &self.session).string("transcript_path", &self.transcript);
            input.string("cwd", &self.cwd);
            if event.has_mode() {
                input.string("permission_mode", self.mode);
            }
            if let Some((id, kind)) = &self.agent {
                input.string("agent_id", id).string("agent_type", kind);
            }
            input.string("hook_event_name", event.name());
            fill(input);
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_has_its_keys_in_the_order_of_the_original() {
        let scope = HookScope {
            session: "s".into(),
            transcript: "/t".into(),
            cwd: "/w".into(),
            mode: "plan",
            agent: Some(("a1".into(), "Explore".into())),
        };
        let input = scope.input(HookEvent::Stop, |input| {
            input.boolean("stop_hook_active", false);
        });
        let expected = concat!(
            r#"{"session_id":"s","transcript_path":"/t","cwd":"/w","permission_mode":"plan","agent_id":"a1","#,
            r#""agent_type":"Explore","hook_event_name":"Stop","stop_hook_active":false}"#
        );
        assert_eq!(String::from_utf8_lossy(&input), expected);
        assert!(!String::from_utf8_lossy(&scope.input(HookEvent::PreCompact, |_| {})).contains("mode"));
        assert!(HookEvent::ALL.iter().all(|event| HookEvent::of_name(event.name()) == Some(*event)));
        assert_eq!(HookEvent::of_name("Notification"), None);
    }
}
