//! A tool call: its headline, input and result.

use annals_json::Items;

use super::item::SubAgent;

/// The part of a call that an item shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallPhase {
    /// The call and its result.
    #[default]
    Whole,
    /// The call alone; its result follows later.
    Started,
    /// The result of a call that was shown before.
    Finished,
}

/// A tool call with its result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolCall {
    pub id: String,
    /// The tool, as written.
    pub name: String,
    /// The most telling argument: a command, path, pattern, address.
    pub headline: String,
    /// What else belongs on the first line: a description, an agent's type, a range.
    pub remark: Option<String>,
    /// All input fields, in order.
    pub input: Vec<InputField>,
    /// The result; `None` if there is none.
    pub result: Option<ToolCallResult>,
    /// From the call to its result.
    pub duration_ms: Option<u64>,
    /// The sub-agents that the call started.
    pub agents: Vec<SubAgent>,
    /// The part that this item shows.
    pub phase: CallPhase,
}

impl ToolCall {
    /// An argument, as text.
    pub fn argument(&self, name: &str) -> Option<&str> {
        self.input.iter().find(|field| field.name == name).map(|field| field.value.as_str())
    }

    /// Whether the tool failed or was denied.
    pub fn is_error(&self) -> bool {
        self.result.as_ref().is_some_and(|result| result.is_error)
    }
}

/// One argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputField {
    pub name: String,
    /// Its value: a string without quotes, anything else as JSON.
    pub value: String,
    /// Whether the headline, the remark or the result already say it.
    pub is_shown: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolCallResult {
    pub line: usize,
    /// The outputs, in order; empty if there were none.
    pub outputs: Vec<ToolOutput>,
    /// Whether the tool failed or was denied.
    pub is_error: bool,
    /// What the client adds: sent to the background, interrupted, kept in a file.
    pub remark: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ToolOutput {
    /// Text as it was printed.
    Text(String),
    /// Text in Markdown: what an agent answered, a plan, a page.
    Markdown(String),
    /// What a command complained of.
    Complaint(String),
    /// A change of a file.
    Diff(Diff),
    /// A file, or a part of one.
    File(FileExcerpt),
    /// Names of files.
    Files {
        names: Vec<String>,
        /// How many there are, where the list was cut.
        total: Option<u64>,
    },
    Image {
        media_type: String,
        /// Its size in bytes.
        bytes: usize,
        /// Which image of the result's record.
        number: usize,
    },
    /// The todo list after the call.
    Todos(Vec<Todo>),
    /// Questions to the person, with answers.
    Answers(Vec<QuestionAnswer>),
    /// The user or a rule denied it.
    Denied { reason: String },
}

/// A change of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    pub path: String,
    /// Its stretches.
    pub hunks: Vec<Hunk>,
}

impl Diff {
    /// Returns the difference that a `structuredPatch` holds; `None` if it has no hunks.
    pub fn from_patch(path: &str, cwd: Option<&str>, patch: Items<'_>) -> Option<Self> {
        super::diff::of_patch(path, cwd, Some(patch))
    }

    /// Returns the difference that a unified diff without file names is.
    pub fn from_unified(path: &str, text: &str) -> Self {
        super::diff::of_unified(path, text)
    }

    /// The number of added and removed lines.
    pub fn counts(&self) -> (usize, usize) {
        let signs = || self.hunks.iter().flat_map(|hunk| &hunk.lines).map(|line| line.sign);
        (
            signs().filter(|&s| s == DiffSign::Added).count(),
            signs().filter(|&s| s == DiffSign::Removed).count(),
        )
    }
}

/// A stretch of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// The first line before the change; `None` if unknown.
    pub old_start: Option<u64>,
    /// The first line after the change; `None` if unknown.
    pub new_start: Option<u64>,
    pub lines: Vec<DiffLine>,
}

/// What happened to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffSign {
    /// It stayed.
    Kept,
    Added,
    /// It went.
    Removed,
}

/// A line of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffLine {
    /// What happened to it.
    pub sign: DiffSign,
    /// The line, without its sign.
    pub text: String,
}

/// What happened to a file as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileAction {
    Read,
    Written,
}

/// A file, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileExcerpt {
    /// Whether it was read or written.
    pub act: FileAction,
    pub path: String,
    /// The number of the first line.
    pub start_line: u64,
    /// The number of lines of the file, if known.
    pub total_lines: Option<u64>,
    /// The lines.
    pub text: String,
}

/// The status of a todo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TodoState {
    /// To do.
    Pending,
    /// At work.
    InProgress,
    /// Done.
    Completed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Todo {
    /// The task.
    pub text: String,
    /// Its status.
    pub state: TodoState,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionAnswer {
    pub question: String,
    /// The choices that were given.
    pub options: Vec<String>,
    /// The answer, if there was one.
    pub answer: Option<String>,
}
