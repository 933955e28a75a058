//! The conversation as the next request says it. It is made from the file by the rules of the newest client, so that what we
//! send is what that client would send; while a turn goes its usual way, lines are added without reading the file again.

use std::borrow::Cow;

use annals_json::{Kind, ObjectWriter, Value};
use annals_transcript::content::Block;
use annals_transcript::draft::{Draft, Thread};
use annals_transcript::record::RecordKind;
use annals_transcript::resume::{ApiMessage, Body, Client, Filler, Origin, Role as Speaks, resume};
use annals_transcript::transcript::Transcript;

use crate::api::request::{Message, Role};

/// What stands for a beginning that is not there.
const MISSING_BEGINNING: &str = "(The beginning of this conversation is missing.)";

/// One message, its blocks as JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spoken {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub blocks: Vec<Vec<u8>>,
}

impl Spoken {
    /// The message as a request takes it.
    pub fn message(&self) -> Message<'_> {
        Message {
            role: self.role,
            blocks: self.blocks.iter().map(|block| Cow::Borrowed(&block[..])).collect(),
        }
    }

    /// Whether it holds results of tools.
    pub fn has_results(&self) -> bool {
        self.blocks.iter().any(|block| is_result(block))
    }

    /// Whether it holds thinking.
    pub(crate) fn has_thinking(&self) -> bool {
        self.blocks.iter().any(|block| is_thinking(block))
    }

    /// Leaves out what was thought.
    pub(crate) fn drop_thinking(&mut self) {
        self.blocks.retain(|block| !is_thinking(block));
    }

    /// Whether somebody says something in it, beside results of tools.
    fn is_prompt(&self) -> bool {
        self.role == Role::User && !self.blocks.iter().all(|block| is_result(block))
    }
}

/// What a file says, and what of it waits for an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rebuilt {
    pub(crate) messages: Vec<Spoken>,
    /// Calls at the end that nobody answered.
    pub(crate) open_calls: Vec<String>,
    /// The line of the last thing that was said, beside results of tools.
    pub(crate) last_prompt: Option<String>,
    /// The ids of all responses in the file, on whichever branch.
    pub(crate) responses: Vec<String>,
}

/// Reads a file, a session's or a sub-agent's, as the newest client does. What that client would put behind a conversation that ends with the user is left
/// out: what follows is put there by us. Thinking before a line can be left out as well.
pub(crate) fn rebuild(bytes: &[u8], thread: Thread, thinking_from: Option<&str>) -> Rebuilt {
    let transcript = match thread {
        Thread::Main => Transcript::parse(bytes),
        Thread::Agent => Transcript::parse(bytes).of_agent(),
    };
    let resumed = resume(&transcript, Client::NEWEST);
    let mut open_calls = Vec::new();
    let mut messages = Vec::new();
    let (mut first_with_thinking, mut last_prompt) = (0, None);
    for message in resumed.messages() {
        let lines = message.blocks.iter().filter_map(|block| match block.origin {
            Origin::Record(node) => transcript.nodes()[node].uuid,
            Origin::Filler(_) => None,
        });
        let lines: Vec<_> = lines.collect();
        if thinking_from.is_some_and(|from| lines.iter().any(|line| line.is(from))) {
            first_with_thinking = messages.len();
        }
        for block in &message.blocks {
            if let Body::Filler(Filler::OpenCall, Some(call)) = &block.body {
                open_calls.push(call.to_string());
            }
        }
        let message = owned(message);
        if message.is_prompt() {
            last_prompt = lines.last().map(ToString::to_string).or(last_prompt);
        }
        messages.push(message);
    }
    for message in &mut messages[..first_with_thinking] {
        message.drop_thinking();
    }
    let is_filler = |message: &ApiMessage<'_>| {
        message.blocks.iter().all(|block| block.origin == Origin::Filler(Filler::NoResponse))
    };
    if resumed.messages().last().is_some_and(|last| last.role == Speaks::Assistant && is_filler(last)) {
        messages.pop();
    }
    messages.retain(|message| !message.blocks.is_empty());
    if messages.first().is_some_and(|first| first.role == Role::Assistant) {
        // A file that has lost its beginning, or runs in a circle: the API takes no conversation that the model opens.
        let mut block = Vec::new();
        let mut object = ObjectWriter::begin(&mut block);
        object.string("type", "text").string("text", MISSING_BEGINNING);
        object.end();
        messages.insert(0, Spoken { role: Role::User, blocks: vec![block] });
    }
    Rebuilt { messages, open_calls, last_prompt, responses: responses_of(&transcript) }
}

fn responses_of(transcript: &Transcript<'_>) -> Vec<String> {
    let nodes = transcript.nodes().iter().enumerate();
    let replies = nodes.filter(|(_, node)| node.kind == RecordKind::Assistant).map(|(at, _)| at);
    let id = |at| transcript.fields(at).object("message")?.text("id").map(|id| id.to_string());
    replies.filter_map(id).collect()
}

fn owned(message: &ApiMessage<'_>) -> Spoken {
    let role = match message.role {
        Speaks::User => Role::User,
        Speaks::Assistant => Role::Assistant,
    };
    let block = |block: &annals_transcript::resume::ApiBlock<'_>| {
        let mut json = Vec::new();
        block.write_json(&mut json);
        json
    };
    Spoken { role, blocks: message.blocks.iter().map(block).collect() }
}

/// Adds a line to what is said, as a client that reads the file would. `false` where only reading the file can tell.
pub(crate) fn add(messages: &mut Vec<Spoken>, draft: &Draft, role: Role, place: Place) -> Added {
    let blocks = blocks_of(draft);
    if blocks.is_empty() || blocks.iter().any(|block| is_odd(block)) {
        return Added::ReadTheFile;
    }
    match (messages.last_mut(), place) {
        (Some(last), Place::Same) if last.role == role => {
            last.blocks.extend(blocks);
            if role == Role::Assistant {
                // Calls come last.
                last.blocks.sort_by_key(|block| is_call(block));
            }
        }
        (Some(last), _) if last.role == role => return Added::ReadTheFile,
        _ => messages.push(Spoken { role, blocks }),
    }
    Added::Whole
}

/// Whether a line goes on with the message before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// It opens a message.
    New,
    /// It is part of the one before.
    Same,
}

/// Whether a line could be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Added {
    /// It is.
    Whole,
    /// What is said must be read from the file.
    ReadTheFile,
}

fn blocks_of(draft: &Draft) -> Vec<Vec<u8>> {
    let content = draft.value("message").and_then(|message| message.get("content"));
    let Some(content) = content else { return Vec::new() };
    match (content.kind(), content.text()) {
        (Kind::Array, _) => content.items().map(|block| block.raw().to_vec()).collect(),
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

/// Whether a line holds thinking and nothing else.
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

/// What clients treat in a way of its own: texts that say nothing, kinds of blocks that are seldom seen, half characters.
fn is_odd(block: &[u8]) -> bool {
    let Ok(value) = Value::parse(block) else { return true };
    let is_plain = match Block::new(value) {
        Block::Text(text) => text.text().is_some_and(|text| !text.decode().trim().is_empty()),
        Block::Thinking(_) | Block::RedactedThinking(_) | Block::ToolUse(_) | Block::ToolResult(_) => true,
        _ => false,
    };
    let has_half_characters = || memchr::memmem::find(block, b"\\ud").is_some();
    let is_renamed = || value.get("name").and_then(Value::text).is_some_and(|name| name.is("Task"));
    !is_plain || has_half_characters() || is_renamed()
}
