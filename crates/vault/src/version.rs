//! A version: all files of a session as they were when it was kept.

use std::fmt;
use std::path::{Path, PathBuf};

use annals_store::SessionKey;
use annals_store::digest::sha256;

use crate::error::VaultError;
use crate::id::ContentId;

/// The name of a version: the first digits of a sha256 of all that it says.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VersionId(String);

impl VersionId {
    const DIGITS: usize = 12;

    /// The name that these words give.
    pub(crate) fn of(words: &str) -> Self {
        Self(sha256(words.as_bytes()).chars().take(Self::DIGITS).collect())
    }

    /// A name that was written down.
    pub(crate) fn known(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for VersionId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// A version of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// Its name.
    pub id: VersionId,
    /// The session.
    pub session: SessionKey,
    /// The config dir that it was in.
    pub store: PathBuf,
    /// The session's own file, relative to the config dir, with `/` between the folders.
    pub file: String,
    /// When it was kept, in milliseconds since 1970.
    pub time: i64,
    /// All of its files, the session's own among them.
    pub files: Vec<FileCopy>,
    /// What a list says of it.
    pub card: Card,
}

/// What tells apart sessions of the same id in different projects or stores.
pub type Place = (PathBuf, String);

impl Version {
    /// The session's place.
    pub fn place(&self) -> Place {
        (self.store.clone(), self.file.clone())
    }

    /// Where the session's own file was.
    pub fn path(&self) -> PathBuf {
        self.store.join(&self.file)
    }

    /// The session's own file.
    pub fn main(&self) -> Option<&FileCopy> {
        self.files.iter().find(|copy| copy.path == self.file)
    }

    /// How many bytes all of its files have.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(FileCopy::bytes).sum()
    }

    /// Whether the client has deleted the session since.
    pub fn is_gone(&self) -> bool {
        !self.path().exists()
    }
}

/// A file of a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileCopy {
    /// Its path, relative to the config dir, with `/` between the folders.
    pub path: String,
    /// What it is.
    pub kind: CopyKind,
    /// Its permissions.
    pub mode: u32,
    /// When it was last written, in nanoseconds since 1970.
    pub modified: i64,
    /// What else told that it is unchanged.
    pub(crate) seen: Seen,
}

/// What a file of a version is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyKind {
    /// A file.
    File {
        /// Its bytes.
        content: ContentId,
        /// How many.
        bytes: u64,
    },
    /// An empty folder that means something.
    Folder,
}

/// What changes with a file that even a copied time of change does not hide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// When the file, its name or its mode last changed, in nanoseconds since 1970.
    pub(crate) changed: i64,
    /// Its number on the disk.
    pub(crate) inode: u64,
}

impl FileCopy {
    /// How many bytes it has.
    pub fn bytes(&self) -> u64 {
        match self.kind {
            CopyKind::File { bytes, .. } => bytes,
            CopyKind::Folder => 0,
        }
    }

    /// Its bytes' name; a folder has none.
    pub fn content(&self) -> Option<ContentId> {
        match self.kind {
            CopyKind::File { content, .. } => Some(content),
            CopyKind::Folder => None,
        }
    }

    /// Its path below a folder. A path that would lead elsewhere is refused, whoever wrote it.
    pub(crate) fn below(&self, folder: &Path) -> Result<PathBuf, VaultError> {
        let is_plain =
            |part: &str| !part.is_empty() && part != "." && part != ".." && !part.contains(['\\', '\0']);
        if self.path.split('/').all(is_plain) {
            Ok(self.path.split('/').fold(folder.to_path_buf(), |path, part| path.join(part)))
        } else {
            Err(VaultError::Outside { path: self.path.clone() })
        }
    }
}

/// What a list of sessions says of one, so that it need not be unpacked for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Card {
    /// The title.
    pub title: Option<String>,
    /// The first prompt.
    pub first_prompt: Option<String>,
    /// The working directory.
    pub project: Option<String>,
    /// The first timestamp, as written.
    pub created: Option<String>,
    /// The latest timestamp, in milliseconds since 1970.
    pub active: Option<i64>,
    /// The tag.
    pub tag: Option<String>,
    /// The git branch.
    pub branch: Option<String>,
    /// The models.
    pub models: Vec<String>,
    /// Whether it only warmed up the cache.
    pub is_warm_up: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_below_their_folder() {
        let copy = |path: &str| FileCopy {
            path: path.into(),
            kind: CopyKind::Folder,
            mode: 0o600,
            modified: 0,
            seen: Seen::default(),
        };
        assert_eq!(copy("a/b").below(Path::new("x")).unwrap(), Path::new("x").join("a").join("b"));
        for bad in ["", "/etc/passwd", "a/../../b", "..", "a//b", "./a", "a\\b", "a\0"] {
            assert!(copy(bad).below(Path::new("x")).is_err(), "{bad:?}");
        }
    }
}
