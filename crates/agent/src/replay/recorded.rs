//! What a session says, in the order in which it was said: prompts, responses, results of tools.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use annals_json::{ArrayWriter, Value};
use annals_store::session::{ForkError, path_to};
use annals_transcript::content::{Block, Content};
use annals_transcript::record::{Assistant, Record, User};
use annals_transcript::transcript::Transcript;
use annals_transcript::turn::Speaker;

use crate::command::Prompt;
use crate::tools::{Outcome, Shown};

/// A session that can be played.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// Its turns.
    pub turns: Vec<Turn>,
    /// The model that answered last.
    pub model: Option<String>,
    /// What tools answered, by the ids of the calls.
    pub(super) results: HashMap<String, Outcome>,
    /// The ids of all calls so far.
    calls: BTreeSet<String>,
}

/// A prompt and what was answered.
#[derive(Clone, Debug, Default)]
pub struct Turn {
    /// The prompt; none where the session begins with an answer.
    pub prompt: Option<Prompt>,
    /// The responses. All but the last call tools.
    pub steps: Vec<Step>,
}

/// A response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// `message.id`.
    pub id: String,
    /// The model.
    pub model: String,
    /// Its blocks, as JSON.
    pub blocks: Vec<Vec<u8>>,
    /// `usage`, as JSON.
    pub usage: Option<Vec<u8>>,
}

impl Step {
    /// Whether it calls a tool.
    pub(super) fn has_calls(&self) -> bool {
        self.blocks.iter().any(|block| text_of(block, "type") == "tool_use")
    }

    /// Adds a block, unless it is empty.
    fn add(&mut self, block: &[u8]) {
        let is_void = match text_of(block, "type").as_str() {
            "text" => text_of(block, "text").is_empty(),
            "tool_use" | "thinking" | "redacted_thinking" => false,
            // What the API did itself came with its own result, which the text tells of.
            _ => true,
        };
        if !is_void {
            self.blocks.push(block.to_vec());
        }
    }
}

impl Recording {
    /// The conversation that a session is, from its first line on, also what compactions hide. `path` is named in errors.
    pub fn of(bytes: &[u8], path: &Path) -> Result<Self, ForkError> {
        let transcript = Transcript::parse(bytes);
        let nodes: BTreeSet<_> = path_to(&transcript, None, path)?;
        let mut recording = Self::default();
        for node in nodes {
            match transcript.record(node) {
                Record::User(user) => recording.hear(&user),
                Record::Assistant(assistant) => recording.answer(&assistant),
                _ => {}
            }
        }
        recording.turns.iter_mut().for_each(join);
        recording.turns.retain(|turn| turn.prompt.is_some() || !turn.steps.is_empty());
        Ok(recording)
    }

    /// The names of the tools that are called, in their order.
    pub fn tool_names(&self) -> BTreeSet<String> {
        let blocks = self.turns.iter().flat_map(|turn| &turn.steps).flat_map(|step| &step.blocks);
        let calls = blocks.filter(|block| text_of(block, "type") == "tool_use");
        calls.map(|block| text_of(block, "name")).collect()
    }

    fn hear(&mut self, user: &User<'_>) {
        let content = user.content();
        if Speaker::of(user).opens_turn() {
            let list = user.message().and_then(|message| message.fields().get("content"));
            let prompt = match &content {
                Content::Text(text) => Some(Prompt::Text(text.to_string())),
                _ => list.map(|list| Prompt::Blocks(blocks_of(list))),
            };
            self.turns.push(Turn { prompt, steps: Vec::new() });
            return;
        }
        for block in content.blocks() {
            if let Block::ToolResult(result) = block {
                let fields = result.fields();
                let Some(id) = fields.text("tool_use_id").map(|id| id.to_string()) else { continue };
                let kept = user.tool_use_result_value().map(|value| value.raw().to_vec()).unwrap_or_default();
                let is_error = fields.is_true("is_error");
                let shown = shown(fields.get("content"));
                self.results.entry(id).or_insert(Outcome { shown, is_error, kept, changed: Vec::new() });
            }
        }
    }

    fn answer(&mut self, assistant: &Assistant<'_>) {
        if assistant.is_synthetic() {
            return;
        }
        let Some(message) = assistant.message() else { return };
        let text = |key: &str| message.fields().text(key).map(|text| text.to_string()).unwrap_or_default();
        let (id, model) = (text("id"), text("model"));
        if self.turns.is_empty() {
            self.turns.push(Turn::default());
        }
        let Some(turn) = self.turns.last_mut() else { return };
        let known = turn.steps.iter().position(|step| !id.is_empty() && step.id == id);
        let at = known.unwrap_or_else(|| {
            turn.steps.push(Step { id, model: model.clone(), ..Step::default() });
            turn.steps.len() - 1
        });
        let step = &mut turn.steps[at];
        for block in assistant.content().blocks() {
            // A call that stands twice has one answer.
            let is_new = match &block {
                Block::ToolUse(call) => self.calls.insert(text_of(call.fields().raw(), "id")),
                _ => true,
            };
            if is_new {
                step.add(block.raw());
            }
        }
        step.usage = message.fields().get("usage").map(|usage| usage.raw().to_vec()).or(step.usage.take());
        self.model = Some(model).filter(|model| !model.is_empty()).or(self.model.take());
    }
}

/// A response that calls nothing ends a turn: what came behind it all the same becomes part of it.
fn join(turn: &mut Turn) {
    let mut joined: Vec<Step> = Vec::new();
    for step in turn.steps.drain(..).filter(|step| !step.blocks.is_empty()) {
        match joined.last_mut() {
            Some(last) if !last.has_calls() => step.blocks.iter().for_each(|block| last.add(block)),
            _ => joined.push(step),
        }
    }
    turn.steps = joined;
}

/// The blocks of a prompt, as the API takes them: old files have bare words among them.
fn blocks_of(list: Value<'_>) -> Vec<u8> {
    let mut json = Vec::new();
    let mut blocks = ArrayWriter::begin(&mut json);
    for item in list.items() {
        match item.text() {
            Some(text) => {
                blocks.object(|block| {
                    block.string("type", "text").string("text", &text.decode());
                });
            }
            None if item.fields().is_some() => blocks.item().extend_from_slice(item.raw()),
            None => {}
        }
    }
    blocks.end();
    json
}

fn shown(content: Option<Value<'_>>) -> Shown {
    match content {
        Some(content) if content.text().is_none() => {
            Shown::Blocks(content.items().map(|block| block.raw().to_vec()).collect())
        }
        content => {
            Shown::Text(content.and_then(Value::text).map(|text| text.to_string()).unwrap_or_default())
        }
    }
}

/// A text of an object, empty where there is none.
pub(super) fn text_of(object: &[u8], key: &str) -> String {
    let text = Value::parse(object).ok().and_then(|value| value.get(key)).and_then(Value::text);
    text.map(|text| text.to_string()).unwrap_or_default()
}
