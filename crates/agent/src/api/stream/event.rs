//! Events of a response stream.

use super::super::usage::Usage;
use super::block::{Block, BlockKind};
use super::stop::StopInfo;

/// The start of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageStart {
    /// `message.id`.
    pub id: String,
    /// The model that answers.
    pub model: String,
    /// The usage so far.
    pub usage: Usage,
}

/// An event of a response stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StreamEvent {
    /// The response starts.
    MessageStart(MessageStart),
    BlockStart {
        /// The index in the response.
        index: u64,
        /// The type of the block.
        kind: BlockKind,
        /// The name of the tool, for a call.
        tool: Option<String>,
    },
    /// More text.
    TextDelta {
        /// The index of the block.
        index: u64,
        /// The added text.
        text: String,
    },
    /// More thinking.
    ThinkingDelta {
        /// The index of the block.
        index: u64,
        /// The added thinking.
        thinking: String,
    },
    /// More of a tool's input: JSON, cut anywhere.
    InputDelta {
        /// The index of the block.
        index: u64,
        /// The added JSON.
        partial: String,
    },
    /// A block is complete.
    BlockDone(Block),
    /// The total usage so far.
    Usage(Usage),
    /// The stop reason.
    Stop(StopInfo),
    /// An event as it came, before what it means: JSON. Only if the caller asks for it.
    Raw(String),
    /// A keep-alive.
    Ping,
    /// An event that this program does not know, by its name.
    Unknown(String),
}
