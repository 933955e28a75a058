//! Sinks: where batches go. A sink acknowledges a batch as a whole or fails; it may get the same batch again.

mod body;
mod client;
mod exchange;
mod http;
mod lines;
mod tls;
mod upload;
mod url;

use std::io;

use annals_store::files::WriteError;

pub use body::{BodyOptions, Encoding, Format};
pub use client::{Client, RequestError};
pub use exchange::HttpReply;
pub use http::{ExposedToken, HttpSink};
pub use lines::{FileSink, OutputSink};
pub use tls::{Trust, TrustError};
pub use url::{Scheme, Url, UrlError, without_login};

use crate::item::Batch;
use crate::retry::RetryAfter;

/// Why a batch was not acknowledged.
#[derive(Debug, thiserror::Error)]
pub enum SinkError {
    /// The sink cannot take it now: another attempt may help.
    #[error("{what}")]
    Unavailable {
        /// What happened.
        what: String,
        /// How long the sink asks to wait.
        retry_after: Option<RetryAfter>,
    },
    /// The sink refuses it: another attempt does not help. A part of it may be accepted.
    #[error("the sink refused it: {what}")]
    Refused {
        /// What it said.
        what: String,
    },
    /// The sink has taken all items but these, which it will never take.
    #[error("the sink refused some of the items: {}", items.first().map_or("", |item| &item.reason))]
    RefusedItems {
        /// Which, and why.
        items: Vec<ItemRefusal>,
    },
    /// The sink takes nothing from us: the token or the address is wrong.
    #[error("the sink accepts nothing: {what}")]
    Denied {
        /// What it said.
        what: String,
    },
    /// It is too large: a smaller batch may be accepted.
    #[error("{what}: too large")]
    TooLarge {
        /// What it said.
        what: String,
    },
    /// The receiver is not who it should be, or cannot prove it: another attempt does not help.
    #[error("{what}")]
    Untrusted { what: String },
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// An output could not be written.
    #[error("cannot write: {source}")]
    Output {
        /// What the system says.
        source: io::Error,
    },
}

/// An item that a sink refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemRefusal {
    /// Which item of the batch, counted from 0.
    pub index: usize,
    pub reason: String,
}

/// Where batches go.
pub trait Sink {
    /// Delivers a batch. `Ok` acknowledges all of it, [`SinkError::RefusedItems`] all but some; after another error the sink
    /// may have all, some or nothing of it.
    fn deliver(&mut self, batch: &Batch) -> Result<(), SinkError>;

    /// How many items it has acknowledged and not taken, because they were forgotten there.
    fn refused(&self) -> u64 {
        0
    }
}
