//! The address of a team's engine: `clickhouse+https://host[:port][/database]`.

use annals_collect::sink::{Scheme, Url, UrlError};

/// The database where the address names none.
const DEFAULT_DATABASE: &str = "annals";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineAddress {
    /// Where requests are sent.
    pub url: Url,
    /// The database that has the tables.
    pub database: String,
}

/// Why an address is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It is not one of ClickHouse.
    #[error("not an address such as clickhouse+https://host[:port][/database]")]
    Malformed,
    /// It holds a user name or a password.
    #[error("a user name or password in the URL would be visible in the process list")]
    Credentials,
    /// What is sent could be read on the way.
    #[error("clickhouse+http is for an engine on this machine only; use clickhouse+https")]
    Exposed,
    /// The database has a name that would need quotes.
    #[error("{0:?} is not the name of a database: a letter, then letters, digits and underscores")]
    Database(String),
}

impl EngineAddress {
    /// Whether a text is meant as such an address.
    pub fn is_meant(text: &str) -> bool {
        text.starts_with("clickhouse")
    }

    pub fn parse(text: &str) -> Result<Self, AddressError> {
        let plain = text.strip_prefix("clickhouse+").ok_or(AddressError::Malformed)?;
        let (scheme, rest) = plain.split_once("://").ok_or(AddressError::Malformed)?;
        let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
        let has_port = authority.rsplit(']').next().is_some_and(|end| end.contains(':'));
        let port = match (has_port, scheme) {
            (true, _) => "",
            (false, "https") => ":8443",
            (false, _) => ":8123",
        };
        let url = Url::parse(&format!("{scheme}://{authority}{port}/")).map_err(|error| match error {
            UrlError::Credentials => AddressError::Credentials,
            UrlError::Malformed => AddressError::Malformed,
        })?;
        if url.scheme == Scheme::Http && !url.is_private() {
            return Err(AddressError::Exposed);
        }
        let database = database.trim_end_matches('/');
        let database = if database.is_empty() { DEFAULT_DATABASE } else { database };
        // Parts of our statements have names that begin with an underscore: none is called like a database.
        let is_name = database.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && database.starts_with(|letter: char| letter.is_ascii_alphabetic());
        if !is_name {
            return Err(AddressError::Database(database.to_owned()));
        }
        Ok(Self { url, database: database.to_owned() })
    }

    /// Host, port and database, for messages.
    pub fn name(&self) -> String {
        format!("{}/{}", self.url.authority, self.database)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_or_refused() {
        let read = |text: &str| EngineAddress::parse(text).map(|at| (at.url.host, at.url.port, at.database));
        let parts = |host: &str, port, database: &str| Ok((host.to_owned(), port, database.to_owned()));
        assert_eq!(read("clickhouse+https://db.example.org"), parts("db.example.org", 8443, "annals"));
        assert_eq!(read("clickhouse+http://[::1]/team/"), parts("::1", 8123, "team"));
        assert_eq!(read("clickhouse+http://127.0.0.1:99/x_1"), parts("127.0.0.1", 99, "x_1"));
        assert_eq!(read("clickhouse+http://db.example.org"), Err(AddressError::Exposed));
        assert_eq!(read("clickhouse+https://me:secret@db/x"), Err(AddressError::Credentials));
        assert_eq!(read("clickhouse+https://db/a`b"), Err(AddressError::Database("a`b".into())));
        assert_eq!(read("clickhouse+https://db/1a"), Err(AddressError::Database("1a".into())));
        assert_eq!(read("clickhouse+https://db/_a"), Err(AddressError::Database("_a".into())));
        for bad in [
            "https://db",
            "clickhouse://db",
            "clickhouse+ftp://db",
            "clickhouse+https://",
            "clickhouse+https",
        ] {
            assert_eq!(read(bad), Err(AddressError::Malformed), "{bad}");
        }
    }
}
