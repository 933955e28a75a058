//! Secret texts: never printed, and wiped from memory on drop.
//!
//! Copies elsewhere are out of reach: in the process's environment, and in the buffers of the HTTP client.

use std::fmt;

use zeroize::{Zeroize, Zeroizing};

/// A text that may be a key.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Converts bytes; `None` if they are not UTF-8. They are wiped in either case.
    pub fn of_bytes(bytes: Vec<u8>) -> Option<Self> {
        match String::from_utf8(bytes) {
            Ok(text) => Some(Self::from(text)),
            Err(error) => {
                error.into_bytes().zeroize();
                None
            }
        }
    }

    /// The secret itself.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(Zeroizing::new(text))
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

impl PartialEq<str> for Secret {
    fn eq(&self, other: &str) -> bool {
        self.reveal() == other
    }
}

impl PartialEq<&str> for Secret {
    fn eq(&self, other: &&str) -> bool {
        self.reveal() == *other
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_does_not_show_itself() {
        let secret = Secret::from("sk-of-the-tests");
        assert_eq!((format!("{secret:?}").as_str(), secret.reveal()), ("Secret(hidden)", "sk-of-the-tests"));
    }

    #[test]
    fn bytes_become_a_secret_or_nothing() {
        assert_eq!(Secret::of_bytes(b"sk-x".to_vec()), Some(Secret::from("sk-x")));
        assert_eq!(Secret::of_bytes(b"sk-\xff".to_vec()), None);
    }
}
