//! What is new in a store, redacted and delivered: each whole line at least once, under a name that is its own for ever.
//!
//! A [`Collector`] reads what it did not take yet, lets [`redact`] take the secrets out, and puts batches into a spool; from
//! there they go to a [`Sink`], in order. How far each file was taken stands in a [`State`].

pub mod choice;
mod collector;
mod delivery;
mod error;
pub mod item;
mod machine;
mod pending;
mod reader;
pub mod redact;
pub mod retry;
pub mod sink;
mod spool;
mod spooled;
pub mod state;

pub use choice::{Choice, Extra, Priority};
pub use collector::{Collector, Limits, Passed, SetAside};
pub use error::CollectError;
pub use item::{Batch, Form, Item};
pub use retry::{Retry, RetryAfter};
pub use sink::{Sink, SinkError};
pub use spool::Waiting;
pub use state::State;
