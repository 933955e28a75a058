//! Permission requests of tools: what a call would do, with its texts decoded.

use std::path::PathBuf;

use annals_policy::{Call, Decision, EditTool, Policy, ReadTool};

/// What a call would do; the owned form of [`Call`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolRequest {
    /// A shell command, and the folder in which it starts.
    Bash(String, PathBuf),
    /// A shell command that would run outside the sandbox, and the folder in which it starts.
    BashOutside(String, PathBuf),
    /// A file or folder to read.
    Read(ReadTool, String),
    /// A file to change.
    Edit(EditTool, String),
    /// An address to fetch.
    WebFetch(String),
    /// A search on the web.
    WebSearch,
    /// A sub-agent of this type.
    Agent(String),
    /// A skill that allows no calls.
    Skill(String),
    /// A skill that allows calls while it is used.
    GrantingSkill(String),
    /// A plan that is to be carried out.
    Plan,
    /// A tool of an MCP server, by its full name.
    Mcp(String),
    /// A tool that affects only the session.
    Inward(&'static str),
}

impl ToolRequest {
    /// The borrowed form that the policy takes.
    pub fn call(&self) -> Call<'_> {
        match self {
            Self::Bash(command, _) | Self::BashOutside(command, _) => Call::Bash(command),
            Self::Read(tool, path) => Call::Read(*tool, path),
            Self::Edit(tool, path) => Call::Edit(*tool, path),
            Self::WebFetch(url) => Call::WebFetch(url),
            Self::WebSearch => Call::WebSearch,
            Self::Agent(kind) => Call::Agent(kind),
            Self::Skill(name) => Call::Skill(name),
            Self::GrantingSkill(name) => Call::GrantingSkill(name),
            Self::Plan => Call::Plan,
            Self::Mcp(name) => Call::Mcp(name),
            Self::Inward(name) => Call::Inward(name),
        }
    }

    /// Asks the policy.
    pub fn decide(&self, policy: &Policy<'_>) -> Decision {
        match self {
            Self::Bash(_, folder) => policy.decide_in(&self.call(), folder),
            Self::BashOutside(_, folder) => policy.decide_outside(&self.call(), folder),
            _ => policy.decide(&self.call()),
        }
    }

    /// The path that it reads or changes, if any.
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::Read(_, path) | Self::Edit(_, path) => Some(path),
            _ => None,
        }
    }
}
