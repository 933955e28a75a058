//! Where batches go. A sink takes a batch as a whole and keeps it, or says why not; it may be given the same one again.

mod http;
mod lines;
mod reply;
mod url;

use std::io;

use annals_store::files::WriteError;

pub use http::{Encoding, HttpSink};
pub use lines::{FileSink, OutputSink};
pub use reply::ReplyError;
pub use url::{Url, UrlError};

use crate::item::Batch;

/// Why a batch was not acknowledged.
#[derive(Debug, thiserror::Error)]
pub enum SinkError {
    /// Not now: trying again may help.
    #[error("{what}")]
    Away {
        /// What happened.
        what: String,
        /// How long the sink asks to wait, in seconds.
        retry_after: Option<u64>,
    },
    /// Not this: trying again does not help.
    #[error("the sink refuses it: {what}")]
    Refused {
        /// What it said.
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
