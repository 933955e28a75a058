//! Trust in a workspace: given by a person.

/// Whether a person has said that the files of a workspace may be obeyed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Somebody said so.
    Trusted,
    /// Nobody has.
    Untrusted,
}
