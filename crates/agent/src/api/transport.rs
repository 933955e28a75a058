//! How a body gets to the API and its answer back: what a call needs of a connection, and no more, so that tests and
//! replays can stand in for it.

use std::future::Future;

use super::failure::Failure;
use super::request::Body;

/// Sends requests.
pub trait Transport: Sync {
    /// The bytes of an answer.
    type Source: ByteSource;

    /// Posts a body and waits for the beginning of the answer. Dropping the future takes the request back.
    fn send(&self, body: &Body) -> impl Future<Output = Result<Opened<Self::Source>, Failure>> + Send;
}

/// The bytes of an answer, as they come. Dropping it ends the connection.
pub trait ByteSource: Send {
    /// The next piece; nothing at the end.
    fn next(&mut self) -> impl Future<Output = Result<Option<Vec<u8>>, Failure>> + Send;
}

/// An answer that has begun well.
#[derive(Debug)]
pub struct Opened<S> {
    /// What its headers say.
    pub head: Head,
    /// Its body.
    pub source: S,
}

/// What the headers of an answer say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// `request-id`.
    pub request: Option<String>,
    /// How much of each limit is left.
    pub limits: RateLimits,
}

/// The headers `anthropic-ratelimit-…`, as they came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RateLimits {
    headers: Vec<(String, String)>,
}

/// What the names of these headers begin with.
const LIMITS: &str = "anthropic-ratelimit-";

impl RateLimits {
    /// Takes those of all headers that are about limits; names in lower case.
    pub fn of_headers(headers: &[(String, String)]) -> Self {
        let about_limits = headers.iter().filter_map(|(name, value)| {
            name.strip_prefix(LIMITS).map(|rest| (rest.to_owned(), value.clone()))
        });
        Self { headers: about_limits.collect() }
    }

    /// One of them by the rest of its name: `requests-remaining`, `input-tokens-reset`.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// All of them, by the rest of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}
