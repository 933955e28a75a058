//! What is new in a store, redacted and delivered: each whole line at least once, under a name that is its own for ever.
//!
//! A [`Collector`] reads what was not acknowledged yet, lets [`redact`] take the secrets out, and hands batches to a
//! [`Sink`]. How far each file was acknowledged stands in a [`State`], which is on the disk before anything is sent. The
//! files of the store are the spool: nothing is copied while a sink is away.

pub mod choice;
mod collector;
mod error;
pub mod item;
mod machine;
mod pending;
mod reader;
pub mod redact;
pub mod retry;
pub mod sink;
pub mod state;

pub use choice::{Choice, Extra, Priority};
pub use collector::{Collector, Limits, Passed};
pub use error::CollectError;
pub use item::{Batch, Form, Item};
pub use retry::{Retry, RetryAfter};
pub use sink::{Sink, SinkError};
pub use state::State;
