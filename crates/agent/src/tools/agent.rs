//! Agent: a sub-agent with a conversation of its own. Who runs it is handed in; here is what it is asked and what it answers.
//!
//! It was called `Task`; the newest client knows it by this name and gives it to the calls of old sessions.

use std::future::Future;
use std::pin::Pin;

use annals_json::Fields;

use super::answer::object;
use super::input::Input;
use super::spec::{Holds, Spec};
use super::{Asked, InputError, Order, Outcome, Running, Scene, Shown, Tool};
use crate::api::request::ToolSpec;
use crate::turn::INTERRUPTED_CALL;

/// Letters of an answer that the model sees.
const MOST_OF_AN_ANSWER: usize = 32_000;
/// What the model calls it.
pub const NAME: &str = "Agent";
/// The type of an agent where none is named.
pub const GENERAL: &str = "general-purpose";

/// What a sub-agent is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Errand {
    /// What it is for, in a few words.
    pub description: String,
    /// What it shall do.
    pub prompt: String,
    /// Its type.
    pub kind: String,
    /// The model, where one is named.
    pub model: Option<String>,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Returned {
    /// The sub-agent.
    pub agent: String,
    /// Its last text.
    pub answer: String,
    /// How long it took, in milliseconds.
    pub millis: u64,
    /// Tokens at its end.
    pub tokens: u64,
    /// Tools that it called.
    pub tool_uses: u64,
    /// The usage of its last response: a JSON object.
    pub usage: Vec<u8>,
}

/// A type of agent, as the model is told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentType {
    /// Its name.
    pub name: String,
    /// When to use it.
    pub about: String,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpawnError {
    /// A person stopped it.
    #[error("it was interrupted")]
    Interrupted,
    /// It could not begin, or not go on.
    #[error("{0}")]
    Failed(String),
}

/// Work of a sub-agent that is not done yet.
pub type Spawned<'a> = Pin<Box<dyn Future<Output = Result<Returned, SpawnError>> + Send + 'a>>;

/// Runs sub-agents. Dropping the future ends one, with all that it runs.
pub trait Spawner: Send + Sync {
    /// The types that there are.
    fn types(&self) -> Vec<AgentType>;

    /// Runs one to its end, for the call of this scene.
    fn spawn<'a>(&'a self, errand: &'a Errand, scene: &'a Scene<'a>) -> Spawned<'a>;
}

/// Starts sub-agents.
pub struct Task<'a> {
    spawner: Box<dyn Spawner + 'a>,
}

impl<'a> Task<'a> {
    /// Run by this one.
    pub fn new(spawner: Box<dyn Spawner + 'a>) -> Self {
        Self { spawner }
    }

    fn errand(&self, input: &Input<'_>) -> Result<Errand, InputError> {
        let kind = input.text_if("subagent_type")?.filter(|kind| !kind.is_empty());
        let kind = kind.unwrap_or_else(|| GENERAL.to_owned());
        let types = self.spawner.types();
        if !types.iter().any(|known| known.name == kind) {
            let names: Vec<&str> = types.iter().map(|known| known.name.as_str()).collect();
            return Err(InputError(format!(
                "There is no agent of type {kind:?}. There are: {}.",
                names.join(", ")
            )));
        }
        Ok(Errand {
            description: input.words("description")?,
            prompt: input.words("prompt")?,
            kind,
            model: input.text_if("model")?.filter(|model| !model.is_empty()),
        })
    }

    async fn send(&self, input: &[u8], scene: &Scene<'_>) -> Result<Outcome, InputError> {
        let errand = self.errand(&Input::scan(input)?)?;
        let done = match self.spawner.spawn(&errand, scene).await {
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
            kept.string("status", "completed")
                .string("prompt", &errand.prompt)
                .string("agentId", &done.agent);
            kept.string("agentType", &errand.kind);
            kept.array("content", |list| list.item().extend(text(&done.answer)));
            kept.number("totalDurationMs", done.millis).number("totalTokens", done.tokens);
            kept.number("totalToolUseCount", done.tool_uses).raw("usage", &done.usage);
        });
        let trailer = format!(
            "agentId: {}\ntotal_tokens: {}\ntool_uses: {}\nduration_ms: {}",
            done.agent, done.tokens, done.tool_uses, done.millis
        );
        let shown = Shown::Blocks(vec![text(&cut(&done.answer)), text(&trailer)]);
        Ok(Outcome { shown, kept, ..Outcome::default() })
    }
}

/// An answer that fits; the API refuses an empty text.
fn cut(answer: &str) -> String {
    if answer.trim().is_empty() {
        return "(The agent ended without a text.)".to_owned();
    }
    match answer.char_indices().nth(MOST_OF_AN_ANSWER) {
        None => answer.to_owned(),
        Some((end, _)) => {
            format!("{}\n\n[cut: the answer has {} letters]", &answer[..end], answer.chars().count())
        }
    }
}

impl Tool for Task<'_> {
    fn spec(&self) -> ToolSpec {
        let mut about = "Starts an agent with a conversation of its own, which works by itself and gives one text back. Use it for searches of several steps and for work that can be described in full. Several calls in one answer run beside each other. It knows nothing but its prompt. Types of agents:".to_owned();
        for known in self.spawner.types() {
            about.push_str(&format!("\n- {}: {}", known.name, known.about));
        }
        Spec::new(NAME, "")
            .about(about)
            .needs("description", Holds::Text, "What it is for, in three to five words")
            .needs("prompt", Holds::Text, "All that it must know and do, and what it shall answer")
            .needs("subagent_type", Holds::Text, "The type of agent")
            .may("model", Holds::Text, "The model, where it shall be another one")
            .build()
    }

    fn order(&self) -> Order {
        Order::Beside
    }

    fn call(&self, input: &Fields<'_>) -> Result<Asked, InputError> {
        Ok(Asked::Agent(self.errand(&Input::of(input))?.kind))
    }

    fn run<'t>(&'t self, input: &'t [u8], scene: &'t Scene<'t>) -> Running<'t> {
        Box::pin(
            async move { self.send(input, scene).await.unwrap_or_else(|error| Outcome::refused(error.0)) },
        )
    }
}
