//! Delivers what is new in a store, redacted: each whole line at least once, under a name that never changes.
//!
//! A [`Collector`] reads what it has not read yet, removes secrets with [`redact`], and puts batches into a spool; from
//! there they go to a [`Sink`], in order. A [`SinkState`] records how far each file was read.

mod collector;
pub mod contract;
mod delivery;
mod error;
mod intake;
pub mod item;
mod machine;
mod marks;
mod pending;
mod reader;
pub mod redact;
mod refused;
mod report;
pub mod retry;
mod same_file;
pub mod selection;
pub mod sink;
mod spool;
mod spooled_batch;
pub mod state;
mod status;

pub use collector::{Collector, Limits};
pub use error::CollectError;
pub use item::{Batch, ITEM_VERSION, Item, ItemError, ItemForm, ItemName, SentItem};
pub use report::{PassReport, RefusedItem};
pub use retry::{RetryAfter, RetryPolicy};
pub use selection::{Extra, Priority, Selection};
pub use sink::{ItemRefusal, Sink, SinkError};
pub use spool::{Backlog, UnclaimedBacklog};
pub use state::SinkState;
pub use status::SinkStatus;
