//! Encrypted connections: which certificates are trusted, and why a receiver is not.

use std::sync::Arc;

use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{CertificateError, ClientConfig, Error, RootCertStore};

/// Certificates that can vouch for a receiver. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Trust(Arc<ClientConfig>);

/// Why no certificate can be trusted.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// No usable certificate was given.
    #[error("no certificate found")]
    NoCertificate,
    /// A certificate cannot be parsed.
    #[error("invalid certificate: {0}")]
    Unreadable(String),
    /// TLS cannot be set up.
    #[error("TLS is not available: {0}")]
    Unavailable(String),
}

impl Trust {
    /// Trusts these certificates, in DER. Unreadable ones are skipped: those of a system may hold some.
    pub fn in_certificates<'c>(certificates: impl IntoIterator<Item = &'c [u8]>) -> Result<Self, TrustError> {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(
            certificates.into_iter().map(|bytes| CertificateDer::from(bytes.to_vec())),
        );
        Self::of(roots)
    }

    /// Trusts the certificates of a PEM file: all of them must be readable.
    pub fn in_pem(bytes: &[u8]) -> Result<Self, TrustError> {
        let unreadable = |what: String| TrustError::Unreadable(what);
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(bytes) {
            let certificate = certificate.map_err(|error| unreadable(error.to_string()))?;
            roots.add(certificate).map_err(|error| unreadable(error.to_string()))?;
        }
        Self::of(roots)
    }

    /// Trusts no certificate: for connections in the clear.
    pub(super) fn none() -> Result<Self, TrustError> {
        Self::configured(RootCertStore::empty())
    }

    fn of(roots: RootCertStore) -> Result<Self, TrustError> {
        if roots.is_empty() { Err(TrustError::NoCertificate) } else { Self::configured(roots) }
    }

    fn configured(roots: RootCertStore) -> Result<Self, TrustError> {
        let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let builder = builder.with_safe_default_protocol_versions();
        let builder = builder.map_err(|error| TrustError::Unavailable(error.to_string()))?;
        Ok(Self(Arc::new(builder.with_root_certificates(roots).with_no_client_auth())))
    }

    pub(super) fn config(&self) -> ClientConfig {
        ClientConfig::clone(&self.0)
    }
}

/// Why a receiver is not trusted, if another attempt cannot help: its certificate, or no common version of TLS.
pub(super) fn distrust(error: &Error) -> Option<String> {
    match error {
        Error::InvalidCertificate(wrong) => {
            Some(format!("its certificate is not trusted: {}", reason(wrong)))
        }
        Error::PeerIncompatible(_) | Error::InvalidMessage(_) | Error::NoCertificatesPresented => {
            Some(format!("no common TLS version: {error}"))
        }
        _ => None,
    }
}

fn reason(wrong: &CertificateError) -> String {
    use CertificateError as Wrong;
    match wrong {
        Wrong::UnknownIssuer => "this machine does not trust its issuer".to_owned(),
        Wrong::Expired | Wrong::ExpiredContext { .. } => "it has expired".to_owned(),
        Wrong::NotValidYet | Wrong::NotValidYetContext { .. } => "it is not valid yet".to_owned(),
        Wrong::NotValidForName | Wrong::NotValidForNameContext { .. } => {
            "it was issued for another name".to_owned()
        }
        Wrong::Revoked => "it was revoked".to_owned(),
        other => other.to_string(),
    }
}
