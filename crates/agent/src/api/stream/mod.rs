//! Response streams: message start, blocks, usage, stop reason.
//!
//! A block counts once it is complete, with the bytes as served. Unknown events, deltas and block types are accepted;
//! anything that makes the content ambiguous is an error.

mod assemble;
mod block;
mod event;
mod reader;
mod stop;

pub use assemble::{Assembler, StreamError};
pub use block::{Block, BlockKind};
pub use event::{MessageStart, StreamEvent};
pub use reader::StreamReader;
pub use stop::{StopInfo, StopReason};

#[cfg(test)]
mod tests;
