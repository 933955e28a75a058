//! Tool calls, as far as a decision needs them.

/// A tool that changes files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditTool {
    /// `Edit` and `MultiEdit`
    Edit,
    /// `Write`
    Write,
    /// `NotebookEdit`
    NotebookEdit,
}

impl EditTool {
    pub fn name(self) -> &'static str {
        match self {
            Self::Edit => "Edit",
            Self::Write => "Write",
            Self::NotebookEdit => "NotebookEdit",
        }
    }
}

/// A tool that reads files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadTool {
    /// `Read`
    Read,
    /// `Glob`
    Glob,
    /// `Grep`
    Grep,
}

impl ReadTool {
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "Read",
            Self::Glob => "Glob",
            Self::Grep => "Grep",
        }
    }
}

/// A call to decide about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call<'c> {
    /// A shell command.
    Bash(&'c str),
    /// A file or folder to read.
    Read(ReadTool, &'c str),
    /// A file to change.
    Edit(EditTool, &'c str),
    /// An address to fetch.
    WebFetch(&'c str),
    /// A search on the web.
    WebSearch,
    /// A sub-agent of this type.
    Agent(&'c str),
    /// A skill that allows no calls.
    Skill(&'c str),
    /// A skill that allows calls while it is used.
    GrantingSkill(&'c str),
    /// A tool of an MCP server, by its full name.
    Mcp(&'c str),
    /// A plan to approve.
    Plan,
    /// A tool that affects only the session: a to-do list, a question.
    Inward(&'c str),
    /// Any other tool.
    Other(&'c str),
}

impl<'c> Call<'c> {
    /// The name of the tool.
    pub fn tool(&self) -> &'c str {
        match self {
            Self::Bash(_) => "Bash",
            Self::Read(tool, _) => tool.name(),
            Self::Edit(tool, _) => tool.name(),
            Self::WebFetch(_) => "WebFetch",
            Self::WebSearch => "WebSearch",
            Self::Agent(_) => "Agent",
            Self::Skill(_) | Self::GrantingSkill(_) => "Skill",
            Self::Plan => "ExitPlanMode",
            Self::Mcp(name) | Self::Inward(name) | Self::Other(name) => name,
        }
    }
}
