//! Agent: runs a sub-agent with its own conversation. The caller supplies the spawner.
//!
//! It was called `Task`; the newest client knows it by this name and gives it to the calls of old sessions.

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;

use annals_json::Fields;
use annals_policy::rules::SettingsSource;

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
    pub prompt: String,
    /// The agent type.
    pub kind: String,
    /// The model, if it is not the default.
    pub model: Option<String>,
    /// Whether its caller waits for it.
    pub place: AgentPlace,
    /// Rules that allow its calls, each with who wrote it. No input of a call names them.
    pub rules: Vec<(String, SettingsSource)>,
}

/// Where a sub-agent works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentPlace {
    /// The call waits for its answer.
    Foreground,
    /// The call returns at once, and the model is told when it has ended.
    Background,
}

/// A sub-agent that works in the background.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchedAgent {
    /// Its id.
    pub agent: String,
    /// Its session file, if it has one.
    pub file: Option<PathBuf>,
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

    /// Whether sub-agents can work in the background.
    fn has_background(&self) -> bool {
        false
    }

    /// Starts a sub-agent that works in the background.
    fn launch(&self, _: &AgentTask, _: &CallContext<'_>) -> Result<LaunchedAgent, SpawnError> {
        Err(SpawnError::Failed("agents cannot run in the background here".to_owned()))
    }
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
        // A sub-agent's own sub-agents are waited for.
        let is_background = input.flag("run_in_background")? && self.spawner.has_background();
        Ok(AgentTask {
            description: input.words("description")?,
            prompt: input.words("prompt")?,
            kind,
            model: input.text_if("model")?.filter(|model| !model.is_empty()),
            place: if is_background { AgentPlace::Background } else { AgentPlace::Foreground },
            rules: Vec::new(),
        })
    }

    async fn send(&self, input: &[u8], call: &CallContext<'_>) -> Result<Outcome, InputError> {
        let task = self.task(&Input::scan(input)?)?;
        if task.place == AgentPlace::Background {
            return Ok(match self.spawner.launch(&task, call) {
                Ok(launched) => launched.outcome(&task),
                Err(error) => Outcome::failed(format!("The agent failed: {error}"), &error.to_string()),
            });
        }
        let done = match self.spawner.spawn(&task, call).await {
            Ok(done) => done,
            Err(SpawnError::Interrupted) => return Ok(Outcome::failed(INTERRUPTED_CALL, INTERRUPTED_CALL)),
            Err(SpawnError::Failed(why)) => {
                return Ok(Outcome::failed(format!("The agent failed: {why}"), &why));
            }
        };
        let kept = object(|kept| {
            kept.string("status", "completed").string("prompt", &task.prompt).string("agentId", &done.agent);
            kept.string("agentType", &task.kind);
            kept.array("content", |list| list.item().extend(text_block(&done.answer)));
            kept.number("totalDurationMs", done.millis).number("totalTokens", done.tokens);
            kept.number("totalToolUseCount", done.tool_uses).raw("usage", &done.usage);
        });
        let trailer = format!(
            "agentId: {}\ntotal_tokens: {}\ntool_uses: {}\nduration_ms: {}",
            done.agent, done.tokens, done.tool_uses, done.millis
        );
        let shown = ToolContent::Blocks(vec![text_block(&cut(&done.answer)), text_block(&trailer)]);
        Ok(Outcome { shown, kept, ..Outcome::default() })
    }
}

impl LaunchedAgent {
    fn outcome(&self, task: &AgentTask) -> Outcome {
        let file = self.file.as_ref().map(|file| file.display().to_string());
        let kept = object(|kept| {
            kept.boolean("isAsync", true).string("status", "async_launched").string("agentId", &self.agent);
            kept.string("description", &task.description).string("prompt", &task.prompt);
            kept.string_if("outputFile", file.as_deref()).boolean("canReadOutputFile", false);
        });
        let said = format!(
            "The agent is running in the background.\nagentId: {}\nYou will get its answer when it ends; until then nothing is known about its progress. Do other work in the meantime, or end your turn. TaskOutput waits for it, SendMessage sends it another message, and TaskStop stops it.",
            self.agent
        );
        Outcome { shown: ToolContent::Blocks(vec![text_block(&said)]), kept, ..Outcome::default() }
    }
}

fn text_block(text: &str) -> Vec<u8> {
    object(|block| {
        block.string("type", "text").string("text", text);
    })
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
        let mut about = "Starts an agent that works on its own in a separate conversation and returns one message. Use it for multi-step searches and for work that can be fully described. Several calls in one response run in parallel. It knows nothing but its prompt. Agent types:".to_owned();
        for known in self.spawner.types() {
            about.push_str(&format!("\n- {}: {}", known.name, known.about));
        }
        let spec = SpecBuilder::new(NAME, "")
            .about(about)
            .required("description", ParamType::Text, "The task in three to five words")
            .required(
                "prompt",
                ParamType::Text,
                "Everything it needs to know and do, and what it should answer",
            )
            .required("subagent_type", ParamType::Text, "The type of agent")
            .optional("model", ParamType::Text, "A model other than that of the conversation");
        match self.spawner.has_background() {
            true => spec.optional(
                "run_in_background",
                ParamType::Flag,
                "Do not wait for it; you are told when it ends. Nobody is asked about its calls: what no rule allows is denied",
            ),
            false => spec,
        }
        .build()
    }

    fn order(&self) -> CallOrder {
        CallOrder::Parallel
    }

    fn call(&self, input: &Fields<'_>) -> Result<ToolRequest, InputError> {
        Ok(ToolRequest::Agent(self.task(&Input::of(input))?.kind))
    }

    fn run_agent<'t>(&'t self, task: &'t AgentTask, call: &'t CallContext<'t>) -> Option<SpawnFuture<'t>> {
        Some(self.spawner.spawn(task, call))
    }

    fn run<'t>(&'t self, input: &'t [u8], call: &'t CallContext<'t>) -> ToolFuture<'t> {
        Box::pin(
            async move { self.send(input, call).await.unwrap_or_else(|error| Outcome::refused(error.0)) },
        )
    }
}
