//! A receiver behind HTTP/1.1, in the clear or encrypted: one POST a batch, one connection each. A status of 2xx is the
//! acknowledgement.

use std::io::{self, BufReader, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use super::body::Body;
use super::reply::{self, Reply, ReplyError};
use super::tls::{Trust, distrust};
use super::url::{Scheme, Url};
use super::{Sink, SinkError};
use crate::item::Batch;

/// A token that anybody on the way could read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a token is not sent to {to} in the clear: only by https, or to this machine")]
pub struct ExposedToken {
    /// Host and port.
    pub to: String,
}

/// A receiver behind HTTP.
pub struct HttpSink {
    url: Url,
    body: Body,
    trust: Option<Trust>,
    token: Option<String>,
    patience: Duration,
}

impl std::fmt::Debug for HttpSink {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Never the token.
        write!(formatter, "HttpSink({:?}, {:?})", self.url, self.body)
    }
}

impl HttpSink {
    /// A receiver at this address. Connecting, each write and each read may take as long as `patience`.
    pub fn new(url: Url, body: Body, patience: Duration) -> Self {
        Self { url, body, trust: None, token: None, patience }
    }

    /// Who may vouch for the receiver; without this, nobody is trusted with `https`.
    pub fn with_trust(mut self, trust: Trust) -> Self {
        self.trust = Some(trust);
        self
    }

    /// Sends this as bearer token; what would break the head of a request is left out. Where others could read it on the
    /// way, it is refused.
    pub fn with_token(mut self, token: &str) -> Result<Self, ExposedToken> {
        if !self.url.is_private() {
            return Err(ExposedToken { to: self.url.authority });
        }
        self.token = Some(token.chars().filter(|letter| letter.is_ascii_graphic()).collect());
        Ok(self)
    }

    fn request(&self, batch: &Batch, body: &[u8]) -> Vec<u8> {
        let Url { path, authority, .. } = &self.url;
        let mut head = format!("POST {path} HTTP/1.1\r\nHost: {authority}\r\n");
        head.push_str(&format!("Content-Type: {}\r\nConnection: close\r\n", self.body.content_type()));
        head.push_str(&format!("Content-Length: {}\r\n", body.len()));
        head.push_str(&format!("Annals-Machine: {}\r\nAnnals-Batch: {}\r\n", batch.machine, batch.sequence));
        if let Some(encoding) = self.body.content_encoding() {
            head.push_str(&format!("Content-Encoding: {encoding}\r\n"));
        }
        if let Some(token) = &self.token {
            head.push_str(&format!("Authorization: Bearer {token}\r\n"));
        }
        head.push_str("\r\n");
        [head.as_bytes(), body].concat()
    }

    fn exchange(&self, request: &[u8]) -> Result<Reply, ReplyError> {
        let stream = self.connect()?;
        stream.set_read_timeout(Some(self.patience))?;
        stream.set_write_timeout(Some(self.patience))?;
        match (self.url.scheme, &self.trust) {
            (Scheme::Http, _) => talk(stream, request),
            (Scheme::Https, Some(trust)) => talk(trust.connect(&self.url.host, stream)?, request),
            (Scheme::Https, None) => Err(ReplyError::NobodyTrusted),
        }
    }

    fn connect(&self) -> io::Result<TcpStream> {
        let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
        for address in (self.url.host.as_str(), self.url.port).to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, self.patience) {
                Ok(stream) => return Ok(stream),
                Err(error) => last = error,
            }
        }
        Err(last)
    }
}

/// Asks, and hears the answer.
fn talk(mut stream: impl Read + Write, request: &[u8]) -> Result<Reply, ReplyError> {
    // A receiver may answer before it has read everything, and read no further: its answer counts.
    let written = stream.write_all(request).and_then(|()| stream.flush());
    match (reply::read(BufReader::new(&mut stream)), written) {
        (Err(ReplyError::Broken(_)), Err(error)) => Err(error.into()),
        // What was not sent cannot be acknowledged.
        (Ok(reply), Err(error)) if reply.status < 300 => Err(error.into()),
        (answer, _) => answer,
    }
}

impl Sink for HttpSink {
    fn deliver(&mut self, batch: &Batch) -> Result<(), SinkError> {
        let away = |what: String, retry_after| SinkError::Away { what, retry_after };
        let to = &self.url.authority;
        let body = self.body.of(batch).map_err(|source| SinkError::Output { source })?;
        let reply = self.exchange(&self.request(batch, &body)).map_err(|error| match &error {
            ReplyError::NobodyTrusted => SinkError::Distrusted { what: format!("{to}: {error}") },
            ReplyError::Broken(broken) => match distrust(broken) {
                Some(wrong) => SinkError::Distrusted { what: format!("{to}: {wrong}") },
                None => away(format!("{to}: {error}"), None),
            },
            ReplyError::NotHttp => away(format!("{to}: {error}"), None),
        })?;
        let what = format!("{to}: status {}", reply.status);
        match reply.status {
            200..=299 => Ok(()),
            413 => Err(SinkError::TooLarge { what }),
            408 | 425 | 429 | 500..=599 => Err(away(what, reply.retry_after)),
            _ => Err(SinkError::Refused { what }),
        }
    }
}
