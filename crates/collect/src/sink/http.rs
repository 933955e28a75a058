//! A receiver behind HTTP/1.1, in the clear or encrypted: one POST and one connection per batch. A status of 2xx is the
//! acknowledgement.

use std::time::Duration;

use super::body::BodyOptions;
use super::client::{Answer, Client, RequestError};
use super::tls::Trust;
use super::url::{Scheme, Url};
use super::{Sink, SinkError};
use crate::item::Batch;

/// A token that would be sent in the clear to another machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not sending the token to {to} unencrypted: use https, or a receiver on this machine")]
pub struct ExposedToken {
    /// Host and port.
    pub to: String,
}

/// A receiver behind HTTP.
pub struct HttpSink {
    url: Url,
    body: BodyOptions,
    trust: Option<Trust>,
    token: Option<String>,
    timeout: Duration,
    /// Built for the first batch.
    client: Option<Client>,
}

impl std::fmt::Debug for HttpSink {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Never the token.
        write!(formatter, "HttpSink({:?}, {:?})", self.url, self.body)
    }
}

impl HttpSink {
    /// A receiver at this address. Connecting may take `timeout`, and so may the answer after the batch was sent.
    pub fn new(url: Url, body: BodyOptions, timeout: Duration) -> Self {
        Self { url, body, trust: None, token: None, timeout, client: None }
    }

    /// Sets the certificates that can vouch for the receiver; without them, `https` fails.
    pub fn with_trust(mut self, trust: Trust) -> Self {
        self.trust = Some(trust);
        self
    }

    /// Sends this as bearer token; characters that cannot stand in a header are left out.
    ///
    /// # Errors
    ///
    /// If others could read the token on the way: only `https` and this machine are private.
    pub fn with_token(mut self, token: &str) -> Result<Self, ExposedToken> {
        if !self.url.is_private() {
            return Err(ExposedToken { to: self.url.authority });
        }
        self.token = Some(token.chars().filter(|letter| letter.is_ascii_graphic()).collect());
        Ok(self)
    }

    fn client(&mut self) -> Result<&Client, RequestError> {
        let client = match self.client.take() {
            Some(client) => client,
            None if self.url.scheme == Scheme::Https && self.trust.is_none() => {
                return Err(RequestError::Untrusted("no trusted certificates".to_owned()));
            }
            None => Client::new(&self.url, self.trust.as_ref(), self.timeout)?,
        };
        Ok(self.client.insert(client))
    }

    fn post(&mut self, batch: &Batch, body: Vec<u8>) -> Result<Answer, RequestError> {
        let mut headers = vec![
            ("content-type", self.body.content_type().to_owned()),
            ("annals-machine", batch.machine.clone()),
            ("annals-batch", batch.sequence.to_string()),
            ("annals-version", env!("CARGO_PKG_VERSION").to_owned()),
        ];
        if !batch.rules.is_empty() {
            headers.push(("annals-rules", batch.rules.clone()));
        }
        headers
            .extend(self.body.content_encoding().map(|encoding| ("content-encoding", encoding.to_owned())));
        headers.extend(self.token.as_ref().map(|token| ("authorization", format!("Bearer {token}"))));
        self.client()?.post(&headers, body)
    }
}

impl Sink for HttpSink {
    fn deliver(&mut self, batch: &Batch) -> Result<(), SinkError> {
        let body = self.body.encode(batch).map_err(|source| SinkError::Output { source })?;
        let answer = self.post(batch, body);
        let to = &self.url.authority;
        let Answer { status, retry_after } = answer.map_err(|error| match error {
            RequestError::Setup(source) => SinkError::Output { source },
            RequestError::Untrusted(_) => SinkError::Untrusted { what: format!("{to}: {error}") },
            _ => SinkError::Unavailable { what: format!("{to}: {error}"), retry_after: None },
        })?;
        let what = format!("{to}: status {status}");
        match status {
            200..=299 => Ok(()),
            413 => Err(SinkError::TooLarge { what }),
            408 | 425 | 429 | 500..=599 => Err(SinkError::Unavailable { what, retry_after }),
            _ => Err(SinkError::Refused { what }),
        }
    }
}
