//! The certificates that vouch for a server.

use std::path::Path;

use annals_collect::sink::{Trust, TrustError};
use annals_store::read::read_input;

use crate::error::Fault;

/// The certificates to trust: those of `--ca-file`, else those of the system.
pub(crate) fn trust(ca_file: Option<&Path>) -> Result<Trust, Fault> {
    if let Some(path) = ca_file {
        return Trust::in_pem(&read_input(path)?)
            .map_err(|error| Fault::usage(format!("--ca-file {}: {error}", path.display())));
    }
    let found = rustls_native_certs::load_native_certs();
    Trust::in_certificates(found.certs.iter().map(|certificate| &certificate[..])).map_err(
        |error| match error {
            TrustError::NoCertificate => {
                Fault::usage("this system has no CA certificates").hint("name some: --ca-file FILE")
            }
            other => Fault::internal(other.to_string()),
        },
    )
}
