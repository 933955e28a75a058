//! A receiver behind HTTP/1.1: one POST of NDJSON a batch, one connection each. A status of 2xx is the acknowledgement.
//!
//! There is no encryption here: an address on this machine, or a forwarder there that speaks it.

use std::io::{self, BufReader, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use super::reply::{self, Reply};
use super::url::Url;
use super::{Sink, SinkError};
use crate::item::Batch;

/// How the body is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// As it is.
    Identity,
    /// `Content-Encoding: zstd`
    Zstd,
}

/// A receiver behind HTTP.
pub struct HttpSink {
    url: Url,
    encoding: Encoding,
    token: Option<String>,
    patience: Duration,
}

impl std::fmt::Debug for HttpSink {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Never the token.
        write!(formatter, "HttpSink({:?}, {:?})", self.url, self.encoding)
    }
}

impl HttpSink {
    /// A receiver at this address. Connecting, each write and each read may take as long as `patience`.
    pub fn new(url: Url, encoding: Encoding, patience: Duration) -> Self {
        Self { url, encoding, token: None, patience }
    }

    /// Sends this as bearer token; what would break the head of a request is left out.
    pub fn with_token(mut self, token: &str) -> Self {
        self.token = Some(token.chars().filter(|letter| letter.is_ascii_graphic()).collect());
        self
    }

    fn request(&self, batch: &Batch, body: &[u8]) -> Vec<u8> {
        let Url { path, authority, .. } = &self.url;
        let mut head = format!("POST {path} HTTP/1.1\r\nHost: {authority}\r\n");
        head.push_str("Content-Type: application/x-ndjson\r\nConnection: close\r\n");
        head.push_str(&format!("Content-Length: {}\r\n", body.len()));
        head.push_str(&format!("Annals-Machine: {}\r\nAnnals-Batch: {}\r\n", batch.machine, batch.sequence));
        if self.encoding == Encoding::Zstd {
            head.push_str("Content-Encoding: zstd\r\n");
        }
        if let Some(token) = &self.token {
            head.push_str(&format!("Authorization: Bearer {token}\r\n"));
        }
        head.push_str("\r\n");
        [head.as_bytes(), body].concat()
    }

    fn exchange(&self, request: &[u8]) -> Result<Reply, reply::ReplyError> {
        let mut stream = self.connect()?;
        stream.set_read_timeout(Some(self.patience))?;
        stream.set_write_timeout(Some(self.patience))?;
        // A receiver may answer before it has read everything, and read no further: its answer counts.
        let written = stream.write_all(request).and_then(|()| stream.flush());
        match (reply::read(BufReader::new(&stream)), written) {
            (Err(reply::ReplyError::Broken(_)), Err(error)) => Err(error.into()),
            // What was not sent cannot be acknowledged.
            (Ok(reply), Err(error)) if reply.status < 300 => Err(error.into()),
            (answer, _) => answer,
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

impl Sink for HttpSink {
    fn deliver(&mut self, batch: &Batch) -> Result<(), SinkError> {
        let away = |what: String, retry_after| SinkError::Away { what, retry_after };
        let mut body = batch.ndjson();
        if self.encoding == Encoding::Zstd {
            body = zstd::encode_all(&body[..], 3).map_err(|source| SinkError::Output { source })?;
        }
        let reply = self
            .exchange(&self.request(batch, &body))
            .map_err(|error| away(format!("{}: {error}", self.url.authority), None))?;
        let what = format!("{}: status {}", self.url.authority, reply.status);
        match reply.status {
            200..=299 => Ok(()),
            408 | 425 | 429 | 500..=599 => Err(away(what, reply.retry_after)),
            _ => Err(SinkError::Refused { what }),
        }
    }
}
