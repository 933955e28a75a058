//! TLS for a server that others can reach.

use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

/// A certificate chain and its key, in PEM.
pub struct TlsFiles {
    /// The certificate, followed by those that signed it.
    pub certificates: Vec<u8>,
    /// The private key.
    pub key: Vec<u8>,
}

impl std::fmt::Debug for TlsFiles {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("TlsFiles(hidden)")
    }
}

/// Why TLS cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// The certificate is no PEM.
    #[error("the --cert file has no PEM certificate")]
    Certificate,
    /// The key is no PEM.
    #[error("the --key file has no PEM private key")]
    Key,
    /// They do not fit together, or are of a kind that is not supported.
    #[error("certificate and key cannot be used: {0}")]
    Unusable(#[from] rustls::Error),
}

pub(crate) fn acceptor(files: &TlsFiles) -> Result<TlsAcceptor, TlsError> {
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&files.certificates).collect();
    let chain = chain.ok().filter(|chain| !chain.is_empty()).ok_or(TlsError::Certificate)?;
    let key = PrivateKeyDer::from_pem_slice(&files.key).map_err(|_| TlsError::Key)?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}
