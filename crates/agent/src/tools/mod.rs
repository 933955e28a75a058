//! Tools: what the model is told of each and what is done when it calls one are one object.
//!
//! A tool does not decide whether it may run: it says what a call would do ([`Tool::call`]), the policy decides, and one
//! sequence for all tools asks, runs and answers. Nothing here writes a record.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;

use annals_json::Fields;

use crate::api::request::ToolSpec;
use crate::api::usage::Usage;
use crate::conversation::Lineage;
use crate::event::Event;
use crate::relay::Relay;
use crate::turn::{Granted, Wishes};
use annals_policy::Policy;

pub mod agent;
mod answer;
mod asked;
pub mod bash;
mod edit;
pub mod fetch;
mod files;
mod glob;
mod grep;
pub mod ground;
mod input;
mod kept;
mod notebook_edit;
pub mod patch;
pub mod plan;
mod read;
pub mod seen;
mod spec;
mod stop;
pub mod todo;
pub mod web_search;
mod write;

pub use agent::Task;
pub use answer::{Reply, Replying};
pub use asked::Asked;
pub use bash::{Bash, BashOutput, KillShell};
pub use edit::Edit;
pub use fetch::WebFetch;
pub use glob::Glob;
pub use grep::Grep;
pub use ground::{Checkpoints, Ground, Veil};
pub use notebook_edit::NotebookEdit;
pub use plan::ExitPlanMode;
pub use read::Read;
pub use seen::Seen;
pub use todo::TodoWrite;
pub use web_search::WebSearch;
pub use write::Write;

/// Work that is not done yet.
pub type Running<'t> = Pin<Box<dyn Future<Output = Outcome> + Send + 't>>;

/// Whether calls may run beside each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// It changes nothing: any number at a time.
    Beside,
    /// One after another, in the order of the calls.
    InTurn,
}

/// What a call gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// What the model sees: content blocks as JSON objects, or one text.
    pub shown: Shown,
    /// Whether that is an error.
    pub is_error: bool,
    /// `toolUseResult`: JSON, kept in the session and not sent.
    pub kept: Vec<u8>,
    /// Files that it is about to be told of as changed, by path: for checkpoints and for what was read.
    pub changed: Vec<PathBuf>,
}

/// What the model sees of an outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// A text.
    Text(String),
    /// Content blocks, each a JSON object: images, documents, texts.
    Blocks(Vec<Vec<u8>>),
}

impl Default for Shown {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

/// A tool.
pub trait Tool: Send + Sync {
    /// Its name and definition, as the model gets them: the same bytes each time.
    fn spec(&self) -> ToolSpec;

    /// Whether calls of it may run beside each other.
    fn order(&self) -> Order;

    /// What a call with this input would do, for the policy; none where the input is not one (it is answered as an error).
    fn call(&self, input: &Fields<'_>) -> Result<Asked, InputError>;

    /// Does it. `input` is the whole object as the model wrote it. Dropping the future ends the work, and all processes of it.
    fn run<'t>(&'t self, input: &'t [u8], scene: &'t Scene<'t>) -> Running<'t>;
}

/// Why an input cannot be used; shown to the model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InputError(pub String);

/// Where a call runs.
pub struct Scene<'s> {
    /// The id of the call.
    pub tool_use: &'s str,
    /// Told of what happens while it runs.
    pub tell: &'s (dyn Fn(Told) + Send + Sync),
    /// Where the path of the call led when it was decided on: a tool that finds it leading elsewhere does nothing.
    pub agreed: Option<&'s Path>,
    /// The conversation that it belongs to, where it belongs to one.
    pub parent: Option<&'s Parent<'s>>,
}

/// The conversation that a call belongs to, for tools that have one of their own.
pub struct Parent<'s> {
    /// What may be done.
    pub policy: &'s Policy<'s>,
    /// What the person granted beyond that.
    pub granted: &'s Granted,
    /// How the model is asked.
    pub wishes: &'s Wishes,
    /// Where sub-agents are written.
    pub lineage: &'s Lineage,
    /// What the person says meanwhile.
    pub relay: &'s Relay,
}

/// What a tool says while it runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Told {
    /// More output of a command: what is new, and all of it so far as far as it is kept.
    Output {
        /// What came since.
        new: String,
        /// All of it, or its end.
        whole: String,
        /// How many lines there are in all.
        lines: u64,
        /// For how long it runs, in milliseconds.
        millis: u64,
    },
    /// A sub-agent begins.
    Begun {
        /// The sub-agent.
        agent: String,
        /// What it is told to do.
        prompt: String,
    },
    /// Something happened in the conversation of a sub-agent.
    Agent {
        /// The sub-agent.
        agent: String,
        /// What.
        event: Box<Event>,
    },
    /// A request beside the conversation was answered.
    Counted {
        /// The model that answered.
        model: String,
        /// What it counted.
        usage: Usage,
    },
}
