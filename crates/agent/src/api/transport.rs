//! The connection to the API: only what a call needs, so that tests and replays can replace it.

use std::future::Future;

use super::failure::Failure;
use super::request::RequestBody;

/// Sends requests.
pub trait Transport: Sync {
    /// The body of a response.
    type Source: ByteSource;

    /// Posts a body and waits for the response headers. Dropping the future cancels the request.
    fn send(
        &self,
        body: &RequestBody,
    ) -> impl Future<Output = Result<ResponseStream<Self::Source>, Failure>> + Send;
}

/// A response body, chunk by chunk. Dropping it closes the connection.
pub trait ByteSource: Send {
    /// Returns the next chunk; `None` at the end.
    fn next(&mut self) -> impl Future<Output = Result<Option<Vec<u8>>, Failure>> + Send;
}

/// A response with a good status whose body is still to come.
#[derive(Debug)]
pub struct ResponseStream<S> {
    /// The response headers.
    pub head: ResponseHead,
    /// The body.
    pub source: S,
}

/// What the response headers say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResponseHead {
    /// `request-id`.
    pub request: Option<String>,
    /// The rate limits.
    pub limits: RateLimits,
}

/// The headers `anthropic-ratelimit-…`, as sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RateLimits {
    headers: Vec<(String, String)>,
}

/// The prefix of these headers.
const LIMITS: &str = "anthropic-ratelimit-";

impl RateLimits {
    /// Picks the rate limit headers; names must be in lower case.
    pub fn of_headers(headers: &[(String, String)]) -> Self {
        let about_limits = headers.iter().filter_map(|(name, value)| {
            name.strip_prefix(LIMITS).map(|rest| (rest.to_owned(), value.clone()))
        });
        Self { headers: about_limits.collect() }
    }

    /// Returns a header by its name without the prefix: `requests-remaining`, `input-tokens-reset`.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Iterates over all of them, by name without the prefix.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}
