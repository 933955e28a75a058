//! What a stream tells, one thing at a time.

use super::super::usage::Usage;
use super::block::{Block, BlockKind};
use super::stop::Stop;

/// How a response begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageStart {
    /// `message.id`.
    pub id: String,
    /// The model that answers.
    pub model: String,
    /// What was counted so far.
    pub usage: Usage,
}

/// Something that a stream told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The response has begun.
    MessageStart(MessageStart),
    /// A block has begun.
    BlockStart {
        /// Its place in the response.
        index: u64,
        /// What it is.
        kind: BlockKind,
        /// The name of the tool, where it calls one.
        tool: Option<String>,
    },
    /// More text.
    TextDelta {
        /// The block that grows.
        index: u64,
        /// What it grows by.
        text: String,
    },
    /// More thinking.
    ThinkingDelta {
        /// The block that grows.
        index: u64,
        /// What it grows by.
        thinking: String,
    },
    /// More of a tool's input: a piece of JSON, cut anywhere.
    InputDelta {
        /// The block that grows.
        index: u64,
        /// What it grows by.
        partial: String,
    },
    /// A block is whole.
    BlockDone(Block),
    /// What is counted so far, all in all.
    Usage(Usage),
    /// Why it ends.
    Stop(Stop),
    /// The connection is alive.
    Ping,
    /// Something that is newer than this code, by its name.
    Unknown(String),
}
