//! The password of a server that others can reach.

use super::token::is_equal;

/// The fewest characters of a password.
pub(crate) const MIN_PASSWORD: usize = 12;

/// A password; never printed.
pub struct Password(String);

impl Password {
    /// The first line of a text; `None` if it is too short to be guessed only slowly.
    pub fn parse(text: &str) -> Option<Self> {
        let line = text.lines().next().unwrap_or_default();
        (line.chars().count() >= MIN_PASSWORD).then(|| Self(line.to_owned()))
    }

    pub(super) fn matches(&self, given: &str) -> bool {
        is_equal(self.0.as_bytes(), given.as_bytes())
    }
}

impl std::fmt::Debug for Password {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Password(hidden)")
    }
}
