//! The tool calls, results, requests and compactions of a file, in order: the input of the tool cost estimate.
//!
//! A result counts as one token for each four bytes of text, and [`IMAGE_TOKENS`] for each image.

use std::sync::Arc;

use super::key::ResponseKey;
use crate::content::{Block, Content};
use crate::id::ToolUseId;
use crate::id_hash::IdHash;
use crate::pack::{Pack, Packer, Unpacker};
use crate::pack_fields;
use crate::record::{Record, SystemKind};
use crate::time::Timestamp;
use annals_json::{Fields, Text};

/// Estimated tokens of an image.
pub const IMAGE_TOKENS: u64 = 1500;

/// Estimated bytes of text per token.
const BYTES_PER_TOKEN: u64 = 4;

/// The tool name of a result whose call is not in its file.
pub const NO_TOOL: &str = "(no call)";

/// The tool calls, results, requests and compactions of a file, in order.
#[derive(Clone, Debug, Default)]
pub struct ToolTimeline {
    pub(super) events: Vec<ToolEvent>,
    /// One copy of each tool's name.
    names: Vec<Arc<str>>,
}

#[derive(Clone, Debug)]
pub(super) enum ToolEvent {
    Call { id: IdHash, tool: Arc<str>, millis: Option<i64> },
    Result { id: IdHash, tokens: u64, is_error: bool, thread: IdHash },
    Request { key: ResponseKey, thread: IdHash },
    Compaction { thread: IdHash },
}

impl ToolTimeline {
    /// Adds the next record of the file.
    pub fn feed(&mut self, record: &Record<'_>) {
        let fields = record.fields();
        match record {
            Record::Assistant(assistant) => {
                let thread = thread_of(fields);
                if let Some(message) = assistant.message()
                    && message.usage().is_some()
                {
                    self.events.push(ToolEvent::Request { key: ResponseKey::of(fields, &message), thread });
                }
                let millis = fields.text("timestamp").and_then(|text| Timestamp::new(text).millis());
                for block in assistant.content().blocks() {
                    if let Block::ToolUse(call) = block
                        && let Some(id) = call.id()
                    {
                        let tool = self.tool(call.name());
                        self.events.push(ToolEvent::Call { id: mark(id), tool, millis });
                    }
                }
            }
            Record::User(user) => {
                for block in user.content().blocks() {
                    if let Block::ToolResult(result) = block
                        && let Some(id) = result.tool_use()
                    {
                        let tokens = result.content().map_or(0, |content| tokens_of(&content));
                        let is_error = result.is_error() == Some(true);
                        let thread = thread_of(fields);
                        self.events.push(ToolEvent::Result { id: mark(id), tokens, is_error, thread });
                    }
                }
            }
            Record::System(system) if system.system_kind() == SystemKind::CompactBoundary => {
                self.events.push(ToolEvent::Compaction { thread: thread_of(fields) });
            }
            _ => {}
        }
    }

    fn tool(&mut self, name: Option<Text<'_>>) -> Arc<str> {
        let name = name.map_or_else(|| NO_TOOL.into(), Text::decode);
        let known = self.names.iter().find(|known| ***known == *name).cloned();
        known.unwrap_or_else(|| {
            let name: Arc<str> = name.as_ref().into();
            self.names.push(Arc::clone(&name));
            name
        })
    }
}

fn mark(id: ToolUseId<'_>) -> IdHash {
    IdHash::of(id.text().decode().as_bytes())
}

/// Identifies the conversation or an inline sub-agent, which have separate contexts.
fn thread_of(fields: &Fields<'_>) -> IdHash {
    match (fields.is_true("isSidechain"), fields.text("agentId")) {
        (false, _) => IdHash(0),
        (true, None) => IdHash(1),
        (true, Some(agent)) => IdHash::of(agent.decode().as_bytes()),
    }
}

/// Estimates the tokens of a result.
fn tokens_of(content: &Content<'_>) -> u64 {
    let text = |text: Text<'_>| (text.decode().len() as u64).div_ceil(BYTES_PER_TOKEN);
    match content {
        Content::Text(whole) => text(*whole),
        _ => content
            .blocks()
            .map(|block| match block {
                Block::Text(part) => part.text().map_or(0, text),
                Block::Image(_) => IMAGE_TOKENS,
                other => (other.raw().len() as u64).div_ceil(BYTES_PER_TOKEN),
            })
            .sum(),
    }
}

pack_fields! {
    ToolTimeline { events, names }
}

impl Pack for ToolEvent {
    fn pack(&self, packer: &mut Packer) {
        match self {
            Self::Call { id, tool, millis } => {
                (0_usize, *id).pack(packer);
                tool.pack(packer);
                millis.pack(packer);
            }
            Self::Result { id, tokens, is_error, thread } => {
                (1_usize, *id).pack(packer);
                tokens.pack(packer);
                is_error.pack(packer);
                thread.pack(packer);
            }
            Self::Request { key, thread } => {
                (2_usize, *thread).pack(packer);
                key.pack(packer);
            }
            Self::Compaction { thread } => (3_usize, *thread).pack(packer),
        }
    }

    fn unpack(unpacker: &mut Unpacker<'_>) -> Option<Self> {
        let (kind, mark) = <(usize, IdHash)>::unpack(unpacker)?;
        Some(match kind {
            0 => Self::Call { id: mark, tool: Pack::unpack(unpacker)?, millis: Pack::unpack(unpacker)? },
            1 => Self::Result {
                id: mark,
                tokens: Pack::unpack(unpacker)?,
                is_error: Pack::unpack(unpacker)?,
                thread: Pack::unpack(unpacker)?,
            },
            2 => Self::Request { key: Pack::unpack(unpacker)?, thread: mark },
            3 => Self::Compaction { thread: mark },
            _ => return None,
        })
    }
}
