//! Checks names from records and other programs before they become parts of paths.

use std::fmt;

/// The longest slug: 200 units, a dash and a hash of up to seven digits. Much longer names do not fit file systems once an
/// ending is added.
const MAX_BYTES: usize = 208;

/// A name that is one part of a path, and can lead nowhere else.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PlainName(String);

/// Why a name was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{name:?} is not valid as {what}: use at most {MAX_BYTES} letters, digits, `-`, `_`, `.` and `@`, not starting with a dot"
)]
#[non_exhaustive]
pub struct NameError {
    /// What the name was to be, such as "a session id".
    pub what: &'static str,
    /// The text that was refused.
    pub name: String,
}

impl PlainName {
    /// Checks a name; `what` describes its purpose for the error.
    pub fn new(name: &str, what: &'static str) -> Result<Self, NameError> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.@".contains(&byte);
        let stays =
            !name.is_empty() && name.len() <= MAX_BYTES && !name.starts_with('.') && name.bytes().all(plain);
        if stays {
            Ok(Self(name.to_owned()))
        } else {
            Err(NameError { what, name: name.chars().take(80).collect() })
        }
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PlainName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_leads_elsewhere_is_a_name() {
        for good in ["3f2a", "agent-a1.jsonl", "00ffe3b0c44298fc@v2", "toolu_01", "aprompt_suggestion-ab"] {
            assert_eq!(PlainName::new(good, "x").unwrap().as_str(), good);
        }
        let long = "a".repeat(MAX_BYTES + 1);
        for bad in ["", ".", "..", "../x", "a/b", "a\\b", "/etc", ".hidden", "a\0b", "a b", "C:", "é", &long]
        {
            assert!(PlainName::new(bad, "x").is_err(), "{bad:?}");
        }
    }
}
