//! A version: all files of a session as they were when it was archived.

use std::path::{Path, PathBuf};

use annals_store::SessionKey;

use crate::error::VaultError;
use crate::id::ContentId;
pub use crate::version_id::VersionId;

/// A version of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    pub id: VersionId,
    /// The session's id.
    pub session: SessionKey,
    /// The config dir that the session was in.
    pub store: PathBuf,
    /// The session's own file, relative to the config dir, with `/` between the folders.
    pub file: String,
    /// When it was archived, in milliseconds since 1970.
    pub time: i64,
    /// All of its files, including the session's own.
    pub files: Vec<FileCopy>,
    /// The folders around them, below the config dir, the outermost first. Empty in versions of older releases.
    pub folders: Vec<FolderMode>,
    /// What lists show of it.
    pub meta: SessionMeta,
}

/// Config dir and file of a session: tells sessions of the same id in different projects or stores apart.
pub type SessionLocation = (PathBuf, String);

impl Version {
    /// The location of the session.
    pub fn location(&self) -> SessionLocation {
        (self.store.clone(), self.file.clone())
    }

    /// Where the session's own file was.
    pub fn path(&self) -> PathBuf {
        self.store.join(&self.file)
    }

    /// The copy of the session's own file.
    pub fn main(&self) -> Option<&FileCopy> {
        self.files.iter().find(|copy| copy.path == self.file)
    }

    /// The size of all its files in bytes.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(FileCopy::bytes).sum()
    }

    /// Whether the client has deleted the session since.
    pub fn is_gone(&self) -> bool {
        !self.path().exists()
    }
}

/// A folder that held files of a version, and its permission bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderMode {
    /// Its path, relative to the config dir, with `/` between the folders.
    pub path: String,
    /// Its permission bits.
    pub mode: u32,
}

/// A file of a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileCopy {
    /// Its path, relative to the config dir, with `/` between the folders.
    pub path: String,
    /// Whether it is a file or a folder.
    pub kind: FileKind,
    /// Its permission bits.
    pub mode: u32,
    /// When it was last written, in nanoseconds since 1970.
    pub modified: i64,
    /// Metadata by which a later change is noticed.
    pub(crate) stamp: ChangeStamp,
}

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A file with its content.
    File {
        /// The id of its bytes.
        content: ContentId,
        /// How many bytes it has.
        bytes: u64,
    },
    /// An empty folder, whose existence matters.
    Folder,
}

/// Metadata that change with a file even if its modification time is set back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ChangeStamp {
    /// When the file, its name or its mode last changed, in nanoseconds since 1970.
    pub(crate) changed: i64,
    pub(crate) inode: u64,
}

impl FileCopy {
    /// Its size in bytes; 0 for a folder.
    pub fn bytes(&self) -> u64 {
        match self.kind {
            FileKind::File { bytes, .. } => bytes,
            FileKind::Folder => 0,
        }
    }

    /// The id of its bytes; `None` for a folder.
    pub fn content(&self) -> Option<ContentId> {
        match self.kind {
            FileKind::File { content, .. } => Some(content),
            FileKind::Folder => None,
        }
    }

    /// Its path in a folder. Paths that lead out of the folder are refused.
    pub(crate) fn path_in(&self, folder: &Path) -> Result<PathBuf, VaultError> {
        path_in(folder, &self.path)
    }
}

impl FolderMode {
    /// Its path in a folder. Paths that lead out of the folder are refused.
    pub(crate) fn path_in(&self, folder: &Path) -> Result<PathBuf, VaultError> {
        path_in(folder, &self.path)
    }
}

fn path_in(folder: &Path, relative: &str) -> Result<PathBuf, VaultError> {
    let is_plain =
        |part: &str| !part.is_empty() && part != "." && part != ".." && !part.contains(['\\', '\0']);
    if relative.split('/').all(is_plain) {
        Ok(relative.split('/').fold(folder.to_path_buf(), |path, part| path.join(part)))
    } else {
        Err(VaultError::PathOutsideStore { path: relative.to_owned() })
    }
}

/// What lists show of a session, so that it need not be unpacked for them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionMeta {
    pub title: Option<String>,
    pub first_prompt: Option<String>,
    /// Its working directory.
    pub project: Option<String>,
    /// The first timestamp, as written.
    pub created: Option<String>,
    /// The latest timestamp, in milliseconds since 1970.
    pub active: Option<i64>,
    pub tag: Option<String>,
    /// Its git branch.
    pub branch: Option<String>,
    /// The models that replied.
    pub models: Vec<String>,
    /// Whether it only warmed up the prompt cache.
    pub is_warm_up: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_below_their_folder() {
        let copy = |path: &str| FileCopy {
            path: path.into(),
            kind: FileKind::Folder,
            mode: 0o600,
            modified: 0,
            stamp: ChangeStamp::default(),
        };
        assert_eq!(copy("a/b").path_in(Path::new("x")).unwrap(), Path::new("x").join("a").join("b"));
        for bad in ["", "/etc/passwd", "a/../../b", "..", "a//b", "./a", "a\\b", "a\0"] {
            assert!(copy(bad).path_in(Path::new("x")).is_err(), "{bad:?}");
        }
    }
}
