//! The secret that ties the answer of an authorization server to the one who asked (RFC 7636).

use annals_policy::secret::Secret;
use annals_store::digest::sha256_bytes;
use annals_store::source::Source;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;

/// A secret, and what is said of it beforehand.
pub(super) struct CodeVerifier {
    /// The secret: sent with the code.
    pub(super) verifier: Secret,
    /// Its digest: sent with the question.
    pub(super) challenge: String,
}

impl CodeVerifier {
    pub(super) fn new(source: &dyn Source) -> Self {
        Self::of(random_text(source))
    }

    fn of(verifier: String) -> Self {
        let challenge = BASE64_URL_SAFE_NO_PAD.encode(sha256_bytes(verifier.as_bytes()));
        Self { verifier: verifier.into(), challenge }
    }
}

/// Returns 32 unpredictable bytes as text.
pub(super) fn random_text(source: &dyn Source) -> String {
    let bytes = [source.random(), source.random()].concat();
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_challenge_is_that_of_the_standard() {
        // The example of RFC 7636, appendix B.
        let made = CodeVerifier::of("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk".to_owned());
        assert_eq!(made.challenge, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    }
}
