//! TLS settings: trusted certificates of the system and of the person, with one crypto provider, whatever the rest of the
//! program uses.

use std::sync::Arc;

use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

use super::ClientError;

/// Whether TLS is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TlsUse {
    Needed,
    /// Loading the system's certificates is slow and useless without TLS.
    None,
}

pub(super) fn configuration(trusted: &[Vec<u8>], tls: TlsUse) -> Result<ClientConfig, ClientError> {
    let mut roots = RootCertStore::empty();
    if tls == TlsUse::Needed {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        for (number, file) in trusted.iter().enumerate() {
            let wrong = |detail: String| ClientError::Certificate { number, detail };
            for certificate in CertificateDer::pem_slice_iter(file) {
                let certificate = certificate.map_err(|error| wrong(error.to_string()))?;
                roots.add(certificate).map_err(|error| wrong(error.to_string()))?;
            }
        }
        if roots.is_empty() {
            return Err(ClientError::NoTrust);
        }
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| ClientError::Setup(error.to_string()))?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}
