//! Extracts the material for a summary without a model: prompts, replies, files, commands, errors, todos.

use std::collections::{BTreeMap, HashMap};

use annals_json::Value;
use annals_transcript::content::{Block, Content, ToolUse};
use annals_transcript::record::{Assistant, Record, User};
use annals_transcript::transcript::{NodeIndex, Transcript};
use annals_transcript::turn::{Speaker, prompt_text};

/// The extract of all turns to summarize.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Extract {
    /// Earlier summaries.
    pub(super) earlier: Vec<String>,
    pub(super) turns: Vec<TurnExtract>,
    /// The last todo list: status and content of each item.
    pub(super) todos: Vec<(String, String)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TurnExtract {
    /// The prompt, unchanged; `None` before the first one.
    pub(super) prompt: Option<String>,
    /// How many images the prompt has.
    pub(super) images: usize,
    /// The texts of the model.
    pub(super) replies: Vec<String>,
    pub(super) changed: Vec<String>,
    pub(super) read: Vec<String>,
    pub(super) commands: Vec<String>,
    /// Failed calls: tool and message.
    pub(super) failed: Vec<(String, String)>,
    pub(super) tools: BTreeMap<String, usize>,
    /// Whether the user interrupted it.
    pub(super) interrupted: bool,
}

/// Extracts the turns of these records.
pub(super) fn turns_of(transcript: &Transcript<'_>, nodes: &[NodeIndex]) -> Extract {
    let mut extract = Extract::default();
    let mut names: HashMap<String, String> = HashMap::new();
    for &node in nodes {
        match transcript.record(node) {
            Record::User(user) => extract.add_user(&user, &names),
            Record::Assistant(reply) => extract.add_reply(&reply, &mut names),
            _ => {}
        }
    }
    extract
}

impl Extract {
    fn turn(&mut self) -> &mut TurnExtract {
        if self.turns.is_empty() {
            self.turns.push(TurnExtract::default());
        }
        let last = self.turns.len() - 1;
        &mut self.turns[last]
    }

    fn add_user(&mut self, user: &User<'_>, names: &HashMap<String, String>) {
        let content = user.content();
        match Speaker::of(user) {
            Speaker::Summary => self.earlier.push(content.plain_text()),
            speaker if speaker.opens_turn() => {
                let images = content.blocks().filter(|block| matches!(block, Block::Image(_))).count();
                let prompt = Some(prompt_text(user));
                self.turns.push(TurnExtract { prompt, images, ..TurnExtract::default() });
            }
            Speaker::Interrupt => self.turn().interrupted = true,
            Speaker::Tool => {
                for block in content.blocks() {
                    let Block::ToolResult(result) = block else { continue };
                    if result.is_error() == Some(true) {
                        let id = result.tool_use().map(|id| id.to_string()).unwrap_or_default();
                        let name = names.get(&id).cloned().unwrap_or_default();
                        let text = result.content().as_ref().map(Content::plain_text).unwrap_or_default();
                        self.turn().failed.push((name, text));
                    }
                }
            }
            _ => {}
        }
    }

    fn add_reply(&mut self, reply: &Assistant<'_>, names: &mut HashMap<String, String>) {
        for block in reply.content().blocks() {
            match block {
                Block::Text(_) => {
                    let text = block.plain_text().unwrap_or_default();
                    if !text.trim().is_empty() {
                        self.turn().replies.push(text);
                    }
                }
                Block::ToolUse(call) => {
                    let name = call.name().map(|name| name.to_string()).unwrap_or_default();
                    if let Some(id) = call.id() {
                        names.insert(id.to_string(), name.clone());
                    }
                    self.note_call(&call, name);
                }
                _ => {}
            }
        }
    }

    fn note_call(&mut self, call: &ToolUse<'_>, name: String) {
        let text = |key: &str| call.input()?.text(key).map(|text| text.to_string());
        if let Some(todos) = call.input().and_then(|input| input.get("todos")) {
            let word = |item: Value<'_>, key: &str| item.get(key)?.text().map(|text| text.to_string());
            let todo = |item| Some((word(item, "status")?, word(item, "content")?));
            self.todos = todos.items().filter_map(todo).collect();
        }
        let turn = self.turn();
        let changes = matches!(name.as_str(), "Write" | "Edit" | "MultiEdit" | "NotebookEdit");
        if let Some(path) = text("file_path").or_else(|| text("notebook_path")) {
            let list = if changes { &mut turn.changed } else { &mut turn.read };
            if !list.contains(&path) {
                list.push(path);
            }
        }
        turn.commands.extend(text("command"));
        *turn.tools.entry(name).or_default() += 1;
    }
}
