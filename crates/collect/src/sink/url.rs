//! The address of a receiver: `http://host[:port][/path]` or `https://…`.

use std::net::IpAddr;

/// Whether a connection is encrypted.
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
    /// The host as it was written, without brackets.
    pub host: String,
    /// 80 or 443 unless one is given.
    pub port: u16,
    /// The path as it was written, with its query; begins with `/`.
    pub path: String,
    /// Host and port as they were written.
    pub authority: String,
    /// What requests are sent to.
    pub(super) parsed: reqwest::Url,
}

/// Why an address is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// It holds a user name or a password.
    #[error("a user name or password in the URL would be visible in the process list")]
    Credentials,
    /// It is not an `http` or `https` address.
    #[error("not a URL such as http://host[:port][/path] or https://…")]
    Malformed,
}

/// An address as a message may repeat it: without what stands before an `@`, which may be a password.
pub fn without_login(text: &str) -> String {
    let Some((login, host)) = text.rsplit_once('@') else { return text.to_owned() };
    let scheme = login.find("://").map_or("", |at| &login[..at + 3]);
    format!("{scheme}…@{host}")
}

impl Url {
    /// Parses an address. What was written is kept beside what it means: the state of a sink is named after it.
    pub fn parse(text: &str) -> Result<Self, UrlError> {
        let (scheme, rest) = match (text.strip_prefix("http://"), text.strip_prefix("https://")) {
            (Some(rest), _) => (Scheme::Http, rest),
            (_, Some(rest)) => (Scheme::Https, rest),
            (None, None) => return Err(UrlError::Malformed),
        };
        // A parser of addresses would strip or encode these.
        if !rest.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\') {
            return Err(UrlError::Malformed);
        }
        let rest = rest.split('#').next().unwrap_or(rest);
        let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        if authority.contains('@') {
            return Err(UrlError::Credentials);
        }
        let parsed = reqwest::Url::parse(text).map_err(|_| UrlError::Malformed)?;
        let host = match authority.strip_prefix('[') {
            Some(six) => six.split(']').next(),
            None => authority.split(':').next(),
        };
        Ok(Self {
            scheme,
            host: host.unwrap_or_default().to_owned(),
            port: parsed.port_or_known_default().ok_or(UrlError::Malformed)?,
            path: if path.starts_with('/') { path.to_owned() } else { format!("/{path}") },
            authority: authority.to_owned(),
            parsed,
        })
    }

    /// Whether others cannot read what is sent: it is encrypted, or it stays on this machine. Both the host as written and
    /// the host that is connected to must say so: `http://0x7f.1` is not plain enough.
    pub fn is_private(&self) -> bool {
        let connected = self.parsed.host_str().unwrap_or_default().trim_matches(['[', ']']);
        self.scheme == Scheme::Https || [self.host.as_str(), connected].into_iter().all(is_loopback)
    }
}

fn is_loopback(host: &str) -> bool {
    match host.parse::<IpAddr>() {
        Ok(address) => address.to_canonical().is_loopback(),
        Err(_) => host.eq_ignore_ascii_case("localhost"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_do_not_repeat_a_password() {
        assert_eq!(without_login("http://me:w@rd@host/x"), "http://…@host/x");
        assert_eq!(without_login("me:word@host"), "…@host");
        assert_eq!(without_login("https://host/x"), "https://host/x");
    }

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
        for url in [
            "http://example.org",
            "http://10.0.0.1",
            "http://localhost.example.org",
            "http://[fe80::1]",
            "http://0x7f.1",
            "http://2130706433",
            "http://127.1",
        ] {
            assert!(!is_private(url), "{url}");
        }
    }
}
