//! What changed between two versions, line by line.

use std::time::Duration;

use similar::TextDiff;

use super::{FileVersion, VersionContent};

/// Larger versions are not compared: nobody reads such a diff.
const MAX_COMPARED: usize = 4 * 1024 * 1024;

/// A diff that takes longer becomes coarser.
const MAX_TIME: Duration = Duration::from_millis(500);

/// The lines around a change.
const CONTEXT: usize = 3;

/// What a version changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionDiff {
    /// Lines that came.
    pub added: usize,
    /// Lines that went.
    pub removed: usize,
    /// A unified diff without file names; `None` if the versions are not texts that can be compared.
    pub text: Option<String>,
}

impl VersionDiff {
    /// Compares a version with the one before it; the first is compared with nothing.
    pub fn between(before: Option<&FileVersion>, after: &FileVersion) -> Self {
        let none = Self { added: 0, removed: 0, text: None };
        let whole = before.map_or(Some(""), text_of).zip(text_of(after));
        // Of large files newer clients record only what was replaced.
        let replaced = after.replaced.as_ref().map(|(old, new)| (old.as_str(), new.as_str()));
        let Some((old, new)) = whole.or(replaced) else { return none };
        if old.len().max(new.len()) > MAX_COMPARED {
            return none;
        }
        let diff = TextDiff::configure().timeout(MAX_TIME).diff_lines(old, new);
        // A part of a file ends without a line break, and that says nothing of the file.
        let is_whole = whole.is_some();
        let text = diff.unified_diff().context_radius(CONTEXT).missing_newline_hint(is_whole).to_string();
        let count = |sign: char| text.lines().filter(|line| line.starts_with(sign)).count();
        Self { added: count('+'), removed: count('-'), text: Some(text) }
    }
}

/// The text of a version; that of a file which is not there is empty.
fn text_of(version: &FileVersion) -> Option<&str> {
    match &version.content {
        VersionContent::Bytes(bytes) => std::str::from_utf8(bytes).ok(),
        VersionContent::Absent => Some(""),
        VersionContent::Unrecorded => None,
    }
}
