//! A tool call as a reader meets it: what was asked in one line, and what came of it.

use super::item::SubAgent;

/// How much of a call is told in one place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// The call and what came of it.
    #[default]
    Whole,
    /// The call alone: what comes of it is told when it comes.
    Asked,
    /// What came of a call that was told before.
    Answered,
}

/// A tool call with its result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolCall {
    /// The call's id.
    pub id: String,
    /// The tool, as written.
    pub name: String,
    /// The argument that tells most: a command, path, pattern, address.
    pub headline: String,
    /// What else belongs on the first line: a description, an agent's type, a range.
    pub remark: Option<String>,
    /// Everything that was asked, in order.
    pub input: Vec<InputField>,
    /// What came of it; `None` where the call was never answered.
    pub result: Option<ToolResult>,
    /// From the call to its result.
    pub duration_ms: Option<u64>,
    /// The sub-agents that the call started.
    pub agents: Vec<SubAgent>,
    /// How much of it is told here.
    pub part: Part,
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
    /// Its name.
    pub name: String,
    /// Its value: a string as it reads, anything else as JSON.
    pub value: String,
    /// Whether the headline, the remark or the result already say it.
    pub is_told: bool,
}

/// What came of a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolResult {
    /// The line of the result.
    pub line: usize,
    /// What came, in order; nothing where the tool was silent.
    pub outputs: Vec<ToolOutput>,
    /// Whether the tool failed or was denied.
    pub is_error: bool,
    /// What the client adds: sent to the background, interrupted, kept in a file.
    pub remark: Option<String>,
}

/// One thing that a tool gave.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolOutput {
    /// Text as it was printed.
    Text(String),
    /// Text in Markdown: what an agent answered, a plan, a page.
    Prose(String),
    /// What a command complained of.
    Complaint(String),
    /// A change of a file.
    Diff(Diff),
    /// A file, or a part of one.
    File(FilePart),
    /// Names of files.
    Files {
        /// The names.
        names: Vec<String>,
        /// How many there are, where the list was cut.
        total: Option<u64>,
    },
    /// An image.
    Image {
        /// Its media type.
        media_type: String,
        /// Its size in bytes.
        bytes: usize,
    },
    /// A todo list as it stands afterwards.
    Todos(Vec<Todo>),
    /// Questions to the person, with answers.
    Answers(Vec<Answer>),
    /// The person or a rule said no.
    Denied {
        /// What was said.
        reason: String,
    },
}

/// A change of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// The file.
    pub path: String,
    /// Its stretches.
    pub hunks: Vec<Hunk>,
}

impl Diff {
    /// How many lines came and went.
    pub fn counts(&self) -> (usize, usize) {
        let signs = || self.hunks.iter().flat_map(|hunk| &hunk.lines).map(|line| line.sign);
        (signs().filter(|&s| s == Sign::Added).count(), signs().filter(|&s| s == Sign::Removed).count())
    }
}

/// A stretch of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// The first line before; `None` where nobody knows.
    pub old_start: Option<u64>,
    /// The first line after.
    pub new_start: Option<u64>,
    /// Its lines.
    pub lines: Vec<DiffLine>,
}

/// What happened to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// It stayed.
    Kept,
    /// It came.
    Added,
    /// It went.
    Removed,
}

/// A line of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffLine {
    /// What happened to it.
    pub sign: Sign,
    /// The line, without its sign.
    pub text: String,
}

/// What happened to a file as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileAct {
    /// It was read.
    Read,
    /// It was written.
    Written,
}

/// A file, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePart {
    /// Whether it was read or written.
    pub act: FileAct,
    /// The file.
    pub path: String,
    /// The number of the first line.
    pub start_line: u64,
    /// How many lines the file has, where that is known.
    pub total_lines: Option<u64>,
    /// The lines.
    pub text: String,
}

/// How a todo stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TodoState {
    /// To do.
    Pending,
    /// At work.
    InProgress,
    /// Done.
    Completed,
}

/// One todo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Todo {
    /// What is to do.
    pub text: String,
    /// How it stands.
    pub state: TodoState,
}

/// A question with its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The question.
    pub question: String,
    /// The choices that were given.
    pub options: Vec<String>,
    /// The answer; `None` where there was none.
    pub answer: Option<String>,
}
