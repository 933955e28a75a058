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
pub use exchange::Reply;
pub use http::{ExposedToken, HttpSink};
pub use lines::{FileSink, OutputSink};
pub use tls::{Trust, TrustError};
pub use url::{Scheme, Url, UrlError};

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
    /// The sink refuses it: another attempt does not help.
    #[error("the sink refused it: {what}")]
    Refused {
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
    Untrusted {
        /// What is wrong.
        what: String,
    },
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

/// Where batches go.
pub trait Sink {
    /// Delivers a batch. `Ok` acknowledges all of it; after an error the sink may have all, some or nothing of it.
    fn deliver(&mut self, batch: &Batch) -> Result<(), SinkError>;

    /// How many items it has acknowledged and not taken, because they were forgotten there.
    fn refused(&self) -> u64 {
        0
    }
}
