//! What the viewer needs from the world: sessions, searches, numbers and changes. The command line implements it, so that the
//! viewer uses the same functions, locks and journal as the commands.

use std::path::{Path, PathBuf};
use std::process;

use crate::paged::PagedConversation;

/// A session of the list. All texts are as the files have them; they are cleaned when they are drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionRow {
    pub id: String,
    pub path: PathBuf,
    /// The name that a person would give it.
    pub title: String,
    /// The last part of its project's path.
    pub project: String,
    /// The project's path, where it is known: a client resumes there.
    pub folder: Option<String>,
    /// The git branch.
    pub branch: Option<String>,
    pub tag: Option<String>,
    pub first_prompt: Option<String>,
    pub last_prompt: Option<String>,
    /// The models that answered.
    pub models: Vec<String>,
    /// When it began, in milliseconds since 1970.
    pub created: Option<i64>,
    /// When it was last active.
    pub active: Option<i64>,
    /// The size of its file.
    pub bytes: u64,
    /// The session that it was forked from.
    pub fork_of: Option<String>,
    /// What only the whole file tells; `None` while it is being counted.
    pub numbers: Option<SessionNumbers>,
}

/// What only a whole file tells.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SessionNumbers {
    /// Prompts and what followed.
    pub turns: u64,
    /// Sub-agents.
    pub agents: u64,
    /// The cost in dollars; `None` if no model of it has a price.
    pub cost: Option<f64>,
}

/// A session that was read.
#[derive(Clone, Debug, Default)]
pub struct OpenSession {
    /// The conversation, with its sub-agents and abandoned branches.
    pub conversation: PagedConversation,
    /// The size of the file when it was read.
    pub bytes: u64,
    /// Whether it is only the beginning, and the whole is still to come.
    pub is_beginning: bool,
}

/// A passage that a full-text search found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchHit {
    /// The session's id.
    pub session: String,
    /// The line of the session's file; `None` for a passage of another file, such as a sub-agent's.
    pub line: Option<usize>,
    /// The passage.
    pub snippet: String,
    /// How many passages the session has.
    pub count: u64,
}

/// A row of the usage screen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UsageLine {
    /// The day, model or project.
    pub key: String,
    /// Dollars; `None` if nothing of it has a price.
    pub cost: Option<f64>,
    /// Tokens of all kinds.
    pub tokens: u64,
    pub responses: u64,
}

/// Usage of the store.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UsageReport {
    /// By day, oldest first; the keys are `2026-11-09`.
    pub days: Vec<UsageLine>,
    /// By model, most expensive first.
    pub models: Vec<UsageLine>,
    /// By project, most expensive first.
    pub projects: Vec<UsageLine>,
    /// The sum.
    pub total: UsageLine,
    /// The current day, in the reader's time zone.
    pub today: String,
}

/// A change of a session, which is planned first and applied after the person agreed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Sets the title.
    Rename { session: PathBuf, title: String },
    /// Sets the tag.
    Tag { session: PathBuf, tag: String },
    /// Branches a new session off a record, or off the end.
    Fork { session: PathBuf, at: Option<String> },
    /// Moves the session to the trash.
    Trash { session: PathBuf },
    /// Writes the conversation to a file.
    Export { session: PathBuf, to: String },
    /// Reverts the last change of the store.
    Undo,
}

/// A program that continues a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Client {
    /// `claude --resume ID`
    Claude,
    /// `annals chat --resume ID`
    Annals,
}

/// What the viewer asks for. Each call may take long; errors are sentences for people.
pub trait Host: Send {
    /// Lists the sessions, newest first, from the ends of their files.
    fn sessions(&mut self) -> Result<Vec<SessionRow>, String>;
    /// Counts turns, sub-agents and cost.
    fn numbers(&mut self) -> Result<Vec<(PathBuf, SessionNumbers)>, String>;
    /// Reads the beginning of a large session, to be shown until the whole is there; `None` if that makes no sense.
    fn open_beginning(&mut self, session: &Path) -> Option<OpenSession>;
    /// Reads a session.
    fn open(&mut self, session: &Path) -> Result<OpenSession, String>;
    /// Searches the text of all sessions.
    fn search(&mut self, query: &str) -> Result<Vec<SearchHit>, String>;
    /// Sums usage up.
    fn usage(&mut self) -> Result<UsageReport, String>;
    /// Says what a change would do, without doing it.
    fn plan(&mut self, change: &Change) -> Result<Vec<String>, String>;
    /// Does a change, and says what it did.
    fn apply(&mut self, change: &Change) -> Result<Vec<String>, String>;
    /// Returns the command that continues a session.
    fn command(&mut self, client: Client, session: &SessionRow) -> Result<process::Command, String>;
    /// Takes the warnings that came up since the last call.
    fn take_warnings(&mut self) -> Vec<String>;
    /// Returns the size of a file; `None` if it is gone.
    fn size(&mut self, file: &Path) -> Option<u64>;
    /// Returns the time, in milliseconds since 1970.
    fn now(&mut self) -> i64;
}
