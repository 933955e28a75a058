//! Kinds of messages, files and facts, each with a name for people and a number for the index.

macro_rules! named_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name {
            #[default]
            $($(#[$variant_doc])* $variant,)*
        }

        impl $name {
            /// All values; their positions are the stored numbers.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Its stable name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }

            /// The value of this name.
            pub fn from_name(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.name() == word)
            }

            /// The value of this stored number.
            pub fn from_number(number: i64) -> Option<Self> {
                Self::ALL.get(usize::try_from(number).ok()?).copied()
            }

            /// The stored number.
            pub fn number(self) -> i64 {
                self as i64
            }
        }
    };
}

named_enum! {
    /// Who produced a message.
    MessageRole {
        /// The user.
        Human = "human",
        /// The model.
        Assistant = "assistant",
        Tool = "tool",
        /// The client.
        System = "system",
    }
}

named_enum! {
    MessageKind {
        /// A prompt of the user.
        Prompt = "prompt",
        /// A reply of the model.
        Response = "response",
        /// Thinking of the model.
        Thinking = "thinking",
        /// A tool call of the model.
        ToolCall = "tool_call",
        /// The result of a tool call.
        ToolResult = "tool_result",
        /// What the client added: reminders, summaries, attachments, notices.
        Context = "context",
        /// An error message.
        Error = "error",
        /// The title of a session.
        Title = "title",
        /// The text of a plan.
        Plan = "plan",
        /// The memory of a project.
        Memory = "memory",
    }
}

named_enum! {
    /// The role of a file in the store.
    IndexedFileRole {
        /// A session's transcript.
        Session = "session",
        /// A sub-agent's transcript.
        Agent = "agent",
        /// A tool output that was too large for its line.
        Output = "output",
        /// `history.jsonl`, the prompts of all sessions.
        History = "history",
        /// A plan file.
        Plan = "plan",
        /// A todo list.
        Todos = "todos",
        /// A task file.
        Task = "task",
        /// The meta file of a sub-agent.
        AgentMeta = "agent_meta",
        /// A memory file of a project.
        Memory = "memory",
        /// A long paste.
        Paste = "paste",
        /// The `custom-title.json` of a session.
        CustomTitle = "custom_title",
    }
}

named_enum! {
    /// The kind of a fact that lines state about their file.
    FactKind {
        /// A working directory.
        Cwd = "cwd",
        GitBranch = "git_branch",
        /// The client's version.
        Version = "version",
        /// A model that replied.
        Model = "model",
        /// How the client was started.
        Entrypoint = "entrypoint",
        /// The slug that names the session's plan.
        PlanName = "plan_name",
        /// A pull request: number, repository and URL, separated by tabs.
        PullRequest = "pull_request",
        /// A `custom-title`; the last one counts.
        CustomTitle = "custom_title",
        /// An `ai-title`; the last one counts.
        AiTitle = "ai_title",
        /// A `last-prompt`; the last one counts.
        LastPrompt = "last_prompt",
        /// The first prompt, shortened.
        FirstPrompt = "first_prompt",
        /// The first slash command, shortened.
        FirstCommand = "first_command",
        /// The tag; the last one counts, an empty one removes it.
        Tag = "tag",
        /// A summary, after the id of the last line that it covers.
        Summary = "summary",
        /// The first timestamp.
        Created = "created",
        /// The latest timestamp.
        Active = "active",
        /// The fingerprint of a sub-agent's first prompt.
        AgentPrompt = "asked",
        /// The id of the call that started a sub-agent.
        SpawnedBy = "spawned_by",
        /// The type of a sub-agent.
        AgentType = "agent_type",
        /// A sub-agent and the call whose progress names it.
        AgentProgress = "at_work",
        /// The file that holds the whole of an output, and the call whose output it is, separated by a tab.
        Output = "output",
        /// A record that gives no message, which a summary may name: its id, where its line begins and where it ends.
        BareRecord = "bare_record",
        /// An item of a todo list or a task, as JSON. The index has a table for them; this is for rows that are stored elsewhere.
        TodoItem = "todo_item",
        /// A prompt of the history, as JSON; the same.
        HistoryPrompt = "history_prompt",
    }
}

impl IndexedFileRole {
    /// Who produced the text of a file that is one text, or has one, and its kind.
    pub(crate) fn message(self) -> (MessageRole, MessageKind) {
        match self {
            Self::Plan => (MessageRole::Assistant, MessageKind::Plan),
            Self::Memory => (MessageRole::System, MessageKind::Memory),
            Self::Paste => (MessageRole::Human, MessageKind::Prompt),
            Self::CustomTitle => (MessageRole::System, MessageKind::Title),
            _ => (MessageRole::Tool, MessageKind::ToolResult),
        }
    }
}

/// Which values of a fact are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FactPolicy {
    All,
    First,
    Last,
    Max,
}

impl FactKind {
    pub(crate) fn keep(self) -> FactPolicy {
        match self {
            Self::CustomTitle | Self::AiTitle | Self::LastPrompt | Self::Tag => FactPolicy::Last,
            Self::FirstPrompt | Self::FirstCommand | Self::Created | Self::Entrypoint | Self::AgentPrompt => {
                FactPolicy::First
            }
            Self::Active => FactPolicy::Max,
            _ => FactPolicy::All,
        }
    }
}
