//! Settings files, as far as they decide what may happen. What is wrong in one is reported and never widens anything.

mod gather;
mod read;

use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use super::mode::{Bypass, Mode, ModeRefusal};
use super::paths::{Disk, Kind, resolve};
use super::rules::{Rule, Source};
use crate::secret::Secret;

pub use gather::{Effective, gather};

/// A file larger than this is not read.
pub const MOST_BYTES: u64 = 1 << 20;

/// What one source says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Which source.
    pub source: Source,
    /// Which file; a name for what is no file.
    pub path: PathBuf,
    /// Its rules, in their order.
    pub rules: Vec<Rule>,
    /// `permissions.defaultMode`
    pub mode: Option<Mode>,
    /// `permissions.additionalDirectories`
    pub folders: Vec<String>,
    /// `env`
    pub environment: Vec<(String, Secret)>,
    /// `apiKeyHelper`: a command that prints a key.
    pub key_helper: Option<String>,
    /// `model`
    pub model: Option<String>,
    /// `permissions.disableBypassPermissionsMode`
    pub bypass: Bypass,
    /// What was not understood.
    pub problems: Vec<SettingsProblem>,
}

/// What is wrong with a settings file, or was not taken from it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsProblem {
    /// It cannot be read.
    #[error("{} cannot be read: {why}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// It is not JSON.
    #[error("{} is not JSON at byte {offset}; nothing of it is used", path.display())]
    NotJson {
        /// The file.
        path: PathBuf,
        /// Where it stops being JSON.
        offset: usize,
    },
    /// A key holds another type than it should.
    #[error("{}: `{key}` is not what is expected there", path.display())]
    WrongType {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
    },
    /// A rule that is not understood; it allows nothing and forbids nothing.
    #[error("{}: the rule `{rule}` is not understood: {why}", path.display())]
    UnknownRule {
        /// The file.
        path: PathBuf,
        /// The rule.
        rule: String,
        /// Why.
        why: &'static str,
    },
    /// A key that is not taken from this source.
    #[error("{}: `{key}` is not taken from a project's files", path.display())]
    NotFromProject {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
    },
    /// A key that is taken only after trust.
    #[error("{}: `{key}` is taken only when the workspace is trusted", path.display())]
    NotTrusted {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
    },
    /// A mode that may not be taken.
    #[error("{}: {why}", path.display())]
    Mode {
        /// The file.
        path: PathBuf,
        /// Why.
        why: ModeRefusal,
    },
}

/// What `--settings` was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given<'g> {
    /// The JSON itself.
    Inline(&'g str),
    /// The path of a file.
    File(&'g Path),
}

impl<'g> Given<'g> {
    /// Whether the value is JSON or a path: JSON begins with a brace.
    pub fn new(value: &'g str) -> Self {
        if value.trim_start().starts_with('{') { Self::Inline(value) } else { Self::File(Path::new(value)) }
    }
}

impl Settings {
    /// Nothing said.
    pub fn empty(source: Source, path: &Path) -> Self {
        Self {
            source,
            path: path.to_path_buf(),
            rules: Vec::new(),
            mode: None,
            folders: Vec::new(),
            environment: Vec::new(),
            key_helper: None,
            model: None,
            bypass: Bypass::Open,
            problems: Vec::new(),
        }
    }

    /// Reads the bytes of a settings file.
    pub fn parse(bytes: &[u8], source: Source, path: &Path) -> Self {
        read::parse(bytes, source, path)
    }

    /// Reads a settings file of the disk. One that is not there says nothing; one that is no plain file is not opened, so
    /// that a pipe among a project's files keeps nobody waiting.
    pub fn load(path: &Path, source: Source) -> Self {
        let unreadable = |why: String| {
            let mut settings = Self::empty(source, path);
            settings.problems.push(SettingsProblem::Unreadable { path: path.to_path_buf(), why });
            settings
        };
        let resolved = match resolve(&Disk, Path::new("/"), path) {
            Ok(resolved) => resolved,
            Err(error) => return unreadable(error.to_string()),
        };
        match resolved.kind {
            Kind::Missing => return Self::empty(source, path),
            Kind::File => {}
            Kind::Folder | Kind::Special => return unreadable("it is no file".to_owned()),
        }
        let large = std::fs::metadata(&resolved.real).is_ok_and(|metadata| metadata.len() > MOST_BYTES);
        if large {
            return unreadable("it is too large".to_owned());
        }
        match std::fs::read(&resolved.real).map(Zeroizing::new) {
            Ok(bytes) => Self::parse(&bytes, source, path),
            Err(error) => unreadable(error.to_string()),
        }
    }
}
