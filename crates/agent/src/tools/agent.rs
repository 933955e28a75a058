//! Agent: runs a sub-agent with its own conversation. The caller supplies the spawner.
//!
//! It was called `Task`; the newest client knows it by this name and gives it to the calls of old sessions.

use std::future::Future;
use std::pin::Pin;

use annals_json::Fields;

use super::answer::object;
use super::input::Input;
use super::spec::{ParamType, SpecBuilder};
use super::{CallContext, CallOrder, InputError, Outcome, Tool, ToolContent, ToolFuture, ToolRequest};
use crate::api::request::ToolSpec;
use crate::protocol::INTERRUPTED_CALL;

/// The most characters of an answer that the model sees.
const MAX_ANSWER_CHARS: usize = 32_000;
/// The name of the tool.
pub const NAME: &str = "Agent";
/// The name that older clients give it.
pub const OLD_NAME: &str = "Task";
/// The default agent type.
pub const GENERAL: &str = "general-purpose";

/// The task of a sub-agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentTask {
    /// A short description.
    pub description: String,
    /// The prompt.
    pub prompt: String,
    /// The agent type.
    pub kind: String,
    /// The model, if it is not the default.
    pub model: Option<String>,
}

/// The result of a sub-agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentResult {
    /// The id of the sub-agent.
    pub agent: String,
    /// Its last text.
    pub answer: String,
    /// How long it took, in milliseconds.
    pub millis: u64,
    /// Tokens of its context at the end.
    pub tokens: u64,
    /// The number of its tool calls.
    pub tool_uses: u64,
    /// The usage of its last response: a JSON object.
    pub usage: Vec<u8>,
}

/// A type of agent, as it is described to the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentType {
    /// Its name.
    pub name: String,
    /// When to use it.
    pub about: String,
}

/// Why a sub-agent has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpawnError {
    /// The user interrupted it.
    #[error("it was interrupted")]
    Interrupted,
    /// It could not start or continue.
    #[error("{0}")]
    Failed(String),
}

/// A running sub-agent.
pub type SpawnFuture<'a> = Pin<Box<dyn Future<Output = Result<AgentResult, SpawnError>> + Send + 'a>>;

/// Runs sub-agents. Dropping the future ends the sub-agent and all that it runs.
pub trait Spawner: Send + Sync {
    /// The available types.
    fn types(&self) -> Vec<AgentType>;

    /// Runs a sub-agent to its end, for this call.
    fn spawn<'a>(&'a self, task: &'a AgentTask, call: &'a CallContext<'a>) -> SpawnFuture<'a>;
}

/// Starts sub-agents.
pub struct AgentTool<'a> {
    spawner: Box<dyn Spawner + 'a>,
}

impl<'a> AgentTool<'a> {
    /// The tool with this spawner.
    pub fn new(spawner: Box<dyn Spawner + 'a>) -> Self {
        Self { spawner }
    }

    fn task(&self, input: &Input<'_>) -> Result<AgentTask, InputError> {
        let kind = input.text_if("subagent_type")?.filter(|kind| !kind.is_empty());
        let kind = kind.unwrap_or_else(|| GENERAL.to_owned());
        let types = self.spawner.types();
        if !types.iter().any(|known| known.name == kind) {
            let names: Vec<&str> = types.iter().map(|known| known.name.as_str()).collect();
            return Err(InputError(format!("No agent type {kind:?}. Available: {}.", names.join(", "))));
        }
        Ok(AgentTask {
            description: input.words("description")?,
            prompt: input.words("prompt")?,
            kind,
            model: input.text_if("model")?.filter(|model| !model.is_empty()),
        })
    }

    async fn send(&self, input: &[u8], call: &CallContext<'_>) -> Result<Outcome, InputError> {
        let task = self.task(&Input::scan(input)?)?;
        let done = match self.spawner.spawn(&task, call).await {
            Ok(done) => done,
            Err(SpawnError::Interrupted) => return Ok(Outcome::failed(INTERRUPTED_CALL, INTERRUPTED_CALL)),
            Err(SpawnError::Failed(why)) => {
                return Ok(Outcome::failed(format!("The agent failed: {why}"), &why));
            }
        };
        let text = |text: &str| {
            object(|block| {
                block.string("type", "text").string("text", text);
            })
        };
        let kept = object(|kept| {
            kept.string("status", "completed").string("prompt", &task.prompt).string("agentId", &done.agent);
            kept.string("agentType", &task.kind);
            kept.array("content", |list| list.item().extend(text(&done.answer)));
            kept.number("totalDurationMs", done.millis).number("totalTokens", done.tokens);
            kept.number("totalToolUseCount", done.tool_uses).raw("usage", &done.usage);
        });
        let trailer = format!(
            "agentId: {}\ntotal_tokens: {}\ntool_uses: {}\nduration_ms: {}",
            done.agent, done.tokens, done.tool_uses, done.millis
        );
        let shown = ToolContent::Blocks(vec![text(&cut(&done.answer)), text(&trailer)]);
        Ok(Outcome { shown, kept, ..Outcome::default() })
    }
}

/// The answer, shortened if needed; the API refuses an empty text.
fn cut(answer: &str) -> String {
    if answer.trim().is_empty() {
        return "(The agent returned no text.)".to_owned();
    }
    match answer.char_indices().nth(MAX_ANSWER_CHARS) {
        None => answer.to_owned(),
        Some((end, _)) => {
            format!("{}\n\n[cut: the answer has {} characters]", &answer[..end], answer.chars().count())
        }
    }
}

impl Tool for AgentTool<'_> {
    fn spec(&self) -> ToolSpec {
        let mut about = "Starts an agent with a conversation of its own, which works by itself and gives one text back. Use it for searches of several steps and for work that can be described in full. Several calls in one answer run beside each other. It knows nothing but its prompt. Types of agents:".to_owned();
        for known in self.spawner.types() {
            about.push_str(&format!("\n- {}: {}", known.name, known.about));
        }
        SpecBuilder::new(NAME, "")
            .about(about)
            .required("description", ParamType::Text, "What it is for, in three to five words")
            .required("prompt", ParamType::Text, "All that it must know and do, and what it shall answer")
            .required("subagent_type", ParamType::Text, "The type of agent")
            .optional("model", ParamType::Text, "The model, where it shall be another one")
            .build()
    }

    fn order(&self) -> CallOrder {
        CallOrder::Parallel
    }

    fn call(&self, input: &Fields<'_>) -> Result<ToolRequest, InputError> {
        Ok(ToolRequest::Agent(self.task(&Input::of(input))?.kind))
    }

    fn run<'t>(&'t self, input: &'t [u8], call: &'t CallContext<'t>) -> ToolFuture<'t> {
        Box::pin(
            async move { self.send(input, call).await.unwrap_or_else(|error| Outcome::refused(error.0)) },
        )
    }
}
