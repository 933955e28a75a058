//! The address of a receiver: `http://host[:port][/path]`, and why no other will do.

/// An address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    /// As the connection needs it, without brackets.
    pub host: String,
    /// 80 where none is named.
    pub port: u16,
    /// With its query; begins with `/`.
    pub path: String,
    /// Host and port as they were written.
    pub authority: String,
}

/// An address that will not do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// It asks for encryption.
    #[error("https is not spoken here")]
    Encrypted,
    /// It holds a name or a password.
    #[error("a name or password in the address would stand in lists of processes")]
    Credentials,
    /// It is none.
    #[error("not an address of the form http://host[:port][/path]")]
    Malformed,
}

impl Url {
    /// Reads an address.
    pub fn parse(text: &str) -> Result<Self, UrlError> {
        if text.starts_with("https://") {
            return Err(UrlError::Encrypted);
        }
        let rest = text.strip_prefix("http://").ok_or(UrlError::Malformed)?;
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
        let port = match port.strip_prefix(':') {
            Some(digits) => digits.parse().map_err(|_| UrlError::Malformed)?,
            None if port.is_empty() => 80,
            None => return Err(UrlError::Malformed),
        };
        if host.is_empty() {
            return Err(UrlError::Malformed);
        }
        Ok(Self { host: host.to_owned(), port, path, authority: authority.to_owned() })
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
        assert_eq!(url("https://host/"), Err(UrlError::Encrypted));
        assert_eq!(url("http://me:word@host/"), Err(UrlError::Credentials));
        for bad in
            ["host", "http://", "http://host:x/", "http://host/a b", "http://h/\r\nx: y", "http://[::1"]
        {
            assert_eq!(url(bad), Err(UrlError::Malformed), "{bad}");
        }
    }
}
