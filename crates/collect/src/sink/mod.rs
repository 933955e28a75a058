//! Where batches go. A sink takes a batch as a whole and keeps it, or says why not; it may be given the same one again.

mod body;
mod http;
mod lines;
mod reply;
mod tls;
mod url;

use std::io;

use annals_store::files::WriteError;

pub use body::{Body, Encoding, Format};
pub use http::{ExposedToken, HttpSink};
pub use lines::{FileSink, OutputSink};
pub use reply::ReplyError;
pub use tls::{Trust, TrustError};
pub use url::{Scheme, Url, UrlError};

use crate::item::Batch;
use crate::retry::RetryAfter;

/// Why a batch was not acknowledged.
#[derive(Debug, thiserror::Error)]
pub enum SinkError {
    /// Not now: trying again may help.
    #[error("{what}")]
    Away {
        /// What happened.
        what: String,
        /// How long the sink asks to wait.
        retry_after: Option<RetryAfter>,
    },
    /// Not this: trying again does not help.
    #[error("the sink refuses it: {what}")]
    Refused {
        /// What it said.
        what: String,
    },
    /// Not so much at once: less may go.
    #[error("{what}: too large")]
    TooLarge {
        /// What it said.
        what: String,
    },
    /// Whoever answered is not who was meant, or cannot show it: trying again does not help.
    #[error("{what}")]
    Distrusted {
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
    /// Takes a batch. `Ok` says that all of it is kept for good; anything else may mean all, some or nothing of it.
    fn deliver(&mut self, batch: &Batch) -> Result<(), SinkError>;
}
