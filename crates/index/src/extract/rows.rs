//! What is kept of a file: rows without a database.

use std::collections::BTreeMap;

use annals_transcript::problem::ProblemKind;
use annals_transcript::usage::ResponseUsage;

use super::sides::SideRow;
use crate::cursor::Cursor;

/// So many bytes of one block can be searched for; what is longer says so.
pub const INDEXED_BYTES: usize = 256 * 1024;

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

/// How often a value was met, and on which lines first and last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Met {
    pub(crate) count: u64,
    pub(crate) first: u64,
    pub(crate) last: u64,
}

/// Whose lines they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Subject {
    /// Below the config dir.
    pub(crate) path: String,
    pub(crate) role: FileRole,
    pub(crate) slug: String,
    pub(crate) session: String,
    pub(crate) agent: Option<String>,
}

/// What a batch does to what is known of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// It comes behind it.
    Continues,
    /// It takes its place.
    Begins,
}

/// One block that somebody said.
#[derive(Clone, Debug)]
pub(crate) struct MessageRow {
    pub(crate) line: u64,
    pub(crate) offset: u64,
    pub(crate) length: u64,
    pub(crate) block: u32,
    pub(crate) role: Role,
    pub(crate) kind: Kind,
    pub(crate) millis: Option<i64>,
    pub(crate) uuid: Option<Vec<u8>>,
    pub(crate) tool: Option<String>,
    /// The call that it is, or that it answers: its tool and its file are the call's.
    pub(crate) call: Option<String>,
    pub(crate) is_error: bool,
    pub(crate) bytes: u64,
    pub(crate) text: String,
    /// The text as it is searched for, and how long it was: made by those who read, not by the one who writes.
    pub(crate) words: String,
    pub(crate) indexed: u64,
}

/// What a batch tells of a call: the call, its result, or both.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallRow {
    pub(crate) tool: Option<String>,
    pub(crate) called: Option<u64>,
    pub(crate) answered: Option<u64>,
    pub(crate) started: Option<i64>,
    pub(crate) ended: Option<i64>,
    pub(crate) is_error: bool,
    pub(crate) path: Option<String>,
    pub(crate) agent: Option<String>,
    pub(crate) prompt: Option<i64>,
    pub(crate) input: u64,
    pub(crate) result: u64,
}

/// A stretch of a file's lines, read: written as one, cursor included.
#[derive(Clone, Debug)]
pub(crate) struct Batch {
    pub(crate) subject: Subject,
    pub(crate) change: Change,
    /// Where it starts: where the last one ended.
    pub(crate) from: u64,
    /// Where it ends.
    pub(crate) cursor: Cursor,
    pub(crate) messages: Vec<MessageRow>,
    pub(crate) calls: BTreeMap<String, CallRow>,
    pub(crate) responses: Vec<(u64, ResponseUsage)>,
    pub(crate) facts: BTreeMap<(FactKind, String), Met>,
    pub(crate) sides: Vec<SideRow>,
    pub(crate) problems: Vec<(u64, u64, u64, ProblemKind)>,
}

impl Batch {
    pub(crate) fn new(subject: &Subject, change: Change, cursor: Cursor) -> Self {
        Self {
            subject: subject.clone(),
            change,
            from: cursor.offset,
            cursor,
            messages: Vec::new(),
            calls: BTreeMap::new(),
            responses: Vec::new(),
            facts: BTreeMap::new(),
            sides: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// How many bytes of its file it stands for.
    pub(crate) fn bytes(&self) -> u64 {
        self.cursor.offset.saturating_sub(self.from)
    }

    /// Notes what a line says.
    pub(crate) fn fact(&mut self, kind: FactKind, value: &str, line: u64) {
        let once = Met { count: 1, first: line, last: line };
        if kind.keep() != Keep::Each {
            let known = self.facts.range((kind, String::new())..).next().map(|(key, _)| key.clone());
            let known = known.filter(|(known, _)| *known == kind);
            let stays = known.as_ref().is_some_and(|(_, known)| match kind.keep() {
                Keep::First => true,
                Keep::Greatest => known.as_str() >= value,
                Keep::Last | Keep::Each => false,
            });
            if stays {
                return;
            }
            if let Some(known) = known {
                self.facts.remove(&known);
            }
            self.facts.insert((kind, value.to_owned()), once);
            return;
        }
        match self.facts.get_mut(&(kind, value.to_owned())) {
            Some(met) => {
                met.count += 1;
                met.last = line;
            }
            None => drop(self.facts.insert((kind, value.to_owned()), once)),
        }
    }
}
