//! Who speaks, what is said, what a file is, what lines say of it: words for people, numbers for the index.

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name {
            #[default]
            $($(#[$variant_doc])* $variant,)*
        }

        impl $name {
            /// All of them; their places are the numbers that the index keeps.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The word for it.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }

            /// By its word.
            pub fn named(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.name() == word)
            }

            /// By the number that the index keeps.
            pub fn numbered(number: i64) -> Option<Self> {
                Self::ALL.get(usize::try_from(number).ok()?).copied()
            }

            /// The number that the index keeps.
            pub fn number(self) -> i64 {
                self as i64
            }
        }
    };
}

words! {
    /// Who speaks.
    Role {
        /// A person.
        Human = "human",
        /// The model.
        Assistant = "assistant",
        /// A tool.
        Tool = "tool",
        /// The client.
        System = "system",
    }
}

words! {
    /// What is said.
    Kind {
        /// What a person asked.
        Prompt = "prompt",
        /// What the model answered.
        Response = "response",
        /// What the model thought.
        Thinking = "thinking",
        /// What the model asked of a tool.
        ToolCall = "tool_call",
        /// What a tool gave.
        ToolResult = "tool_result",
        /// What the client put beside it: reminders, summaries, attachments, notices.
        Context = "context",
        /// What went wrong.
        Error = "error",
        /// What the session is called.
        Title = "title",
        /// A plan's text.
        Plan = "plan",
    }
}

words! {
    /// What a file is.
    FileRole {
        /// A session.
        Session = "session",
        /// A sub-agent.
        Agent = "agent",
        /// Output that was too large for its line.
        Output = "output",
        /// The prompts of all sessions.
        History = "history",
        /// A plan.
        Plan = "plan",
        /// A list of things to do.
        Todos = "todos",
        /// One thing to do, in a file of its own.
        Task = "task",
        /// What is known of a sub-agent besides its lines.
        AgentMeta = "agent_meta",
    }
}

words! {
    /// What lines say of their file.
    FactKind {
        /// The working directory.
        Cwd = "cwd",
        /// The branch.
        GitBranch = "git_branch",
        /// The client's version.
        Version = "version",
        /// A model.
        Model = "model",
        /// How the client was started.
        Entrypoint = "entrypoint",
        /// The name that its plan may have.
        PlanName = "plan_name",
        /// A pull request.
        PullRequest = "pull_request",
        /// A `custom-title`; only the last counts.
        CustomTitle = "custom_title",
        /// An `ai-title`; only the last counts.
        AiTitle = "ai_title",
        /// A `last-prompt`; only the last counts.
        LastPrompt = "last_prompt",
        /// The first words of a person.
        FirstPrompt = "first_prompt",
        /// The first command of a person.
        FirstCommand = "first_command",
        /// The tag; only the last counts, an empty one takes it back.
        Tag = "tag",
        /// A summary, behind the id of the line that it sums up to.
        Summary = "summary",
        /// The first time.
        Created = "created",
        /// The newest time.
        Active = "active",
        /// What a sub-agent was asked, as a fingerprint.
        Asked = "asked",
        /// The call that started a sub-agent.
        SpawnedBy = "spawned_by",
        /// What kind of sub-agent it is.
        AgentType = "agent_type",
        /// A sub-agent and the call under which it was seen at work.
        AtWork = "at_work",
    }
}

/// Which values of a fact are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    Each,
    First,
    Last,
    Greatest,
}

impl FactKind {
    /// Which of its values are kept.
    pub(crate) fn keep(self) -> Keep {
        match self {
            Self::CustomTitle | Self::AiTitle | Self::LastPrompt | Self::Tag => Keep::Last,
            Self::FirstPrompt | Self::FirstCommand | Self::Created | Self::Entrypoint | Self::Asked => {
                Keep::First
            }
            Self::Active => Keep::Greatest,
            _ => Keep::Each,
        }
    }
}
