//! The kinds of litter: their names, and which are only looked for when they are named.

use std::fmt;

/// A kind of litter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LitterKind {
    /// Sessions and sub-agents without a byte.
    Empty,
    /// Sessions and sub-agents that only warmed up the cache.
    WarmUp,
    /// Sub-agents whose session is gone, and their meta files.
    SubAgents,
    /// Outputs and workflow files of sessions that are gone.
    Outputs,
    /// Titles kept beside sessions that are gone.
    Titles,
    /// Todo lists of sessions that are gone.
    Todos,
    /// Tasks of sessions that are gone.
    Tasks,
    /// Copies of files that sessions edited which are gone.
    Copies,
    /// Environments of sessions that are gone.
    Environments,
    /// Images that were pasted into sessions which are gone.
    Images,
    /// Notes of clients that no longer run.
    Clients,
    /// Bytes that never took their name: a process of annals was killed.
    LeftOvers,
    /// Older copies of files that are there.
    Backups,
    /// Long pastes that no prompt names.
    Pastes,
    /// The client's logs.
    Debug,
    /// What the client noted of shells.
    ShellSnapshots,
}

impl LitterKind {
    /// All, in the order in which they are listed.
    pub const ALL: [Self; 16] = [
        Self::Empty,
        Self::WarmUp,
        Self::SubAgents,
        Self::Outputs,
        Self::Titles,
        Self::Todos,
        Self::Tasks,
        Self::Copies,
        Self::Environments,
        Self::Images,
        Self::Clients,
        Self::LeftOvers,
        Self::Backups,
        Self::Pastes,
        Self::Debug,
        Self::ShellSnapshots,
    ];

    /// Its stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::WarmUp => "warm-up",
            Self::SubAgents => "sub-agents",
            Self::Outputs => "outputs",
            Self::Titles => "titles",
            Self::Todos => "todos",
            Self::Tasks => "tasks",
            Self::Copies => "copies",
            Self::Environments => "environments",
            Self::Images => "images",
            Self::Clients => "clients",
            Self::LeftOvers => "left-overs",
            Self::Backups => "backups",
            Self::Pastes => "pastes",
            Self::Debug => "debug",
            Self::ShellSnapshots => "shell-snapshots",
        }
    }

    /// What it is, in words.
    pub fn explanation(self) -> &'static str {
        match self {
            Self::Empty => "files without a byte",
            Self::WarmUp => "files that only warmed up the cache",
            Self::SubAgents => "sub-agents whose session is gone",
            Self::Outputs => "outputs of sessions that are gone",
            Self::Titles => "titles of sessions that are gone",
            Self::Todos => "todo lists of sessions that are gone",
            Self::Tasks => "tasks of sessions that are gone",
            Self::Copies => "copies of files that sessions edited which are gone",
            Self::Environments => "environments of sessions that are gone",
            Self::Images => "images pasted into sessions that are gone",
            Self::Clients => "notes of clients that no longer run",
            Self::LeftOvers => "what a killed annals left behind",
            Self::Backups => "older copies of files that are there",
            Self::Pastes => "long pastes that no prompt names",
            Self::Debug => "logs of the client",
            Self::ShellSnapshots => "snapshots of shells",
        }
    }

    /// Whether it is looked for only when it is named: it may be of use to somebody.
    pub fn must_be_named(self) -> bool {
        matches!(self, Self::Pastes | Self::Debug | Self::ShellSnapshots)
    }

    /// The kind of this name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl fmt::Display for LitterKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
