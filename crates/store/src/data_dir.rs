//! Our own folder: locks, spools, the journal, the trash, the vault. Nothing of the user's is here
//! alone, except in the last two and, once the store has deleted it, in a spool.

use std::path::{Path, PathBuf};

use crate::digest::short;
use crate::layout::ConfigDir;

/// The folder for locks, journal and trash, outside the config dir.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataDir {
    path: PathBuf,
    store: Option<PathBuf>,
}

impl DataDir {
    /// Takes the folder's path.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), store: None }
    }

    /// Names the store in use: changes of files that are in no store are noted as its own.
    pub fn used_by(mut self, config: &ConfigDir) -> Self {
        self.store = Some(std::path::absolute(config.path()).unwrap_or_else(|_| config.path().to_path_buf()));
        self
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn store(&self) -> Option<&Path> {
        self.store.as_deref()
    }

    /// `locks/<name>-<digits>.lock`: one a file that is written to; it also notes how we left it. Two stores may hold a
    /// session of the same name, so the whole path decides.
    pub fn lock_of(&self, file: &Path) -> PathBuf {
        let folder = file.parent().and_then(|folder| folder.canonicalize().ok());
        let name = file.file_name().unwrap_or_default();
        let whole = folder.map_or_else(|| file.to_path_buf(), |folder| folder.join(name));
        // All names of a file have one lock.
        let whole = if whole.is_symlink() { whole.canonicalize().unwrap_or(whole) } else { whole };
        let digits = short(whole.as_os_str().as_encoded_bytes());
        let stem: String = file.file_stem().unwrap_or_default().to_string_lossy().chars().take(64).collect();
        let stem: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        self.path.join("locks").join(format!("{stem}-{digits}.lock"))
    }

    /// `journal`: the changes made, and how to undo them.
    pub fn journal(&self) -> PathBuf {
        self.path.join("journal")
    }

    /// `trash`: one folder a change.
    pub fn trash_root(&self) -> PathBuf {
        self.path.join("trash")
    }

    /// `trash/<id>`: files moved out of the store.
    pub fn trash(&self, id: &str) -> PathBuf {
        self.trash_root().join(id)
    }

    /// `vault`: sessions kept for good.
    pub fn vault(&self) -> PathBuf {
        self.path.join("vault")
    }

    /// `commands`: what commands changed, one folder a session.
    pub fn commands(&self) -> PathBuf {
        self.path.join("commands")
    }

    /// `stats.json`: the statistics of annals, apart from the client's `stats-cache.json`.
    pub fn stats(&self) -> PathBuf {
        self.path.join("stats.json")
    }

    /// `collect/<sink>.json`: how far each file was acknowledged by a sink.
    pub fn collection(&self, sink: &str) -> PathBuf {
        self.path.join("collect").join(format!("{sink}.json"))
    }

    /// `collect/<sink>.spool`: batches that a sink has not received yet.
    pub fn spool(&self, sink: &str) -> PathBuf {
        self.path.join("collect").join(format!("{sink}.spool"))
    }

    /// `collect/machine`: by what name the sinks know this machine.
    pub fn machine(&self) -> PathBuf {
        self.path.join("collect").join("machine")
    }
}
