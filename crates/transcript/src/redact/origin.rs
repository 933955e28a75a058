//! Where a text comes from, as far as that speaks for secrets in it: what was run, read or asked before it.

use std::sync::Arc;

/// Where a text comes from.
#[derive(Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextOrigin {
    /// Nothing is known that speaks for a secret.
    #[default]
    Unknown,
    /// The last line of the message before it, which may ask for a secret or announce one.
    Message(Arc<str>),
    /// A command or a file that has to do with secrets.
    Topic,
    /// A file of users, in which each may have a password.
    Users,
    /// A command or a file that shows secrets.
    Secrets,
}

impl TextOrigin {
    /// The one that says more.
    pub(super) fn or(self, other: Self) -> Self {
        if other.rank() > self.rank() { other } else { self }
    }

    fn rank(&self) -> usize {
        match self {
            Self::Unknown => 0,
            Self::Message(_) => 1,
            Self::Topic => 2,
            Self::Users => 3,
            Self::Secrets => 4,
        }
    }
}

impl std::fmt::Debug for TextOrigin {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The message may hold a secret.
        formatter.write_str(match self {
            Self::Unknown => "Unknown",
            Self::Message(_) => "Message",
            Self::Topic => "Topic",
            Self::Users => "Users",
            Self::Secrets => "Secrets",
        })
    }
}
