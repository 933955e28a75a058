//! The client versions whose rules are known, because they were tested.

use std::fmt;
use std::str::FromStr;

/// A client version whose behaviour is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Client {
    /// 2.0.76
    V2_0_76,
    /// 2.1.112
    V2_1_112,
    /// 2.1.325
    V2_1_325,
}

impl Client {
    /// Every known client, oldest first.
    pub const ALL: &'static [Self] = &[Self::V2_0_76, Self::V2_1_112, Self::V2_1_325];

    /// The newest known client, used by default.
    pub const NEWEST: Self = Self::V2_1_325;

    /// The version number.
    pub fn version(self) -> &'static str {
        match self {
            Self::V2_0_76 => "2.0.76",
            Self::V2_1_112 => "2.1.112",
            Self::V2_1_325 => "2.1.325",
        }
    }
}

impl fmt::Display for Client {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.version())
    }
}

/// A version whose rules are not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownClient(pub String);

impl fmt::Display for UnknownClient {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "unknown client version {}; known are", self.0)?;
        for (at, client) in Client::ALL.iter().enumerate() {
            write!(formatter, "{} {client}", if at == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownClient {}

impl FromStr for Client {
    type Err = UnknownClient;

    fn from_str(version: &str) -> Result<Self, UnknownClient> {
        let known = Self::ALL.iter().find(|client| client.version() == version);
        known.copied().ok_or_else(|| UnknownClient(version.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_versions_by_their_text_and_no_others() {
        for &client in Client::ALL {
            assert_eq!(client.to_string().parse(), Ok(client));
        }
        assert!("2.1.326".parse::<Client>().is_err());
        let unknown = "1.0.128".parse::<Client>().unwrap_err();
        assert_eq!(unknown.to_string(), "unknown client version 1.0.128; known are 2.0.76, 2.1.112, 2.1.325");
    }
}
