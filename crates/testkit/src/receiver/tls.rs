//! The encrypted side of the receiver: a certificate, good or bad, and the connection that shows it.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// The authority that issued the certificates, as PEM.
pub const AUTHORITY: &str = include_str!("ca.pem");

/// The certificate that the receiver presents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certificate {
    /// Valid if [`AUTHORITY`] is trusted.
    Good,
    /// For another name.
    Elsewhere,
    /// No longer valid.
    Expired,
}

impl Certificate {
    /// The key of all of them, as PKCS #8.
    pub const KEY: &'static [u8] = include_bytes!("key.der");

    /// The certificate, as DER.
    pub fn bytes(self) -> &'static [u8] {
        match self {
            Self::Good => include_bytes!("here.der"),
            Self::Elsewhere => include_bytes!("elsewhere.der"),
            Self::Expired => include_bytes!("expired.der"),
        }
    }

    /// What a server needs.
    pub(super) fn config(self) -> Arc<ServerConfig> {
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(Self::KEY));
        let chain = vec![CertificateDer::from(self.bytes())];
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .and_then(|config| config.with_no_client_auth().with_single_cert(chain, key));
        Arc::new(config.unwrap_or_else(|error| panic!("{self:?}: {error}")))
    }
}

/// A connection, encrypted or not, buffered for reading.
pub(super) enum Connection<'s> {
    Plain(BufReader<&'s TcpStream>),
    Encrypted(Box<BufReader<StreamOwned<ServerConnection, &'s TcpStream>>>),
}

impl<'s> Connection<'s> {
    /// Wraps a connection; encrypted with a config.
    pub(super) fn new(stream: &'s TcpStream, config: Option<&Arc<ServerConfig>>) -> io::Result<Self> {
        let Some(config) = config else { return Ok(Self::Plain(BufReader::new(stream))) };
        let connection = ServerConnection::new(Arc::clone(config)).map_err(io::Error::other)?;
        Ok(Self::Encrypted(Box::new(BufReader::new(StreamOwned::new(connection, stream)))))
    }
}

impl Read for Connection<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.read(bytes),
            Self::Encrypted(stream) => stream.read(bytes),
        }
    }
}

impl BufRead for Connection<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match self {
            Self::Plain(stream) => stream.fill_buf(),
            Self::Encrypted(stream) => stream.fill_buf(),
        }
    }

    fn consume(&mut self, amount: usize) {
        match self {
            Self::Plain(stream) => stream.consume(amount),
            Self::Encrypted(stream) => stream.consume(amount),
        }
    }
}

impl Write for Connection<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.get_mut().write(bytes),
            Self::Encrypted(stream) => stream.get_mut().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(stream) => stream.get_mut().flush(),
            Self::Encrypted(stream) => stream.get_mut().flush(),
        }
    }
}
