//! A plan is carried out under the locks of its sessions, and what is then on the disk is verified; if that fails, it is taken
//! back at once.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use annals_store::changes::{self, Change, ChangesError};
use annals_store::digest::sha256_bytes;
use annals_store::files::{FolderLock, LockError, NotPlain, plain_place};
use annals_store::journal::{Entry, Journal, UndoError};
use annals_store::read::{ReadError, read_file};
use annals_store::session::{InUse, lock_alone};
use annals_store::source::Source;
use annals_store::{ConfigDir, DataDir};

use crate::plan::Plan;
use crate::verify::{Violation, verify};

/// How long the lock of the prompt history is waited for, in milliseconds.
const PATIENCE_MS: u64 = 5_000;

/// Why a plan was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// The plan does nothing.
    #[error("there is nothing to do")]
    Nothing,
    /// Somebody is writing to one of the files.
    #[error(transparent)]
    InUse(#[from] InUse),
    /// Somebody has the lock of the prompt history.
    #[error(transparent)]
    Locked(#[from] LockError),
    /// A file is not as it was when the plan was made.
    #[error("{}: it was written to since the plan was made", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// A file is no plain one any more.
    #[error("{}: {}", path.display(), why.explanation())]
    NotPlain {
        /// The file.
        path: PathBuf,
        /// What it is.
        why: NotPlain,
    },
    /// The result is not what it must be; it was taken back.
    #[error("{}: the result is wrong ({violation}); it was taken back", path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        violation: Violation,
    },
    /// The result is wrong and could not be taken back.
    #[error("the result is wrong and could not be taken back: {0}")]
    Stuck(UndoError),
    /// A file could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The disk.
    #[error(transparent)]
    Changes(#[from] ChangesError),
}

/// Carries a plan out. `watch` is told before each step of the change, and may stop it, as a crash would.
pub fn apply(
    plan: &Plan,
    data: &DataDir,
    source: &dyn Source,
    watch: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Result<Entry, ApplyError> {
    if plan.is_empty() {
        return Err(ApplyError::Nothing);
    }
    // A result that would be wrong is never written.
    for edit in &plan.edits {
        wrong(edit.path(), verify(edit, &edit.result()))?;
    }
    let mut locks = Vec::new();
    for path in &plan.locked {
        locks.push(lock_alone(path, data, source)?);
    }
    let _prompts = prompts_lock(plan, source)?;
    let as_planned = |path: &Path, same: &dyn Fn(&[u8]) -> bool| match same(&read_file(path)?) {
        true => Ok(()),
        false => Err(ApplyError::Changed { path: path.to_path_buf() }),
    };
    for edit in &plan.edits {
        as_planned(edit.path(), &|bytes| bytes == edit.before())?;
    }
    for (path, digest) in &plan.rests_on {
        as_planned(path, &|bytes| sha256_bytes(bytes) == *digest)?;
    }
    for (folder, path) in &plan.plain {
        let looked = plain_place(folder, &path.to_string_lossy());
        looked.map_err(|why| ApplyError::NotPlain { path: path.clone(), why })?;
    }
    let entry = changes::apply(&plan.all_changes(), &plan.what, &plan.root, data, source, watch)?;
    if let Err(error) = as_promised(plan) {
        drop(locks);
        Journal::new(data).undo(entry).map_err(ApplyError::Stuck)?;
        return Err(error);
    }
    Ok(entry)
}

/// Clients of all sessions write to the prompt history at any time: theirs is the lock that keeps them from it.
fn prompts_lock(plan: &Plan, source: &dyn Source) -> Result<Option<FolderLock>, ApplyError> {
    let config = ConfigDir::new(&plan.root);
    let is_history =
        |change: &Change| matches!(change, Change::Replace { path, .. } if *path == config.history());
    let is_edited = plan.edits.iter().any(|edit| edit.path() == config.history());
    match is_edited || plan.changes.iter().any(is_history) {
        true => Ok(Some(FolderLock::take(&config.history_lock(), source, PATIENCE_MS)?)),
        false => Ok(None),
    }
}

/// Whether what is on the disk is what was promised: edited files hold what they must, new ones what was planned.
fn as_promised(plan: &Plan) -> Result<(), ApplyError> {
    for edit in &plan.edits {
        // What went to the trash is nobody's result.
        if let Some(place) = plan.place_after(edit.path()) {
            wrong(&place, verify(edit, &read_file(&place)?))?;
        }
    }
    for change in &plan.changes {
        if let Change::Create { path, bytes } = change
            && read_file(path)? != *bytes
        {
            wrong(path, vec![Violation::Unlike])?;
        }
    }
    Ok(())
}

fn wrong(path: &Path, violations: Vec<Violation>) -> Result<(), ApplyError> {
    match violations.into_iter().next() {
        Some(violation) => Err(ApplyError::Wrong { path: path.to_path_buf(), violation }),
        None => Ok(()),
    }
}
