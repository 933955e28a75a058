//! What the tools of a session share: its folders, the files that were read, checkpoints, and the path filter.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::InputError;
use super::files::FileTarget;
use super::read_files::{Fingerprint, ReadExtent, ReadFiles};
use annals_policy::paths::{Disk, ResolvedPath, Workspace, is_refused, resolve};

/// Backs up files before they are changed, so that the change can be undone.
pub trait Checkpoints: Send + Sync {
    /// Called before a file is changed or created. On an error the file is not touched.
    fn before_change(&self, path: &Path) -> Result<(), String>;
}

/// Backs up nothing.
impl Checkpoints for () {
    fn before_change(&self, _: &Path) -> Result<(), String> {
        Ok(())
    }
}

/// Hides files from searches: those that a rule denies to be read.
pub trait PathFilter: Send + Sync {
    /// Whether this file or folder is hidden.
    fn hides(&self, path: &Path) -> bool;
}

/// Hides nothing.
impl PathFilter for () {
    fn hides(&self, _: &Path) -> bool {
        false
    }
}

/// What the tools of a session share.
pub struct ToolContext {
    /// The folders of the session.
    pub workspace: Workspace,
    /// The files that the model has read.
    pub read_files: ReadFiles,
    /// Backs up files before they are changed.
    pub checkpoints: Box<dyn Checkpoints>,
    /// Hides files from searches.
    pub path_filter: Box<dyn PathFilter>,
    current: Mutex<PathBuf>,
}

impl ToolContext {
    /// The context of a session with this workspace.
    pub fn new(
        workspace: Workspace,
        checkpoints: Box<dyn Checkpoints>,
        path_filter: Box<dyn PathFilter>,
    ) -> Self {
        let current = Mutex::new(workspace.working().to_path_buf());
        Self { workspace, read_files: ReadFiles::new(), checkpoints, path_filter, current }
    }

    /// The folder in which the next command starts.
    pub fn current(&self) -> PathBuf {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets the folder in which the next command starts.
    pub fn set_current(&self, folder: PathBuf) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = folder;
    }

    /// The content at a real path; `None` if the file or its folder does not exist.
    pub(crate) fn look(&self, real: &Path) -> Result<Option<Vec<u8>>, InputError> {
        if !real.parent().is_some_and(Path::is_dir) {
            return Ok(None);
        }
        let found = FileTarget::of(real).and_then(|place| place.read());
        Ok(found.map_err(|error| InputError(error.to_string()))?.map(|found| found.bytes))
    }

    /// Changes or creates a file if it still has the content `before`. It is backed up first, and noted as read to this extent.
    pub(crate) fn change(
        &self,
        real: &Path,
        before: Option<Fingerprint>,
        bytes: &[u8],
        extent: ReadExtent,
    ) -> Result<(), InputError> {
        self.checkpoints.before_change(real).map_err(|error| {
            InputError(format!("The file could not be saved for undo, so it was not changed: {error}"))
        })?;
        let written = FileTarget::made(real).and_then(|place| place.write(bytes, before));
        written.map_err(|error| InputError(error.to_string()))?;
        self.read_files.note(real, Fingerprint::of(bytes), extent);
        Ok(())
    }

    /// Resolves a path as the policy does, and checks it against the approved one.
    pub(crate) fn follow(&self, path: &str, agreed: Option<&Path>) -> Result<ResolvedPath, InputError> {
        let full = match (path.strip_prefix("~/"), self.workspace.home()) {
            (Some(below), Some(home)) => home.join(below),
            _ => PathBuf::from(path),
        };
        let resolved = resolve(&Disk, self.workspace.working(), &full)
            .map_err(|error| InputError(format!("The path cannot be resolved: {error}.")))?;
        if agreed.is_some_and(|agreed| agreed != resolved.real) {
            return Err(InputError(format!(
                "{path} no longer leads to the file that this call was allowed for: nothing was done."
            )));
        }
        if is_refused(&resolved) {
            return Err(InputError(format!("{path} is not a file that can be opened.")));
        }
        Ok(resolved)
    }
}
