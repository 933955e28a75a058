//! The address of a receiver: `http://host[:port][/path]` or `https://…`, and why no other will do.

use std::net::IpAddr;

/// How a receiver is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// In the clear.
    Http,
    /// Encrypted.
    Https,
}

/// An address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    /// Whether it is encrypted.
    pub scheme: Scheme,
    /// As the connection needs it, without brackets.
    pub host: String,
    /// 80 or 443 where none is named.
    pub port: u16,
    /// With its query; begins with `/`.
    pub path: String,
    /// Host and port as they were written.
    pub authority: String,
}

/// An address that will not do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// It holds a name or a password.
    #[error("a name or password in the address would stand in lists of processes")]
    Credentials,
    /// It is none.
    #[error("not an address of the form http://host[:port][/path] or https://…")]
    Malformed,
}

impl Url {
    /// Reads an address.
    pub fn parse(text: &str) -> Result<Self, UrlError> {
        let (scheme, rest) = match (text.strip_prefix("http://"), text.strip_prefix("https://")) {
            (Some(rest), _) => (Scheme::Http, rest),
            (_, Some(rest)) => (Scheme::Https, rest),
            (None, None) => return Err(UrlError::Malformed),
        };
        if rest.bytes().any(|byte| byte <= b' ' || byte == 0x7f || byte >= 0x80) {
            return Err(UrlError::Malformed);
        }
        let rest = rest.split('#').next().unwrap_or(rest);
        let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        if authority.contains('@') {
            return Err(UrlError::Credentials);
        }
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        let (host, port) = match authority.strip_prefix('[') {
            Some(six) => six.split_once(']').ok_or(UrlError::Malformed)?,
            None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
        };
        let port = match (port.strip_prefix(':'), scheme) {
            (Some(digits), _) => digits.parse().map_err(|_| UrlError::Malformed)?,
            (None, _) if !port.is_empty() => return Err(UrlError::Malformed),
            (None, Scheme::Http) => 80,
            (None, Scheme::Https) => 443,
        };
        if host.is_empty() {
            return Err(UrlError::Malformed);
        }
        Ok(Self { scheme, host: host.to_owned(), port, path, authority: authority.to_owned() })
    }

    /// Whether nobody on the way can listen: it is encrypted, or there is no way.
    pub fn is_private(&self) -> bool {
        let is_here = match self.host.parse::<IpAddr>() {
            Ok(address) => address.to_canonical().is_loopback(),
            Err(_) => self.host.eq_ignore_ascii_case("localhost"),
        };
        self.scheme == Scheme::Https || is_here
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_or_refused() {
        let url = |text: &str| Url::parse(text).map(|url| (url.host, url.port, url.path));
        let parts = |host: &str, port, path: &str| Ok((host.to_owned(), port, path.to_owned()));
        assert_eq!(url("http://localhost"), parts("localhost", 80, "/"));
        assert_eq!(url("http://[::1]:8080/in?x=1#top"), parts("::1", 8080, "/in?x=1"));
        assert_eq!(url("http://host?x"), parts("host", 80, "/?x"));
        assert_eq!(url("https://host/"), parts("host", 443, "/"));
        assert_eq!(url("https://host:80/"), parts("host", 80, "/"));
        assert_eq!(url("http://me:word@host/"), Err(UrlError::Credentials));
        for bad in [
            "host",
            "http://",
            "http://host:x/",
            "http://host/a b",
            "http://h/\r\nx: y",
            "http://[::1",
            "ftp://h",
        ] {
            assert_eq!(url(bad), Err(UrlError::Malformed), "{bad}");
        }
    }

    #[test]
    fn only_encryption_and_this_machine_are_private() {
        let is_private = |text: &str| Url::parse(text).unwrap().is_private();
        for url in ["https://example.org", "http://localhost:1", "http://127.0.0.9", "http://[::1]/"] {
            assert!(is_private(url), "{url}");
        }
        for url in
            ["http://example.org", "http://10.0.0.1", "http://localhost.example.org", "http://[fe80::1]"]
        {
            assert!(!is_private(url), "{url}");
        }
    }
}
