//! A stream of the API as what it means: a message that begins, blocks that grow and are done, usage, a reason to stop.
//!
//! A block counts only from its stop on, and then its bytes are those that were served. What the API may add later
//! (events, deltas, kinds of blocks) is no error; what makes it unclear what was served is one.

mod assemble;
mod block;
mod event;
mod reader;
mod stop;

pub use assemble::{Assembler, StreamFault};
pub use block::{Block, BlockKind};
pub use event::{Event, MessageStart};
pub use reader::Reader;
pub use stop::{Stop, StopReason};

#[cfg(test)]
mod tests;
