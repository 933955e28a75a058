//! The messages of the next request. They are built from the file by the rules of the newest client, so that we send what
//! that client would send; during a turn, lines are added without reading the file again.

use std::borrow::Cow;

use annals_json::{ObjectWriter, Value, ValueKind};
use annals_transcript::content::Block;
use annals_transcript::draft::{Draft, ThreadKind};
use annals_transcript::record::RecordKind;
use annals_transcript::resume::{
    ApiMessage as ResumedMessage, BlockBody, BlockOrigin, Client, Filler, Role as Speaks, resume,
};
use annals_transcript::transcript::Transcript;

use super::history::{self, PastContext};
use crate::api::model::Model;
use crate::api::request::{Message, Role};

/// Replaces a missing beginning.
const MISSING_BEGINNING: &str = "(The beginning of this conversation is missing.)";

/// A message of a request, its blocks as JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiMessage {
    pub role: Role,
    /// The content blocks, each a JSON object.
    pub blocks: Vec<Vec<u8>>,
}

impl ApiMessage {
    /// Borrows the message for a request.
    pub fn message(&self) -> Message<'_> {
        Message {
            role: self.role,
            blocks: self.blocks.iter().map(|block| Cow::Borrowed(&block[..])).collect(),
        }
    }

    /// Returns whether the message holds tool results.
    pub fn has_results(&self) -> bool {
        self.blocks.iter().any(|block| is_result(block))
    }

    pub(crate) fn has_thinking(&self) -> bool {
        self.blocks.iter().any(|block| is_thinking(block))
    }

    pub(crate) fn drop_thinking(&mut self) {
        self.blocks.retain(|block| !is_thinking(block));
    }

    /// Returns whether the message holds anything besides tool results.
    fn is_prompt(&self) -> bool {
        self.role == Role::User && !self.blocks.iter().all(|block| is_result(block))
    }
}

/// Which thinking is left out of the messages. The file keeps it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ThinkingFilter {
    /// The line before which the model refuses thinking.
    pub(crate) from: Option<String>,
    /// The model of the next request: in earlier turns it gets back its own thinking alone, which is signed for it.
    pub(crate) model: Option<String>,
    /// Models that have answered in place of another, behind a gateway: the one that was asked, and the one that answered.
    pub(crate) authors: Vec<(String, String)>,
    /// The line of the prompt that opened the current turn; `None` between turns.
    pub(crate) turn: Option<String>,
}

/// The messages of a file, and its tool calls without a result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RebuiltMessages {
    pub(crate) messages: Vec<ApiMessage>,
    /// Tool calls at the end that have no result.
    pub(crate) open_calls: Vec<String>,
    /// The line of the last message that is not a tool result.
    pub(crate) last_prompt: Option<String>,
    /// The ids of all responses in the file, on all branches.
    pub(crate) responses: Vec<String>,
    /// The tokens in the context window after the last response; 0 without one.
    pub(crate) context: u64,
    /// What the model has in its context.
    pub(crate) past: PastContext,
}

/// Reads the file of a session or a sub-agent as the newest client does. The filler that this client adds after a last user
/// message is left out, since the next message follows.
pub(crate) fn rebuild(bytes: &[u8], thread: ThreadKind, thinking: &ThinkingFilter) -> RebuiltMessages {
    let transcript = match thread {
        ThreadKind::Main => Transcript::parse(bytes),
        ThreadKind::Agent => Transcript::parse(bytes).of_agent(),
    };
    let resumed = resume(&transcript, Client::NEWEST);
    let mut open_calls = Vec::new();
    let mut messages = Vec::new();
    let mut foreign = Vec::new();
    let (mut first_with_thinking, mut last_prompt) = (0, None);
    // If its prompt is compacted away, all that is left is of the turn.
    let mut turn = if thinking.turn.is_some() { 0 } else { usize::MAX };
    for message in resumed.messages() {
        let lines = message.blocks.iter().filter_map(|block| match block.origin {
            BlockOrigin::Record(node) => transcript.node(node).uuid,
            BlockOrigin::Filler(_) => None,
        });
        let lines: Vec<_> = lines.collect();
        if thinking.from.as_ref().is_some_and(|from| lines.iter().any(|line| line.is(from))) {
            first_with_thinking = messages.len();
        }
        if thinking.turn.as_ref().is_some_and(|turn| lines.iter().any(|line| line.is(turn))) {
            turn = messages.len();
        }
        for block in &message.blocks {
            if let BlockBody::Filler(Filler::OpenCall, Some(call)) = &block.body {
                open_calls.push(call.to_string());
            }
        }
        foreign.push(is_foreign(message, &transcript, thinking));
        let message = owned(message);
        if message.is_prompt() {
            last_prompt = lines.last().map(ToString::to_string).or(last_prompt);
        }
        messages.push(message);
    }
    for (at, message) in messages.iter_mut().enumerate() {
        if at < first_with_thinking || (at < turn && foreign[at]) {
            message.drop_thinking();
        }
    }
    let is_filler = |message: &ResumedMessage<'_>| {
        message.blocks.iter().all(|block| block.origin == BlockOrigin::Filler(Filler::NoResponse))
    };
    if resumed.messages().last().is_some_and(|last| last.role == Speaks::Assistant && is_filler(last)) {
        messages.pop();
    }
    messages.retain(|message| !message.blocks.is_empty());
    if messages.first().is_some_and(|first| first.role == Role::Assistant) {
        // The file has lost its beginning or contains a cycle: the API refuses a conversation that the assistant opens.
        let mut block = Vec::new();
        let mut object = ObjectWriter::begin(&mut block);
        object.string("type", "text").string("text", MISSING_BEGINNING);
        object.end();
        messages.insert(0, ApiMessage { role: Role::User, blocks: vec![block] });
    }
    RebuiltMessages {
        messages,
        open_calls,
        last_prompt,
        responses: responses_of(&transcript),
        context: history::context(&transcript, resumed.messages()),
        past: PastContext::of(&transcript, resumed.messages()),
    }
}

/// Returns whether another model wrote a response: its thinking is refused, or has no meaning, in a request to this one.
fn is_foreign(message: &ResumedMessage<'_>, transcript: &Transcript<'_>, thinking: &ThinkingFilter) -> bool {
    let model = thinking.model.as_deref().filter(|_| message.role == Speaks::Assistant);
    let Some(model) = model else { return false };
    let author = |node| transcript.fields(node).object("message")?.text("model").map(|name| name.to_string());
    let mut authors = message.blocks.iter().filter_map(|block| match block.origin {
        BlockOrigin::Record(node) => author(node),
        BlockOrigin::Filler(_) => None,
    });
    let answers = |author: &str| thinking.authors.iter().any(|pair| pair.0 == model && pair.1 == author);
    authors.any(|author| !Model::is_same(&author, model) && !answers(&author))
}

fn responses_of(transcript: &Transcript<'_>) -> Vec<String> {
    let nodes = transcript.indexed_nodes();
    let replies = nodes.filter(|(_, node)| node.kind == RecordKind::Assistant).map(|(at, _)| at);
    let id = |at| transcript.fields(at).object("message")?.text("id").map(|id| id.to_string());
    replies.filter_map(id).collect()
}

fn owned(message: &ResumedMessage<'_>) -> ApiMessage {
    let role = match message.role {
        Speaks::User => Role::User,
        Speaks::Assistant => Role::Assistant,
    };
    let block = |block: &annals_transcript::resume::ApiBlock<'_>| {
        let mut json = Vec::new();
        block.write_json(&mut json);
        json
    };
    ApiMessage { role, blocks: message.blocks.iter().map(block).collect() }
}

/// Adds the blocks of a paused response as they are: the API continues it.
pub(crate) fn add_paused(messages: &mut Vec<ApiMessage>, blocks: Vec<Vec<u8>>) {
    messages.push(ApiMessage { role: Role::Assistant, blocks });
}

/// Adds a line as a client that reads the file would. Returns `false` if only reading the file gives the right messages.
pub(crate) fn add(messages: &mut Vec<ApiMessage>, draft: &Draft, role: Role, grouping: Grouping) -> bool {
    let blocks = blocks_of(draft);
    if blocks.is_empty() || blocks.iter().any(|block| is_odd(block)) {
        return false;
    }
    match (messages.last_mut(), grouping) {
        (Some(last), Grouping::SameMessage) if last.role == role => {
            last.blocks.extend(blocks);
            if role == Role::Assistant {
                last.blocks.sort_by_key(|block| is_call(block));
            }
        }
        (Some(last), _) if last.role == role => return false,
        _ => messages.push(ApiMessage { role, blocks }),
    }
    true
}

/// Whether a line starts a message or extends the previous one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grouping {
    NewMessage,
    SameMessage,
}

fn blocks_of(draft: &Draft) -> Vec<Vec<u8>> {
    let content = draft.value("message").and_then(|message| message.get("content"));
    let Some(content) = content else { return Vec::new() };
    match (content.kind(), content.text()) {
        (ValueKind::Array, _) => content.items().map(|block| block.raw().to_vec()).collect(),
        (_, Some(_)) => {
            let mut json = Vec::new();
            let mut object = ObjectWriter::begin(&mut json);
            object.string("type", "text").raw("text", content.raw());
            object.end();
            vec![json]
        }
        _ => Vec::new(),
    }
}

/// Returns whether a line holds thinking and nothing else.
pub(crate) fn is_thought(draft: &Draft) -> bool {
    blocks_of(draft).iter().all(|block| is_thinking(block))
}

fn is_thinking(block: &[u8]) -> bool {
    let block = Value::parse(block).map(Block::new);
    matches!(block, Ok(Block::Thinking(_) | Block::RedactedThinking(_)))
}

fn is_result(block: &[u8]) -> bool {
    Value::parse(block).is_ok_and(|value| matches!(Block::new(value), Block::ToolResult(_)))
}

fn is_call(block: &[u8]) -> bool {
    Value::parse(block).is_ok_and(|value| matches!(Block::new(value), Block::ToolUse(_)))
}

/// Returns whether clients send a call under another name than it is written.
fn is_old_name(name: &str) -> bool {
    matches!(name, "Task" | "KillShell" | "AgentOutputTool" | "BashOutputTool")
}

/// Returns whether clients treat a block specially: blank text, rare block types, lone surrogates.
fn is_odd(block: &[u8]) -> bool {
    let Ok(value) = Value::parse(block) else { return true };
    let is_plain = match Block::new(value) {
        Block::Text(text) => text.text().is_some_and(|text| !text.decode().trim().is_empty()),
        Block::Thinking(_) | Block::RedactedThinking(_) | Block::ToolUse(_) | Block::ToolResult(_) => true,
        _ => false,
    };
    let has_half_characters = || memchr::memmem::find(block, b"\\ud").is_some();
    let is_renamed =
        || value.get("name").and_then(Value::text).is_some_and(|name| is_old_name(&name.decode()));
    !is_plain || has_half_characters() || is_renamed()
}
