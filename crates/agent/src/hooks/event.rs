//! The events that hooks are told of, and the input that their handlers get.

use annals_json::{ObjectWriter, object};

/// An event of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HookEvent {
    /// A conversation starts, is resumed, or goes on after a compaction.
    SessionStart,
    /// A memory file is part of the context.
    InstructionsLoaded,
    /// A prompt is about to be written.
    UserPromptSubmit,
    /// A custom command is about to be expanded.
    UserPromptExpansion,
    /// A text of the model is complete.
    MessageDisplay,
    /// A call is about to be decided about.
    PreToolUse,
    /// A person would be asked about a call.
    PermissionRequest,
    /// A call succeeded.
    PostToolUse,
    /// A call ran and failed.
    PostToolUseFailure,
    /// All calls of a response have their results.
    PostToolBatch,
    /// A command changed the working folder.
    CwdChanged,
    /// A task was added.
    TaskCreated,
    /// A task is about to be marked as done.
    TaskCompleted,
    /// A sub-agent starts.
    SubagentStart,
    /// A sub-agent is about to end.
    SubagentStop,
    /// A turn is about to end.
    Stop,
    /// A turn ended by a failed request.
    StopFailure,
    /// The conversation is about to be compacted.
    PreCompact,
    /// The conversation was compacted.
    PostCompact,
    /// The client waits for the person.
    Notification,
    /// The conversation ends.
    SessionEnd,
}

impl HookEvent {
    /// All events that are told.
    pub const ALL: [Self; 21] = [
        Self::SessionStart,
        Self::InstructionsLoaded,
        Self::UserPromptSubmit,
        Self::UserPromptExpansion,
        Self::MessageDisplay,
        Self::PreToolUse,
        Self::PermissionRequest,
        Self::PostToolUse,
        Self::PostToolUseFailure,
        Self::PostToolBatch,
        Self::CwdChanged,
        Self::TaskCreated,
        Self::TaskCompleted,
        Self::SubagentStart,
        Self::SubagentStop,
        Self::Stop,
        Self::StopFailure,
        Self::PreCompact,
        Self::PostCompact,
        Self::Notification,
        Self::SessionEnd,
    ];

    /// Returns the name in settings and in the protocol.
    pub fn name(self) -> &'static str {
        match self {
            Self::SessionStart => "SessionStart",
            Self::InstructionsLoaded => "InstructionsLoaded",
            Self::UserPromptSubmit => "UserPromptSubmit",
            Self::UserPromptExpansion => "UserPromptExpansion",
            Self::MessageDisplay => "MessageDisplay",
            Self::PreToolUse => "PreToolUse",
            Self::PermissionRequest => "PermissionRequest",
            Self::PostToolUse => "PostToolUse",
            Self::PostToolUseFailure => "PostToolUseFailure",
            Self::PostToolBatch => "PostToolBatch",
            Self::CwdChanged => "CwdChanged",
            Self::TaskCreated => "TaskCreated",
            Self::TaskCompleted => "TaskCompleted",
            Self::SubagentStart => "SubagentStart",
            Self::SubagentStop => "SubagentStop",
            Self::Stop => "Stop",
            Self::StopFailure => "StopFailure",
            Self::PreCompact => "PreCompact",
            Self::PostCompact => "PostCompact",
            Self::Notification => "Notification",
            Self::SessionEnd => "SessionEnd",
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

    /// Returns whether it is about one call of a tool: only such handlers can have a condition.
    pub(crate) fn is_of_tool(self) -> bool {
        matches!(
            self,
            Self::PreToolUse | Self::PermissionRequest | Self::PostToolUse | Self::PostToolUseFailure
        )
    }

    /// Returns whether exit code 2 of a command stops what the event is about, or tells the model why it is wrong.
    pub(super) fn can_block(self) -> bool {
        matches!(
            self,
            Self::UserPromptSubmit
                | Self::UserPromptExpansion
                | Self::PreToolUse
                | Self::PostToolUse
                | Self::PostToolUseFailure
                | Self::PostToolBatch
                | Self::TaskCreated
                | Self::TaskCompleted
                | Self::SubagentStop
                | Self::Stop
                | Self::PreCompact
        )
    }

    /// Returns whether its commands get a file for variables of later commands.
    pub(crate) fn has_environment_file(self) -> bool {
        matches!(self, Self::SessionStart | Self::CwdChanged)
    }

    /// Returns whether its handlers are chosen by a matcher.
    pub(super) fn has_matcher(self) -> bool {
        !matches!(
            self,
            Self::UserPromptSubmit
                | Self::MessageDisplay
                | Self::PostToolBatch
                | Self::CwdChanged
                | Self::TaskCreated
                | Self::TaskCompleted
                | Self::Stop
        )
    }

    /// Returns whether its input has the permission mode.
    fn has_mode(self) -> bool {
        self.has_effort() || matches!(self, Self::UserPromptSubmit | Self::UserPromptExpansion)
    }

    /// Returns whether its input has the effort of the model.
    fn has_effort(self) -> bool {
        self.is_of_tool() || matches!(self, Self::PostToolBatch | Self::Stop | Self::SubagentStop)
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
    /// The id of the last prompt; `None` before the first one.
    pub prompt: Option<String>,
    /// The permission mode.
    pub mode: &'static str,
    /// The id and the type of the sub-agent, if it is one.
    pub agent: Option<(String, String)>,
    /// How hard the model tries, if that was chosen.
    pub effort: Option<&'static str>,
}

impl HookScope {
    /// Builds the input of an event: what all have, and what `fill` adds.
    pub(crate) fn input(&self, event: HookEvent, fill: impl FnOnce(&mut ObjectWriter<'_>)) -> Vec<u8> {
        object(|input| {
            input.string("session_id", &self.session).string("transcript_path", &self.transcript);
            input.string("cwd", &self.cwd).string_if("prompt_id", self.prompt.as_deref());
            if event.has_mode() {
                input.string("permission_mode", self.mode);
            }
            if let Some((id, kind)) = &self.agent {
                input.string("agent_id", id).string("agent_type", kind);
            }
            if let Some(level) = self.effort.filter(|_| event.has_effort()) {
                input.object("effort", |effort| {
                    effort.string("level", level);
                });
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
            prompt: Some("p".into()),
            mode: "plan",
            agent: Some(("a1".into(), "Explore".into())),
            effort: Some("high"),
        };
        let input = scope.input(HookEvent::Stop, |input| {
            input.boolean("stop_hook_active", false);
        });
        let expected = concat!(
            r#"{"session_id":"s","transcript_path":"/t","cwd":"/w","prompt_id":"p","permission_mode":"plan","agent_id":"a1","#,
            r#""agent_type":"Explore","effort":{"level":"high"},"hook_event_name":"Stop","stop_hook_active":false}"#
        );
        assert_eq!(String::from_utf8_lossy(&input), expected);
        let compact = scope.input(HookEvent::PreCompact, |_| {});
        let compact = String::from_utf8_lossy(&compact);
        assert!(!compact.contains("mode") && !compact.contains("effort"), "{compact}");
        assert!(HookEvent::ALL.iter().all(|event| HookEvent::of_name(event.name()) == Some(*event)));
        assert_eq!(HookEvent::of_name("WorktreeCreate"), None);
    }
}
