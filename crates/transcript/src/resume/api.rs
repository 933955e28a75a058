//! Messages as sent to the API, each block with its origin.
//!
//! A block of the file keeps its bytes, because the signature of thinking covers them.

use std::borrow::Cow;

use super::surrogates;
use crate::content::Block;
use crate::id::ToolUseId;
use crate::transcript::NodeIndex;
use annals_json::edit::{Editor, PathStep};
use annals_json::{ObjectWriter, Text, Value};

/// The role of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The user, or the client in the user's name.
    User,
    /// The model.
    Assistant,
}

impl Role {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// Text that the client inserts where something is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Filler {
    /// A reply after a prompt without one.
    NoResponse,
    /// A prompt after a result without a reply.
    GoOn,
    /// The content of a message that has lost its own.
    NoContent,
    /// The first message, if it held only results without a call.
    OrphanedResult,
    /// The content of a reply with repeated calls only.
    RepeatedCall,
    /// A result for a call without one.
    MissingResult,
    /// A result for an unanswered call at the end.
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
            Self::MissingResult => "[no result follows this call]",
            Self::OpenCall => "[the session ended before this call was answered]",
        }
    }
}

/// Which record a block comes from, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlockOrigin {
    /// A record of the file.
    Record(NodeIndex),
    /// Text of the client.
    Filler(Filler),
}

/// The content of a block.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum BlockBody<'a> {
    /// A block with the bytes of the file.
    Block(&'a [u8]),
    /// A block of the file that the client changes: lone surrogates, a renamed tool.
    Changed(Vec<u8>),
    /// Content that is a string, with its bytes.
    Text(Text<'a>),
    /// A text of the file that is sent as a reminder.
    Wrapped(Text<'a>),
    /// A reminder made from an attachment; the wording is not that of the client.
    Reminder(String),
    /// An image of an attachment.
    Image {
        /// Such as `image/png`.
        media_type: Text<'a>,
        /// Its bytes, in base64.
        data: Text<'a>,
    },
    /// Text of the client, or an error result for the named call.
    Filler(Filler, Option<ToolUseId<'a>>),
}

/// The kind of a block, for the steps.
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
    /// Which record it comes from, and how.
    pub origin: BlockOrigin,
    /// The content.
    pub body: BlockBody<'a>,
    pub(super) kind: BlockKind<'a>,
    /// Whether its text gets a line break at its end; a mark, because a copy of a large text costs as much again.
    ends_line: bool,
}

/// One message.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ApiMessage<'a> {
    /// The role of a message.
    pub role: Role,
    /// The content blocks.
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
        Self {
            origin: BlockOrigin::Record(index),
            body: BlockBody::Block(block.raw()),
            kind,
            ends_line: false,
        }
    }

    /// A string of the file.
    pub(super) fn of_text(index: NodeIndex, text: Text<'a>) -> Self {
        let kind = text_kind(text);
        Self { origin: BlockOrigin::Record(index), body: BlockBody::Text(text), kind, ends_line: false }
    }

    /// Something else made from a record.
    pub(super) fn of_record(index: NodeIndex, body: BlockBody<'a>) -> Self {
        Self { origin: BlockOrigin::Record(index), body, kind: BlockKind::Other, ends_line: false }
    }

    /// Text of the client.
    pub(super) fn filler(filler: Filler) -> Self {
        Self {
            origin: BlockOrigin::Filler(filler),
            body: BlockBody::Filler(filler, None),
            kind: BlockKind::Text,
            ends_line: false,
        }
    }

    /// An error result that the client inserts.
    pub(super) fn error_result(filler: Filler, call: ToolUseId<'a>) -> Self {
        let body = BlockBody::Filler(filler, Some(call));
        Self { origin: BlockOrigin::Filler(filler), body, kind: BlockKind::Result(call), ends_line: false }
    }

    /// Replaces lone surrogates; thinking keeps its bytes, because they are signed.
    pub(super) fn replace_surrogates(&mut self) {
        let raw = match &self.body {
            BlockBody::Block(raw) => raw,
            BlockBody::Text(text) => text.raw(),
            _ => return,
        };
        if self.kind != BlockKind::Thinking && surrogates::replaced(raw).is_some() {
            let mut json = Vec::new();
            self.write_json(&mut json);
            self.body = BlockBody::Changed(surrogates::replaced(&json).unwrap_or(json));
        }
    }

    /// Ends a text with a line break.
    pub(super) fn end_line(&mut self) {
        self.ends_line = true;
    }

    /// Replaces the old name of a tool.
    pub(super) fn rename_tool(&mut self, names: &[(&str, &str)]) {
        let (BlockBody::Block(raw), BlockKind::Call(_) | BlockKind::NamelessCall) = (&self.body, self.kind)
        else {
            return;
        };
        let name = Value::from_checked(raw).get("name").and_then(Value::text);
        if let Some((_, now)) = names.iter().find(|(before, _)| name.is_some_and(|name| name.is(before))) {
            let edited = Editor::new(raw).and_then(|mut editor| {
                editor.replace_string(&[PathStep::Key("name")], now)?;
                editor.finish()
            });
            if let Ok(edited) = edited {
                self.body = BlockBody::Changed(edited);
            }
        }
    }

    fn json_len(&self) -> usize {
        self.json_pieces().iter().map(|piece| piece.len()).sum()
    }

    /// Appends the block as JSON.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        self.json_pieces().iter().for_each(|piece| out.extend_from_slice(piece));
    }

    /// Returns the block as JSON in pieces: what the file holds is not copied.
    pub fn json_pieces(&self) -> Vec<Cow<'_, [u8]>> {
        match &self.body {
            BlockBody::Block(raw) if self.ends_line => with_line_break(raw),
            BlockBody::Changed(json) if self.ends_line => with_line_break(json),
            BlockBody::Block(raw) => vec![Cow::Borrowed(raw)],
            BlockBody::Changed(json) => vec![Cow::Borrowed(json)],
            BlockBody::Text(text) if self.ends_line => text_pieces("", text.raw(), "\\n"),
            BlockBody::Text(text) => text_pieces("", text.raw(), ""),
            BlockBody::Wrapped(text) => {
                text_pieces("<system-reminder>\\n", text.raw(), "\\n</system-reminder>")
            }
            BlockBody::Filler(filler, None) => {
                text_pieces("", filler.words().as_bytes(), if self.ends_line { "\\n" } else { "" })
            }
            BlockBody::Image { media_type, data } => {
                let before: &[u8] = br#"{"type":"image","source":{"type":"base64","media_type":""#;
                let head = [before, media_type.raw(), br#"","data":""#].concat();
                vec![Cow::Owned(head), Cow::Borrowed(data.raw()), Cow::Borrowed(b"\"}}")]
            }
            BlockBody::Reminder(text) => made_up(|object| {
                object.string("type", "text").string("text", text);
            }),
            BlockBody::Filler(filler, Some(call)) => made_up(|object| {
                object.string("type", "tool_result");
                write_raw_string(object.key("tool_use_id"), call.text().raw());
                object.string("content", filler.words()).boolean("is_error", true);
            }),
        }
    }
}

impl ApiMessage<'_> {
    /// Returns how many bytes [`write_json`](Self::write_json) appends, without a copy of what the file holds.
    pub fn json_len(&self) -> usize {
        let mut frame = Vec::new();
        Self { role: self.role, blocks: Vec::new() }.write_json(&mut frame);
        let blocks: usize = self.blocks.iter().map(ApiBlock::json_len).sum();
        frame.len() + blocks + self.blocks.len().saturating_sub(1)
    }

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
    // A blank text is short, so a long one is not decoded.
    if text.is_empty() {
        BlockKind::Empty
    } else if text.raw().len() < 4096 && text.decode().trim().is_empty() {
        BlockKind::Blank
    } else {
        BlockKind::Text
    }
}

/// A block that is not in the file.
fn made_up(fill: impl FnOnce(&mut ObjectWriter<'_>)) -> Vec<Cow<'static, [u8]>> {
    let mut json = Vec::new();
    let mut object = ObjectWriter::begin(&mut json);
    fill(&mut object);
    object.end();
    vec![Cow::Owned(json)]
}

/// A text block with a line break at the end of its text.
fn with_line_break(raw: &[u8]) -> Vec<Cow<'_, [u8]>> {
    let text = Value::from_checked(raw).get("text").map_or(&[][..], Value::raw);
    // Before the closing quote.
    let end = match text {
        [] => return vec![Cow::Borrowed(raw)],
        text => text.as_ptr() as usize + text.len() - 1 - raw.as_ptr() as usize,
    };
    vec![Cow::Borrowed(&raw[..end]), Cow::Borrowed(b"\\n"), Cow::Borrowed(&raw[end..])]
}

/// A text block of a string that is escaped already.
fn text_pieces<'r>(before: &str, raw: &'r [u8], after: &str) -> Vec<Cow<'r, [u8]>> {
    let head = [br#"{"type":"text","text":""#, before.as_bytes()].concat();
    let tail = [after.as_bytes(), b"\"}"].concat();
    vec![Cow::Owned(head), Cow::Borrowed(raw), Cow::Owned(tail)]
}

/// Writes a string that is escaped already.
pub(super) fn write_raw_string(out: &mut Vec<u8>, raw: &[u8]) {
    out.push(b'"');
    out.extend_from_slice(raw);
    out.push(b'"');
}
