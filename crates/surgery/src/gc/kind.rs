//! The kinds of leftovers: names, descriptions, and which must be requested explicitly.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LeftoverKind {
    /// Empty sessions and sub-agents.
    Empty,
    /// Sessions and sub-agents that only warmed up the prompt cache.
    WarmUp,
    /// Sub-agents of deleted sessions, and their meta files.
    SubAgents,
    /// Outputs and workflow files of deleted sessions.
    Outputs,
    /// Title files of deleted sessions.
    Titles,
    /// Todo lists of deleted sessions.
    Todos,
    /// Tasks of deleted sessions.
    Tasks,
    /// File copies of deleted sessions.
    Copies,
    /// Environments of deleted sessions.
    Environments,
    /// Pasted images of deleted sessions.
    Images,
    /// Registrations of clients that no longer run.
    Clients,
    /// Temporary files that a killed annals left behind.
    TempFiles,
    /// Backups of existing files.
    Backups,
    /// Long pastes that no prompt names.
    Pastes,
    /// Logs of the client.
    Debug,
    /// Shell snapshots of the client.
    ShellSnapshots,
}

impl LeftoverKind {
    /// All kinds, in the order in which they are listed.
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
        Self::TempFiles,
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
            Self::TempFiles => "left-overs",
            Self::Backups => "backups",
            Self::Pastes => "pastes",
            Self::Debug => "debug",
            Self::ShellSnapshots => "shell-snapshots",
        }
    }

    /// Its description, for people.
    pub fn explanation(self) -> &'static str {
        match self {
            Self::Empty => "empty files",
            Self::WarmUp => "files that only warmed up the cache",
            Self::SubAgents => "sub-agents of deleted sessions",
            Self::Outputs => "outputs of deleted sessions",
            Self::Titles => "titles of deleted sessions",
            Self::Todos => "todo lists of deleted sessions",
            Self::Tasks => "tasks of deleted sessions",
            Self::Copies => "copies of files that deleted sessions edited",
            Self::Environments => "environments of deleted sessions",
            Self::Images => "images pasted into deleted sessions",
            Self::Clients => "pid files of clients that no longer run",
            Self::TempFiles => "what a killed annals left behind",
            Self::Backups => "older copies of existing files",
            Self::Pastes => "long pastes that no prompt names",
            Self::Debug => "logs of the client",
            Self::ShellSnapshots => "snapshots of shells",
        }
    }

    /// Whether it is only searched for on request, because it may still be useful.
    pub fn must_be_named(self) -> bool {
        matches!(self, Self::Pastes | Self::Debug | Self::ShellSnapshots)
    }

    /// The kind of this name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl fmt::Display for LeftoverKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
