//! A session as a recording: prompts, responses and tool results in order.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use annals_json::{ArrayWriter, Value};
use annals_store::session::{ForkError, path_to};
use annals_transcript::content::{Block, Content};
use annals_transcript::record::{Assistant, Record, User};
use annals_transcript::transcript::Transcript;
use annals_transcript::turn::Speaker;

use crate::protocol::Prompt;
use crate::tools::{Outcome, ToolContent};

/// A session that can be replayed.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// The turns in order.
    pub turns: Vec<RecordedTurn>,
    /// The model that answered last.
    pub model: Option<String>,
    /// The tool results, by call id.
    pub(super) results: HashMap<String, Outcome>,
    calls: BTreeSet<String>,
}

/// A prompt and its responses.
#[derive(Clone, Debug, Default)]
pub struct RecordedTurn {
    /// The prompt; `None` if the session starts with a response.
    pub prompt: Option<Prompt>,
    /// The responses; all but the last call tools.
    pub responses: Vec<RecordedResponse>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedResponse {
    /// `message.id`.
    pub id: String,
    /// The model that answered.
    pub model: String,
    /// The blocks, as JSON.
    pub blocks: Vec<Vec<u8>>,
    /// `usage`, as JSON.
    pub usage: Option<Vec<u8>>,
}

impl RecordedResponse {
    pub(super) fn has_calls(&self) -> bool {
        self.blocks.iter().any(|block| text_of(block, "type") == "tool_use")
    }

    /// Adds a block, unless it is empty.
    fn add(&mut self, block: &[u8]) {
        let is_void = match text_of(block, "type").as_str() {
            "text" => text_of(block, "text").is_empty(),
            "tool_use" | "thinking" | "redacted_thinking" => false,
            // Results of server tools are omitted: the text reports them.
            _ => true,
        };
        if !is_void {
            self.blocks.push(block.to_vec());
        }
    }
}

impl Recording {
    /// Reads a session from its first line, including what compactions hide. `path` is used in errors.
    pub fn of(bytes: &[u8], path: &Path) -> Result<Self, ForkError> {
        let transcript = Transcript::parse(bytes);
        let nodes: BTreeSet<_> = path_to(&transcript, None, path)?;
        let mut recording = Self::default();
        for node in nodes {
            match transcript.record(node) {
                Record::User(user) => recording.add_user(&user),
                Record::Assistant(assistant) => recording.add_assistant(&assistant),
                _ => {}
            }
        }
        recording.turns.iter_mut().for_each(merge_trailing);
        recording.turns.retain(|turn| turn.prompt.is_some() || !turn.responses.is_empty());
        Ok(recording)
    }

    /// Returns the names of the tools that are called, sorted.
    pub fn tool_names(&self) -> BTreeSet<String> {
        let blocks = self.turns.iter().flat_map(|turn| &turn.responses).flat_map(|response| &response.blocks);
        let calls = blocks.filter(|block| text_of(block, "type") == "tool_use");
        calls.map(|block| text_of(block, "name")).collect()
    }

    fn add_user(&mut self, user: &User<'_>) {
        let content = user.content();
        if Speaker::of(user).opens_turn() {
            let list = user.message().and_then(|message| message.fields().get("content"));
            let prompt = match &content {
                Content::Text(text) => Some(Prompt::Text(text.to_string())),
                _ => list.map(|list| Prompt::Blocks(blocks_of(list))),
            };
            self.turns.push(RecordedTurn { prompt, responses: Vec::new() });
            return;
        }
        for block in content.blocks() {
            if let Block::ToolResult(result) = block {
                let fields = result.fields();
                let Some(id) = fields.text("tool_use_id").map(|id| id.to_string()) else { continue };
                let kept = user.tool_use_result_value().map(|value| value.raw().to_vec()).unwrap_or_default();
                let is_error = fields.is_true("is_error");
                let shown = shown(fields.get("content"));
                self.results.entry(id).or_insert(Outcome { shown, is_error, kept, ..Outcome::default() });
            }
        }
    }

    fn add_assistant(&mut self, assistant: &Assistant<'_>) {
        if assistant.is_synthetic() {
            return;
        }
        let Some(message) = assistant.message() else { return };
        let text = |key: &str| message.fields().text(key).map(|text| text.to_string()).unwrap_or_default();
        let (id, model) = (text("id"), text("model"));
        if self.turns.is_empty() {
            self.turns.push(RecordedTurn::default());
        }
        let Some(turn) = self.turns.last_mut() else { return };
        let known = turn.responses.iter().position(|response| !id.is_empty() && response.id == id);
        let at = known.unwrap_or_else(|| {
            turn.responses.push(RecordedResponse { id, model: model.clone(), ..RecordedResponse::default() });
            turn.responses.len() - 1
        });
        let response = &mut turn.responses[at];
        for block in assistant.content().blocks() {
            // A repeated call has one result.
            let is_new = match &block {
                Block::ToolUse(call) => self.calls.insert(text_of(call.fields().raw(), "id")),
                _ => true,
            };
            if is_new {
                response.add(block.raw());
            }
        }
        response.usage =
            message.fields().get("usage").map(|usage| usage.raw().to_vec()).or(response.usage.take());
        self.model = Some(model).filter(|model| !model.is_empty()).or(self.model.take());
    }
}

/// Merges responses after the end of a turn: a response without tool calls would end the turn in a replay.
fn merge_trailing(turn: &mut RecordedTurn) {
    let mut joined: Vec<RecordedResponse> = Vec::new();
    for response in turn.responses.drain(..).filter(|response| !response.blocks.is_empty()) {
        match joined.last_mut() {
            Some(last) if !last.has_calls() => response.blocks.iter().for_each(|block| last.add(block)),
            _ => joined.push(response),
        }
    }
    turn.responses = joined;
}

/// Returns the blocks of a prompt for the API: old files have bare strings among them.
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

fn shown(content: Option<Value<'_>>) -> ToolContent {
    match content {
        Some(content) if content.text().is_none() => {
            ToolContent::Blocks(content.items().map(|block| block.raw().to_vec()).collect())
        }
        content => {
            ToolContent::Text(content.and_then(Value::text).map(|text| text.to_string()).unwrap_or_default())
        }
    }
}

/// Returns a string of an object, or an empty one.
pub(super) fn text_of(object: &[u8], key: &str) -> String {
    let text = Value::parse(object).ok().and_then(|value| value.get(key)).and_then(Value::text);
    text.map(|text| text.to_string()).unwrap_or_default()
}
