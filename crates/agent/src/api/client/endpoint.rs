//! The address of the API and the credential. Neither prints a secret.

use super::secret_header::secret_header;
use std::fmt;
use std::net::IpAddr;

use reqwest::Url;
use reqwest::header::HeaderValue;

/// The address of the API: over TLS, or on loopback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    pub(super) messages: Url,
    pub(super) host: String,
    pub(super) is_loopback: bool,
}

/// Why an address cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    /// It is not a valid address.
    #[error("{url:?} is not a valid API URL: {detail}")]
    NotAnAddress {
        /// The address as given.
        url: String,
        /// What is wrong with it.
        detail: String,
    },
    /// The key would be sent unencrypted.
    #[error("{host}: use https; a key is never sent unencrypted")]
    InTheClear { host: String },
    /// It contains credentials, a query or a fragment.
    #[error("the API URL of {host} must not have credentials, a query or a fragment")]
    HoldsMore { host: String },
}

impl Endpoint {
    /// Parses a base address: `https://…`, or `http://…` on loopback.
    pub fn parse(base: &str) -> Result<Self, EndpointError> {
        let wrong = |detail: String| EndpointError::NotAnAddress { url: base.to_owned(), detail };
        let mut url = Url::parse(base.trim()).map_err(|error| wrong(error.to_string()))?;
        let host = url.host_str().filter(|host| !host.is_empty()).map(str::to_owned);
        let host = host.ok_or_else(|| wrong("it has no host".to_owned()))?;
        let is_loopback = is_loopback(&host);
        match url.scheme() {
            "https" => {}
            "http" if is_loopback => {}
            "http" => return Err(EndpointError::InTheClear { host }),
            other => return Err(wrong(format!("the scheme {other} is not supported"))),
        }
        let is_bare = url.username().is_empty() && url.password().is_none();
        if !is_bare || url.query().is_some() || url.fragment().is_some() {
            return Err(EndpointError::HoldsMore { host });
        }
        let path = format!("{}/v1/messages", url.path().trim_end_matches('/'));
        url.set_path(&path);
        Ok(Self { messages: url, host, is_loopback })
    }
}

/// Returns whether a host is this machine.
pub(crate) fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// A credential for the API.
#[derive(Clone)]
pub struct Credential {
    pub(super) header: &'static str,
    pub(super) value: HeaderValue,
}

/// Why a credential cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CredentialError {
    #[error("the key is empty")]
    Empty,
    /// It contains characters that no header may contain.
    #[error("the key has characters that cannot be sent")]
    Unsendable,
}

impl Credential {
    /// Creates a credential from an API key, sent as `x-api-key`.
    pub fn key(key: &str) -> Result<Self, CredentialError> {
        Self::new("x-api-key", "", key)
    }

    /// Creates a credential from a gateway token, sent as `authorization`.
    pub fn bearer(token: &str) -> Result<Self, CredentialError> {
        Self::new("authorization", "Bearer ", token)
    }

    fn new(header: &'static str, before: &str, secret: &str) -> Result<Self, CredentialError> {
        // Files and helper programs end with a newline.
        let secret = secret.trim();
        if secret.is_empty() {
            return Err(CredentialError::Empty);
        }
        let value = secret_header(before, secret).map_err(|_| CredentialError::Unsendable)?;
        Ok(Self { header, value })
    }
}

impl fmt::Debug for Credential {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Credential({}: hidden)", self.header)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_secure_or_here() {
        let reaches = |base: &str| Endpoint::parse(base).map(|endpoint| endpoint.messages.to_string());
        assert_eq!(reaches("https://api.example.com").unwrap(), "https://api.example.com/v1/messages");
        assert_eq!(
            reaches(" https://gate.example.com:8443/claude/ ").unwrap(),
            "https://gate.example.com:8443/claude/v1/messages"
        );
        for here in ["http://127.0.0.1:9", "http://localhost", "http://[::1]:9/x", "http://127.9.9.9"] {
            assert!(reaches(here).is_ok(), "{here}");
        }
        for open in
            ["http://api.example.com", "http://localhost.example.com", "http://10.0.0.1", "http://[fe80::1]"]
        {
            assert!(matches!(reaches(open), Err(EndpointError::InTheClear { .. })), "{open}");
        }
        for more in ["https://user:secret@example.com", "https://example.com/?a=b", "https://example.com/#a"]
        {
            let error = reaches(more).unwrap_err();
            assert!(matches!(error, EndpointError::HoldsMore { .. }), "{more}");
            assert!(!error.to_string().contains("secret"));
        }
        for none in ["", "api.example.com", "ftp://example.com", "file:///etc", "unix:/tmp/x"] {
            assert!(matches!(reaches(none), Err(EndpointError::NotAnAddress { .. })), "{none}");
        }
    }

    #[test]
    fn a_credential_does_not_show_itself() {
        let key = Credential::key("sk-secret\n").unwrap();
        assert_eq!((key.header, key.value.to_str().unwrap()), ("x-api-key", "sk-secret"));
        assert_eq!(format!("{key:?}"), "Credential(x-api-key: hidden)");
        assert!(!format!("{:?}", key.value).contains("secret"));
        let token = Credential::bearer("t").unwrap();
        assert_eq!((token.header, token.value.to_str().unwrap()), ("authorization", "Bearer t"));
        assert_eq!(Credential::key(" ").err(), Some(CredentialError::Empty));
        assert_eq!(Credential::key("a\nb").err(), Some(CredentialError::Unsendable));
    }
}
