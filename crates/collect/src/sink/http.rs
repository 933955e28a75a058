//! A receiver behind HTTP/1.1, in the clear or encrypted: one POST and one connection per batch. A status of 2xx is the
//! acknowledgement.

use std::collections::BTreeSet;
use std::time::Duration;

use annals_store::digest::hex_digits;

use super::body::BodyOptions;
use super::client::{Answer, Client, RequestError};
use super::tls::Trust;
use super::url::{Scheme, Url};
use super::{ItemRefusal, Sink, SinkError};
use crate::item::Batch;

/// How much of a receiver's reason is kept.
const MAX_REASON: usize = 200;

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
    person: Option<String>,
    timeout: Duration,
    /// Built for the first batch.
    client: Option<Client>,
    /// How many items were acknowledged and not taken.
    forgotten: u64,
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
        Self { url, body, trust: None, token: None, person: None, timeout, client: None, forgotten: 0 }
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

    /// Sends the name of the person as a header, with `%` and two digits for what cannot stand in one.
    pub fn with_person(mut self, name: &str) -> Self {
        let mut encoded = String::new();
        for byte in name.bytes() {
            match byte {
                b' '..=b'~' if byte != b'%' => encoded.push(char::from(byte)),
                _ => {
                    encoded.push('%');
                    encoded.extend(hex_digits(byte).map(char::from));
                }
            }
        }
        self.person = Some(encoded.trim().to_owned());
        self
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
        headers.extend(self.person.clone().map(|person| ("annals-person", person)));
        headers.extend(self.token.as_ref().map(|token| ("authorization", format!("Bearer {token}"))));
        self.client()?.post(&headers, body)
    }
}

impl Sink for HttpSink {
    fn deliver(&mut self, batch: &Batch) -> Result<(), SinkError> {
        let body = self.body.encode(batch).map_err(|source| SinkError::Output { source })?;
        let answer = self.post(batch, body);
        let to = &self.url.authority;
        let Answer { status, retry_after, refused, reason, forgotten } =
            answer.map_err(|error| match error {
                RequestError::Setup(source) => SinkError::Output { source },
                RequestError::Untrusted(_) => SinkError::Untrusted { what: format!("{to}: {error}") },
                _ => SinkError::Unavailable { what: format!("{to}: {error}"), retry_after: None },
            })?;
        let reason = reason.map(|reason| reason.chars().take(MAX_REASON).collect::<String>());
        let what = match &reason {
            Some(reason) => format!("{to}: status {status}: {reason}"),
            None => format!("{to}: status {status}"),
        };
        match (status, refused) {
            (200..=299, None) => {
                self.forgotten += forgotten;
                Ok(())
            }
            (200..=299, Some(ranges)) => match indexes(&ranges, batch.items.len()) {
                Some(indexes) => {
                    let reason = reason.unwrap_or_else(|| format!("{to} refused it"));
                    let refusal = |index| ItemRefusal { index, reason: reason.clone() };
                    Err(SinkError::RefusedItems { items: indexes.into_iter().map(refusal).collect() })
                }
                // Not to be taken for an acknowledgement.
                None => {
                    let what = format!("{what}: Annals-Refused cannot be read");
                    Err(SinkError::Unavailable { what, retry_after })
                }
            },
            (413, _) => Err(SinkError::TooLarge { what }),
            (408 | 425 | 429 | 500..=599, _) => Err(SinkError::Unavailable { what, retry_after }),
            (401 | 404 | 405 | 407 | 300..=399, _) => Err(SinkError::Denied { what }),
            _ => Err(SinkError::Refused { what }),
        }
    }

    fn refused(&self) -> u64 {
        self.forgotten
    }
}

/// Reads the indexes of items that were refused, such as `0-2,7`.
fn indexes(text: &str, items: usize) -> Option<BTreeSet<usize>> {
    let mut all = BTreeSet::new();
    for range in text.split(',').map(str::trim) {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last) = (first.parse::<usize>().ok()?, last.parse::<usize>().ok()?);
        if first > last || last >= items {
            return None;
        }
        all.extend(first..=last);
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_items_are_ranges_within_the_batch() {
        let read = |text: &str| indexes(text, 10).map(|all| all.into_iter().collect::<Vec<_>>());
        assert_eq!(read("0-2, 7,2"), Some(vec![0, 1, 2, 7]));
        assert_eq!(read("9"), Some(vec![9]));
        for bad in ["", "10", "3-2", "0-18446744073709551615", "a", "-1", "1,"] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
