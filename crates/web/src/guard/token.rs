//! The token of one start of the server.

use annals_store::digest::hex;
use sha2::{Digest, Sha256};

/// A random token that every request has to show.
#[derive(Clone)]
pub struct AccessToken(String);

impl AccessToken {
    /// Draws a token from the system's randomness.
    pub fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)?;
        Ok(Self(hex(&bytes)))
    }

    /// The token as it is in the address and in the cookie.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// A token that somebody chose.
    pub fn given(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Compares in a time that does not depend on what is equal.
    pub fn matches(&self, given: &str) -> bool {
        is_equal(self.0.as_bytes(), given.as_bytes())
    }

    /// What our forms carry: derived, so that a form does not show the token itself.
    pub(crate) fn form_value(&self) -> String {
        hex(&Sha256::digest(format!("form {}", self.0)))
    }

    /// Whether a form is ours.
    pub(crate) fn matches_form(&self, given: &str) -> bool {
        is_equal(self.form_value().as_bytes(), given.as_bytes())
    }
}

impl std::fmt::Debug for AccessToken {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("AccessToken(hidden)")
    }
}

/// Compares digests, so that neither length nor position of a difference takes more or less time.
pub(super) fn is_equal(left: &[u8], right: &[u8]) -> bool {
    let (left, right) = (Sha256::digest(left), Sha256::digest(right));
    left.iter().zip(right.iter()).fold(0, |all, (left, right)| all | (left ^ right)) == 0
}
