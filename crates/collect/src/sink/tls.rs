//! Encrypted connections: whom to trust, and what is wrong with a receiver that is not trusted.

use std::io;
use std::net::TcpStream;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{CertificateError, ClientConfig, ClientConnection, Error, RootCertStore, StreamOwned};

/// Who may vouch for a receiver. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Trust(Arc<ClientConfig>);

/// Why nobody can be trusted.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// There is no certificate that could vouch for anybody.
    #[error("there is no certificate in it")]
    NoCertificate,
    /// A certificate is none.
    #[error("a certificate in it cannot be read: {0}")]
    Unreadable(String),
    /// What is compiled in does not fit together.
    #[error("encryption is not available: {0}")]
    Unavailable(String),
}

impl Trust {
    /// Trusts who is vouched for by these, each in the form that systems keep them in (DER). Those of a system may hold some
    /// that nobody can read: they are passed over.
    pub fn in_certificates<'c>(certificates: impl IntoIterator<Item = &'c [u8]>) -> Result<Self, TrustError> {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(
            certificates.into_iter().map(|bytes| CertificateDer::from(bytes.to_vec())),
        );
        Self::of(roots)
    }

    /// The same for those of a file that somebody named (PEM): all of them must be readable.
    pub fn in_pem(bytes: &[u8]) -> Result<Self, TrustError> {
        let unreadable = |what: String| TrustError::Unreadable(what);
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(bytes) {
            let certificate = certificate.map_err(|error| unreadable(error.to_string()))?;
            roots.add(certificate).map_err(|error| unreadable(error.to_string()))?;
        }
        Self::of(roots)
    }

    fn of(roots: RootCertStore) -> Result<Self, TrustError> {
        if roots.is_empty() {
            return Err(TrustError::NoCertificate);
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let unavailable = |error: &dyn std::fmt::Display| TrustError::Unavailable(error.to_string());
        let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
            .build()
            .map_err(|error| unavailable(&error))?;
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| unavailable(&error))?
            .with_webpki_verifier(verifier)
            .with_no_client_auth();
        Ok(Self(Arc::new(config)))
    }

    /// Speaks encrypted on a connection, to nobody but this host.
    pub(super) fn connect(
        &self,
        host: &str,
        stream: TcpStream,
    ) -> io::Result<StreamOwned<ClientConnection, TcpStream>> {
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        let connection = ClientConnection::new(Arc::clone(&self.0), name).map_err(io::Error::other)?;
        Ok(StreamOwned::new(connection, stream))
    }
}

/// What is wrong with whoever answered, where trying again cannot help: a certificate, or no common language.
pub(super) fn distrust(error: &io::Error) -> Option<String> {
    let inner = error.get_ref()?.downcast_ref::<Error>()?;
    match inner {
        Error::InvalidCertificate(wrong) => {
            Some(format!("its certificate is not trusted: {}", reason(wrong)))
        }
        Error::PeerIncompatible(_) | Error::InvalidMessage(_) | Error::NoCertificatesPresented => {
            Some(format!("it does not speak TLS as we do: {inner}"))
        }
        _ => None,
    }
}

fn reason(wrong: &CertificateError) -> String {
    use CertificateError as Wrong;
    match wrong {
        Wrong::UnknownIssuer => "nobody that this machine trusts has issued it".to_owned(),
        Wrong::Expired | Wrong::ExpiredContext { .. } => "it has expired".to_owned(),
        Wrong::NotValidYet | Wrong::NotValidYetContext { .. } => "it is not valid yet".to_owned(),
        Wrong::NotValidForName | Wrong::NotValidForNameContext { .. } => {
            "it was issued for another name".to_owned()
        }
        Wrong::Revoked => "it was revoked".to_owned(),
        other => other.to_string(),
    }
}
