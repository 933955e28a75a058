//! Delivers what is new in a store, redacted: each whole line at least once, under a name that never changes.
//!
//! A [`Collector`] reads what it has not read yet, removes secrets with [`redact`], and puts batches into a spool; from
//! there they go to a [`Sink`], in order. A [`SinkState`] records how far each file was read.

mod collector;
mod delivery;
mod error;
pub mod item;
mod machine;
mod pending;
mod reader;
pub mod redact;
pub mod retry;
pub mod selection;
pub mod sink;
mod spool;
mod spooled_batch;
pub mod state;

pub use collector::{Collector, Limits, OversizedItem, PassReport};
pub use error::CollectError;
pub use item::{Batch, ITEM_VERSION, Item, ItemError, ItemForm, ItemName, SentItem};
pub use retry::{RetryAfter, RetryPolicy};
pub use selection::{Extra, Priority, Selection};
pub use sink::{Sink, SinkError};
pub use spool::{Backlog, UnclaimedBacklog};
pub use state::SinkState;
