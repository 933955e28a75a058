//! The kinds of records, by `type`.

use annals_json::Text;

macro_rules! record_kinds {
    ($($(#[$doc:meta])* $name:ident = $word:literal;)*) => {
        /// The type of a record.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum RecordKind {
            $($(#[$doc])* $name,)*
            /// `api-request`, `api-request-*`: requests and their parts, stored whole by the newest releases.
            ApiRequest,
            /// An unknown type.
            Unknown,
            /// An object without a `type`.
            Untyped,
        }

        impl RecordKind {
            /// The kinds that have one fixed name.
            pub const NAMED: &[Self] = &[$(Self::$name),*];

            /// Returns the kind of a `type`.
            pub fn of(word: Option<Text<'_>>) -> Self {
                let Some(word) = word else { return Self::Untyped };
                match word.raw() {
                    $(raw if raw == $word.as_bytes() => Self::$name,)*
                    raw if raw == b"api-request" || raw.starts_with(b"api-request-") => Self::ApiRequest,
                    _ => Self::Unknown,
                }
            }

            /// The value of `type`; for kinds without a fixed one, a descriptive name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                    Self::ApiRequest => "api-request",
                    Self::Unknown => "unknown",
                    Self::Untyped => "untyped",
                }
            }
        }
    };
}

record_kinds! {
    /// A prompt, a tool's result, or what the client says in the user's name.
    User = "user";
    /// A content block (rarely several) of a response.
    Assistant = "assistant";
    /// An event of the client: compaction, an API error, the duration of a turn.
    System = "system";
    /// What the client shows the model beside the prompt.
    Attachment = "attachment";
    /// Progress of long-running work; in 2.1.9 – 2.1.62 part of the chain.
    Progress = "progress";
    /// Which copies of edited files belong to which prompt.
    FileHistorySnapshot = "file-history-snapshot";
    /// The same, as a difference.
    FileHistoryDelta = "file-history-delta";
    /// A title, often of another session.
    Summary = "summary";
    /// A prompt that was queued, or taken from the queue.
    QueueOperation = "queue-operation";
    /// A pull request that the session opened.
    PrLink = "pr-link";
    /// The title that the user gave.
    CustomTitle = "custom-title";
    /// The title that a model gave.
    AiTitle = "ai-title";
    /// The last prompt, and the leaf to resume from.
    LastPrompt = "last-prompt";
    /// The session's tag.
    Tag = "tag";
    /// The mode of the client.
    Mode = "mode";
    /// The session's permission mode changed.
    PermissionMode = "permission-mode";
    /// The session was given a name as an agent.
    AgentName = "agent-name";
    /// The agent that runs the session.
    AgentSetting = "agent-setting";
    /// A page that shows the session's work.
    FrameLink = "frame-link";
    /// The client's own account of tokens and cost.
    CostState = "cost-state";
    /// The git worktree that the session works in.
    WorktreeState = "worktree-state";
    /// The session moved to another folder.
    Relocated = "relocated";
    /// A session of a remote bridge.
    BridgeSession = "bridge-session";
    /// Large content that was replaced by a reference.
    ContentReplacement = "content-replacement";
    /// Where a fork took its context from.
    ForkContextRef = "fork-context-ref";
    /// The tools that were used.
    ToolsUsed = "tools-used";
    /// A switch of the client.
    AtisLatch = "atis-latch";
}

impl RecordKind {
    /// Whether lines of this type carry `uuid` and `parentUuid` and so belong to the chain.
    pub fn is_chain(self) -> bool {
        matches!(self, Self::User | Self::Assistant | Self::System | Self::Attachment | Self::Progress)
    }

    /// Whether lines of this type outside the chain name their session.
    pub fn names_session(self) -> bool {
        let has_none = matches!(self, Self::Summary | Self::FileHistorySnapshot | Self::FileHistoryDelta);
        self.is_known() && !self.is_chain() && !has_none
    }

    /// Whether lines of this type outside the chain say when they were written.
    pub fn has_time(self) -> bool {
        matches!(
            self,
            Self::QueueOperation | Self::PrLink | Self::FrameLink | Self::FileHistoryDelta | Self::Relocated
        )
    }

    /// Whether the type is known.
    pub fn is_known(self) -> bool {
        !matches!(self, Self::Unknown | Self::Untyped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use annals_json::Value;

    fn kind(json: &str) -> RecordKind {
        RecordKind::of(Value::parse(json.as_bytes()).unwrap().text())
    }

    #[test]
    fn knows_words_and_lets_others_be() {
        for &named in RecordKind::NAMED {
            assert_eq!(kind(&format!("\"{}\"", named.name())), named);
        }
        assert_eq!(kind("\"api-request\""), RecordKind::ApiRequest);
        assert_eq!(kind("\"api-request-blob\""), RecordKind::ApiRequest);
        assert_eq!(kind("\"from-the-future\""), RecordKind::Unknown);
        assert_eq!(kind("3"), RecordKind::Untyped);
    }
}
