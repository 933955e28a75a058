//! The content of a message: a string, or blocks.

use super::Message;
use crate::content::{Block, Thinking, ToolResult, ToolUse};
use annals_json::{RawJson, Value, ValueKind};

/// The content of a plain message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessageContent {
    /// A string, with its quotes and escapes.
    Text(RawJson),
    /// Blocks: objects, each with a `type`.
    Blocks(Vec<RawJson>),
}

impl MessageContent {
    /// Makes content of plain text.
    pub fn text(text: &str) -> Self {
        Self::Text(RawJson::string(text))
    }

    /// Iterates over the blocks; empty for a string.
    pub fn blocks(&self) -> impl Iterator<Item = Block<'_>> {
        let list = match self {
            Self::Text(_) => &[],
            Self::Blocks(list) => list.as_slice(),
        };
        list.iter().map(|block| Block::new(block.value()))
    }

    /// Appends it as JSON.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Text(text) => out.extend_from_slice(text.raw()),
            Self::Blocks(list) => write_array(list, out),
        }
    }
}

impl Message {
    /// The string, or all text blocks joined by blank lines.
    pub fn text(&self) -> String {
        match &self.content {
            MessageContent::Text(text) => {
                text.value().text().map(|text| text.to_string()).unwrap_or_default()
            }
            MessageContent::Blocks(_) => {
                let texts: Vec<_> = self.content.blocks().filter_map(|block| block.plain_text()).collect();
                texts.join("\n\n")
            }
        }
    }

    /// Iterates over the tool calls.
    pub fn tool_calls(&self) -> impl Iterator<Item = ToolUse<'_>> {
        self.content.blocks().filter_map(|block| match block {
            Block::ToolUse(call) => Some(call),
            _ => None,
        })
    }

    /// Iterates over the tool results.
    pub fn tool_results(&self) -> impl Iterator<Item = ToolResult<'_>> {
        self.content.blocks().filter_map(|block| match block {
            Block::ToolResult(result) => Some(result),
            _ => None,
        })
    }

    /// Iterates over the thinking blocks.
    pub fn thinking(&self) -> impl Iterator<Item = Thinking<'_>> {
        self.content.blocks().filter_map(|block| match block {
            Block::Thinking(thought) => Some(thought),
            _ => None,
        })
    }
}

/// Whether a value can be a block of a message: an object with a `type`.
pub(super) fn is_block(value: Value<'_>) -> bool {
    value.kind() == ValueKind::Object
        && value.get("type").is_some_and(|kind| kind.kind() == ValueKind::String)
}

/// Appends blocks as an array.
pub(super) fn write_array(blocks: &[RawJson], out: &mut Vec<u8>) {
    out.push(b'[');
    for (at, block) in blocks.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        out.extend_from_slice(block.raw());
    }
    out.push(b']');
}
