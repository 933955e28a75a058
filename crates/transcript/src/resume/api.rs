//! Messages as they go over the wire, each block with where it came from.
//!
//! A block of the file keeps its bytes: a signature over a thought holds for these bytes only.

use super::surrogates;
use crate::content::Block;
use crate::id::ToolUseId;
use crate::transcript::NodeIndex;
use annals_json::edit::{Editor, Step};
use annals_json::{ObjectWriter, Text, Value, write_string};

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The user, or the client in the user's name.
    User,
    /// The model.
    Assistant,
}

impl Role {
    /// The word on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// What the client itself puts where something is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Filler {
    /// A reply after a prompt that nobody answered.
    NoResponse,
    /// A prompt after a result that nobody went on from.
    GoOn,
    /// Something in a message that has lost its content.
    NoContent,
    /// The first message, where all that it held were results without a call.
    OrphanedResult,
    /// Something in a reply whose calls were all repeated.
    RepeatedCall,
    /// A result for a call that has none where it should stand.
    MissingResult,
    /// A result for a call at the very end, which nobody answered.
    OpenCall,
}

impl Filler {
    fn words(self) -> &'static str {
        match self {
            Self::NoResponse => "No response requested.",
            Self::GoOn => "Continue from where you left off.",
            Self::NoContent => "(no content)",
            Self::OrphanedResult => "[Orphaned tool result removed due to conversation resume]",
            Self::RepeatedCall => "[Tool use interrupted]",
            Self::MissingResult => "[no result of this call stands behind it]",
            Self::OpenCall => "[the session ended before this call was answered]",
        }
    }
}

/// Where a block came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// A record of the file.
    Record(NodeIndex),
    /// The client itself.
    Filler(Filler),
}

/// What a block consists of.
#[derive(Clone, Debug)]
pub enum Body<'a> {
    /// A block, byte for byte as it stands in the file.
    Block(&'a [u8]),
    /// A block of the file that the client changes: half characters, a line break at a seam, the new name of a tool.
    Changed(Vec<u8>),
    /// A content that is a string: a text, with the string's bytes.
    Text(Text<'a>),
    /// A text of the file that is sent as a reminder, with its bytes.
    Wrapped(Text<'a>),
    /// A reminder made from an attachment, in our words.
    Reminder(String),
    /// An image that an attachment holds in another form.
    Image {
        /// Its media type.
        media_type: Text<'a>,
        /// Its bytes in base 64.
        data: Text<'a>,
    },
    /// Words of the client, or an error result for the call that is named.
    Filler(Filler, Option<ToolUseId<'a>>),
}

/// What the steps need to know of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockKind<'a> {
    Empty,
    Blank,
    Text,
    Thinking,
    Call(ToolUseId<'a>),
    /// A call that no result can name.
    NamelessCall,
    Result(ToolUseId<'a>),
    ServerCall(ToolUseId<'a>),
    ServerResult(ToolUseId<'a>),
    Fallback,
    Other,
}

/// One block of a message.
#[derive(Clone, Debug)]
pub struct ApiBlock<'a> {
    /// Where it came from.
    pub origin: Origin,
    /// What it consists of.
    pub body: Body<'a>,
    pub(super) kind: BlockKind<'a>,
}

/// One message.
#[derive(Clone, Debug)]
pub struct ApiMessage<'a> {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub blocks: Vec<ApiBlock<'a>>,
}

impl<'a> ApiBlock<'a> {
    /// A block of the file.
    pub(super) fn of_block(index: NodeIndex, block: &Block<'a>) -> Self {
        let kind = match block {
            Block::Text(text) => text.text().map_or(BlockKind::Other, text_kind),
            Block::Thinking(_) | Block::RedactedThinking(_) => BlockKind::Thinking,
            Block::ToolUse(call) => call.id().map_or(BlockKind::NamelessCall, BlockKind::Call),
            Block::ToolResult(result) => result.tool_use().map_or(BlockKind::Other, BlockKind::Result),
            Block::ServerToolUse(call) => call.id().map_or(BlockKind::Other, BlockKind::ServerCall),
            Block::WebSearchToolResult(result) => {
                result.tool_use().map_or(BlockKind::Other, BlockKind::ServerResult)
            }
            Block::Fallback(_) => BlockKind::Fallback,
            Block::Unknown(value) => match value.get("tool_use_id").and_then(|id| id.text()) {
                Some(id) => BlockKind::ServerResult(ToolUseId::new(id)),
                None => BlockKind::Other,
            },
            Block::Image(_) | Block::Document(_) | Block::ToolReference(_) => BlockKind::Other,
        };
        Self { origin: Origin::Record(index), body: Body::Block(block.raw()), kind }
    }

    /// A string of the file.
    pub(super) fn of_text(index: NodeIndex, text: Text<'a>) -> Self {
        Self { origin: Origin::Record(index), body: Body::Text(text), kind: text_kind(text) }
    }

    /// Something else made from a record.
    pub(super) fn of_record(index: NodeIndex, body: Body<'a>) -> Self {
        Self { origin: Origin::Record(index), body, kind: BlockKind::Other }
    }

    /// Words of the client.
    pub(super) fn filler(filler: Filler) -> Self {
        Self { origin: Origin::Filler(filler), body: Body::Filler(filler, None), kind: BlockKind::Text }
    }

    /// A result that the client makes up.
    pub(super) fn error_result(filler: Filler, call: ToolUseId<'a>) -> Self {
        let body = Body::Filler(filler, Some(call));
        Self { origin: Origin::Filler(filler), body, kind: BlockKind::Result(call) }
    }

    /// Replaces half characters; a thought keeps its bytes, for its signature's sake.
    pub(super) fn mend(&mut self) {
        let raw = match &self.body {
            Body::Block(raw) => raw,
            Body::Text(text) => text.raw(),
            _ => return,
        };
        if self.kind != BlockKind::Thinking && surrogates::replaced(raw).is_some() {
            let mut json = Vec::new();
            self.write_json(&mut json);
            self.body = Body::Changed(surrogates::replaced(&json).unwrap_or(json));
        }
    }

    /// Ends a text with a line break.
    pub(super) fn end_line(&mut self) {
        self.change_string("text", |text| [text, b"\\n"].concat());
    }

    /// Gives a call the name that its tool has now.
    pub(super) fn rename_tool(&mut self, names: &[(&str, &str)]) {
        let Body::Block(raw) = self.body else { return };
        let name = Value::parse(raw).ok().and_then(|block| block.get("name")?.text());
        if let Some((_, now)) = names.iter().find(|(before, _)| name.is_some_and(|name| name.is(before))) {
            self.change_string("name", |_| now.as_bytes().to_vec());
        }
    }

    /// Changes a string of the block, between its quotes.
    fn change_string(&mut self, key: &str, change: impl FnOnce(&[u8]) -> Vec<u8>) {
        let mut json = Vec::new();
        self.write_json(&mut json);
        let Some(text) = Value::parse(&json).ok().and_then(|block| block.get(key)?.text()) else { return };
        let mut string = Vec::new();
        write_raw_string(&mut string, &change(text.raw()));
        let edited = Editor::new(&json).and_then(|mut editor| {
            editor.replace(&[Step::Key(key)], &string)?;
            editor.finish()
        });
        if let Ok(edited) = edited {
            self.body = Body::Changed(edited);
        }
    }

    /// Appends the block as JSON.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        match &self.body {
            Body::Block(raw) => out.extend_from_slice(raw),
            Body::Changed(json) => out.extend_from_slice(json),
            Body::Text(text) => write_text(out, "", text.raw(), ""),
            Body::Wrapped(text) => {
                write_text(out, "<system-reminder>\\n", text.raw(), "\\n</system-reminder>")
            }
            Body::Reminder(text) => {
                let mut object = ObjectWriter::begin(out);
                object.string("type", "text").string("text", text);
                object.end();
            }
            Body::Image { media_type, data } => {
                let mut object = ObjectWriter::begin(out);
                object.string("type", "image").object("source", |source| {
                    source.string("type", "base64");
                    write_raw_string(source.key("media_type"), media_type.raw());
                    write_raw_string(source.key("data"), data.raw());
                });
                object.end();
            }
            Body::Filler(filler, None) => {
                let mut object = ObjectWriter::begin(out);
                object.string("type", "text").string("text", filler.words());
                object.end();
            }
            Body::Filler(filler, Some(call)) => {
                let mut object = ObjectWriter::begin(out);
                object.string("type", "tool_result");
                write_raw_string(object.key("tool_use_id"), call.text().raw());
                object.string("content", filler.words()).boolean("is_error", true);
                object.end();
            }
        }
    }
}

impl ApiMessage<'_> {
    /// Appends the message as JSON.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        let mut object = ObjectWriter::begin(out);
        object.string("role", self.role.name()).array("content", |content| {
            for block in &self.blocks {
                block.write_json(content.item());
            }
        });
        object.end();
    }
}

fn text_kind(text: Text<'_>) -> BlockKind<'static> {
    // A text of white space alone is short; nobody decodes a long one for this.
    if text.is_empty() {
        BlockKind::Empty
    } else if text.raw().len() < 4096 && text.decode().trim().is_empty() {
        BlockKind::Blank
    } else {
        BlockKind::Text
    }
}

fn write_text(out: &mut Vec<u8>, before: &str, raw: &[u8], after: &str) {
    let mut object = ObjectWriter::begin(out);
    write_string(object.key("type"), "text");
    let text = object.key("text");
    text.push(b'"');
    text.extend_from_slice(before.as_bytes());
    text.extend_from_slice(raw);
    text.extend_from_slice(after.as_bytes());
    text.push(b'"');
    object.end();
}

/// A string whose escapes are written already.
pub(super) fn write_raw_string(out: &mut Vec<u8>, raw: &[u8]) {
    out.push(b'"');
    out.extend_from_slice(raw);
    out.push(b'"');
}
