//! What all tools of a session stand on: its folders, what the model has seen, and its owner's say about files.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::InputError;
use super::files::Place;
use super::seen::{Extent, Print, Seen};
use annals_policy::paths::{Disk, Resolved, Workspace, is_refused, resolve};

/// Told before a file is changed, so that the change can be taken back.
pub trait Checkpoints: Send + Sync {
    /// A file is about to be changed, or made. Where this fails, it is not.
    fn before_change(&self, path: &Path) -> Result<(), String>;
}

/// Nothing is kept.
impl Checkpoints for () {
    fn before_change(&self, _: &Path) -> Result<(), String> {
        Ok(())
    }
}

/// Which files a search must not show: those that a rule denies to be read.
pub trait Veil: Send + Sync {
    /// Whether this file or folder is not to be shown.
    fn hides(&self, path: &Path) -> bool;
}

/// Nothing is hidden.
impl Veil for () {
    fn hides(&self, _: &Path) -> bool {
        false
    }
}

/// What the tools of a session share.
pub struct Ground {
    /// The folders that the work is about.
    pub workspace: Workspace,
    /// What the model has seen of files.
    pub seen: Seen,
    /// Told before a file is changed.
    pub checkpoints: Box<dyn Checkpoints>,
    /// What searches do not show.
    pub veil: Box<dyn Veil>,
    current: Mutex<PathBuf>,
}

impl Ground {
    /// The ground of a session that works here.
    pub fn new(workspace: Workspace, checkpoints: Box<dyn Checkpoints>, veil: Box<dyn Veil>) -> Self {
        let current = Mutex::new(workspace.working().to_path_buf());
        Self { workspace, seen: Seen::new(), checkpoints, veil, current }
    }

    /// The folder in which the next command starts.
    pub fn current(&self) -> PathBuf {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The next command starts there.
    pub fn set_current(&self, folder: PathBuf) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = folder;
    }

    /// What stands at a real path; `None` where nothing does, or not even its folder.
    pub(crate) fn look(&self, real: &Path) -> Result<Option<Vec<u8>>, InputError> {
        if !real.parent().is_some_and(Path::is_dir) {
            return Ok(None);
        }
        let found = Place::of(real).and_then(|place| place.read());
        Ok(found.map_err(|error| InputError(error.to_string()))?.map(|found| found.bytes))
    }

    /// Changes a file, or makes it, on the condition that it still is what it was: its owner is told first, and the model
    /// has seen so much of it afterwards.
    pub(crate) fn change(
        &self,
        real: &Path,
        before: Option<Print>,
        bytes: &[u8],
        extent: Extent,
    ) -> Result<(), InputError> {
        self.checkpoints.before_change(real).map_err(|error| {
            InputError(format!("The file could not be kept for undo, so it was not changed: {error}"))
        })?;
        let written = Place::made(real).and_then(|place| place.write(bytes, before));
        written.map_err(|error| InputError(error.to_string()))?;
        self.seen.note(real, Print::of(bytes), extent);
        Ok(())
    }

    /// Follows a path as the policy does, and holds it against what was agreed on.
    pub(crate) fn follow(&self, path: &str, agreed: Option<&Path>) -> Result<Resolved, InputError> {
        let full = match (path.strip_prefix("~/"), self.workspace.home()) {
            (Some(below), Some(home)) => home.join(below),
            _ => PathBuf::from(path),
        };
        let resolved = resolve(&Disk, self.workspace.working(), &full)
            .map_err(|error| InputError(format!("The path cannot be followed: {error}.")))?;
        if agreed.is_some_and(|agreed| agreed != resolved.real) {
            return Err(InputError(format!(
                "{path} does not lead any more where it led when this call was allowed: nothing was done."
            )));
        }
        if is_refused(&resolved) {
            return Err(InputError(format!("{path} is no file that can be opened.")));
        }
        Ok(resolved)
    }
}
