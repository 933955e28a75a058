//! Tools: each is one object with the definition that the model gets and the code that runs a call.
//!
//! A tool does not decide whether it may run: it says what a call would do ([`Tool::call`]), the policy decides, and one
//! sequence for all tools asks for permission, runs and answers. Nothing here writes a record.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;

use annals_json::Fields;

use crate::api::request::ToolSpec;
use crate::hooks::{HookScope, Hooks};
use crate::protocol::{Grants, PermissionTool, Relay, SubagentStorage, ToolProgress, TurnConfig};
use annals_policy::Policy;

pub mod agent;
mod answer;
pub mod background;
pub mod bash;
mod blocking;
pub mod context;
mod edit;
pub mod fetch;
mod files;
mod glob;
mod grep;
mod input;
mod line_limit;
mod notebook_edit;
mod past_reads;
pub mod patch;
pub mod plan;
pub mod question;
mod quotes;
mod read;
pub mod read_files;
mod request;
pub mod skill;
mod spec;
pub mod structured;
pub mod tasks;
pub mod todo;
pub mod web_search;
mod write;

pub use agent::AgentTool;
use agent::{AgentTask, SpawnFuture};
pub use answer::{Reply, ReplyFuture};
pub use background::{SendMessage, TaskOutput, TaskStop};
pub use bash::Bash;
pub use context::{Checkpoints, PathFilter, ToolContext};
pub use edit::Edit;
pub use fetch::WebFetch;
pub use glob::Glob;
pub use grep::Grep;
pub use notebook_edit::NotebookEdit;
pub use plan::{EnterPlanMode, ExitPlanMode};
pub use question::AskUserQuestion;
pub use read::{PromptImage, Read, Thumbnail, prompt_image, thumbnail};
pub use read_files::ReadFiles;
pub use request::ToolRequest;
pub use skill::{SkillCall, SkillCalls, SkillTool};
pub(crate) use spec::unknown_parameter;
pub use tasks::{TaskCreate, TaskGet, TaskList, TaskUpdate};
pub use todo::TodoWrite;
pub use web_search::WebSearch;
pub use write::Write;

/// A running call.
pub type ToolFuture<'t> = Pin<Box<dyn Future<Output = Outcome> + Send + 't>>;

/// Whether calls may run at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallOrder {
    /// It changes nothing: any number may run at a time.
    Parallel,
    /// One after another, in the order of the calls.
    Sequential,
}

/// The result of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// What the model sees.
    pub shown: ToolContent,
    /// Whether the call failed.
    pub is_error: bool,
    /// `toolUseResult`: JSON, kept in the session and not sent.
    pub kept: Vec<u8>,
    /// The files that it changed.
    pub changed: Vec<PathBuf>,
    /// `mcpMeta`: what a server says beside its result, JSON; empty if it says nothing. Kept in the session and not sent.
    pub meta: Vec<u8>,
}

/// The content of a tool result, as the model sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolContent {
    Text(String),
    /// Content blocks, each a JSON object: images, documents, texts.
    Blocks(Vec<Vec<u8>>),
}

impl Default for ToolContent {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

pub trait Tool: Send + Sync {
    /// The name and definition that the model gets: the same bytes each time.
    fn spec(&self) -> ToolSpec;

    /// Whether calls of it may run at the same time.
    fn order(&self) -> CallOrder;

    /// Returns what a call with this input would do, for the policy; an error if the input is invalid, which is sent to the
    /// model.
    fn call(&self, input: &Fields<'_>) -> Result<ToolRequest, InputError>;

    /// Whether a person must agree to every call, whatever the rules say.
    fn must_ask(&self) -> bool {
        false
    }

    /// Forgets what its calls returned: after a compaction it is no longer in the model's context.
    fn forget(&self) {}

    /// Returns what it shares with the other tools of its session; `None` if it shares nothing.
    fn context(&self) -> Option<&ToolContext> {
        None
    }

    /// Returns what happened in the background and the model does not know yet; each is told once.
    fn take_notices(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the skills that its calls can use, if it is the tool for them.
    fn skills(&self) -> Option<&SkillCalls> {
        None
    }

    /// Runs a sub-agent for a call of another tool; `None` if it starts none.
    fn run_agent<'t>(&'t self, _: &'t AgentTask, _: &'t CallContext<'t>) -> Option<SpawnFuture<'t>> {
        None
    }

    /// Runs a call. `input` is the whole object as the model wrote it. Dropping the future ends the work and all its processes.
    fn run<'t>(&'t self, input: &'t [u8], call: &'t CallContext<'t>) -> ToolFuture<'t>;
}

/// An input that cannot be used. The text is shown to the model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InputError(pub String);

pub struct CallContext<'s> {
    /// The id of the call.
    pub tool_use: &'s str,
    /// Reports progress while it runs.
    pub tell: &'s (dyn Fn(ToolProgress) + Send + Sync),
    /// The real path that was approved for the call: a tool does nothing if its path resolves to another one.
    pub agreed: Option<&'s Path>,
    /// The conversation that it belongs to, if any.
    pub parent: Option<&'s Parent<'s>>,
}

/// The conversation that a call belongs to, for tools that start conversations themselves.
pub struct Parent<'s> {
    /// The permission policy.
    pub policy: &'s Policy<'s>,
    /// What the user has granted in this session.
    pub grants: &'s Grants,
    /// Model and request settings.
    pub turn_config: &'s TurnConfig,
    /// Where transcripts of sub-agents are written.
    pub subagent_storage: &'s SubagentStorage,
    /// What the user enters during the call.
    pub relay: &'s Relay,
    /// What is told of events.
    pub hooks: &'s Hooks,
    /// What decides about calls where nobody can be asked.
    pub permission_tool: Option<&'s Arc<dyn PermissionTool>>,
    /// What every event tells.
    pub hook_scope: &'s HookScope,
    /// The id of the current prompt, for hooks.
    pub prompt_id: Option<&'s str>,
}
