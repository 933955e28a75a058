//! Applies a plan under the locks of its sessions, verifies the result on the disk, and reverts it if it is wrong.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use annals_store::changes::{Change, ChangeSet, ChangesError};
use annals_store::digest::sha256_bytes;
use annals_store::files::{FolderLock, LockError, PathRefusal, resolve_plain_file};
use annals_store::journal::{Journal, JournalEntry, UndoError};
use annals_store::read::{FileComparison, ReadError, compare_file, digest_of_file};
use annals_store::session::{InUse, lock_exclusive};
use annals_store::source::Source;
use annals_store::{ConfigDir, DataDir};

use crate::plan::Plan;
use crate::verify::{Violation, verify};

/// How long to wait for the lock of `history.jsonl`, in milliseconds.
const LOCK_TIMEOUT_MS: u64 = 5_000;

/// Why a plan was not applied.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// The plan is empty.
    #[error("nothing to do")]
    Nothing,
    /// Another process is writing to one of the files.
    #[error(transparent)]
    InUse(#[from] InUse),
    /// Another process holds the lock of `history.jsonl`.
    #[error(transparent)]
    Locked(#[from] LockError),
    /// A file has changed since the plan was made.
    #[error("{}: the file changed since the plan was made", path.display())]
    Changed { path: PathBuf },
    /// A file is no longer a plain one.
    #[error("{}: {}", path.display(), why.explanation())]
    PathRefusal {
        path: PathBuf,
        /// What it is instead.
        why: PathRefusal,
    },
    /// The result would be wrong; nothing was written.
    #[error("{}: the result would be wrong ({violation}); nothing was changed", path.display())]
    Wrong {
        /// The path of the file.
        path: PathBuf,
        /// What is wrong.
        violation: Violation,
    },
    /// Somebody else wrote to a file right after the change, which could not be reverted.
    #[error("something else wrote to a file right after the change, which could not be reverted: {source}")]
    Stuck {
        /// The journal entry of the change.
        id: String,
        /// Why it could not be reverted.
        source: UndoError,
    },
    /// A file could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Writing to the disk failed.
    #[error(transparent)]
    Changes(ChangesError),
}

/// Applies a plan. `watch` is called before each step of the change and may stop it, as a crash would.
pub fn apply(
    plan: &Plan,
    data: &DataDir,
    source: &dyn Source,
    watch: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Result<JournalEntry, ApplyError> {
    if plan.is_empty() {
        return Err(ApplyError::Nothing);
    }
    // A wrong result is never written.
    for edit in &plan.edits {
        check_violations(edit.path(), verify(edit, &edit.result()))?;
    }
    let mut locks = Vec::new();
    for path in &plan.locked {
        locks.push(lock_exclusive(path, data, source)?);
    }
    let _prompts = prompts_lock(plan, source)?;
    for edit in &plan.edits {
        let is_same = compare_file(edit.path(), edit.before())? == FileComparison::Same;
        check_unchanged(edit.path(), is_same)?;
    }
    for (path, digest) in &plan.depends_on {
        check_unchanged(path, digest_of_file(path)? == *digest)?;
    }
    for (folder, path) in &plan.plain {
        let looked = resolve_plain_file(folder, &path.to_string_lossy());
        looked.map_err(|why| ApplyError::PathRefusal { path: path.clone(), why })?;
    }
    let mut based_on: Vec<(PathBuf, [u8; 32])> = plan.depends_on.clone();
    based_on.extend(plan.edits.iter().map(|edit| (edit.path().to_path_buf(), sha256_bytes(edit.before()))));
    let changes = plan.all_changes();
    let set = ChangeSet { changes: &changes, what: &plan.what, root: &plan.root, based_on: &based_on };
    let entry = set.apply(data, source, watch).map_err(|error| match error {
        ChangesError::Changed { path } => ApplyError::Changed { path },
        ChangesError::InUse(error) => ApplyError::InUse(error),
        error => ApplyError::Changes(error),
    })?;
    if let Err(error) = verify_result(plan, &changes) {
        drop(locks);
        let id = entry.id.clone();
        Journal::new(data).undo(entry).map_err(|source| ApplyError::Stuck { id, source })?;
        return Err(error);
    }
    Ok(entry)
}

/// Clients of all sessions write to `history.jsonl` at any time, under this lock.
fn prompts_lock(plan: &Plan, source: &dyn Source) -> Result<Option<FolderLock>, ApplyError> {
    let config = ConfigDir::new(&plan.root);
    let is_history =
        |change: &Change| matches!(change, Change::Replace { path, .. } if *path == config.history());
    let is_edited = plan.edits.iter().any(|edit| edit.path() == config.history());
    match is_edited || plan.changes.iter().any(is_history) {
        true => Ok(Some(FolderLock::take(&config.history_lock(), source, LOCK_TIMEOUT_MS)?)),
        false => Ok(None),
    }
}

/// Checks that the disk has what was planned and verified: in edited files and in new ones. Lines that somebody appended
/// right after the change do no harm.
fn verify_result(plan: &Plan, changes: &[Change]) -> Result<(), ApplyError> {
    let check = |path: &Path, planned: &[u8]| {
        check_unchanged(path, compare_file(path, planned)? != FileComparison::Different)
    };
    let (edited, others) = changes.split_at(plan.edits.len());
    for change in edited {
        // A file that went to the trash has no result.
        if let Change::Replace { path, bytes } | Change::Rewrite { path, bytes } = change
            && let Some(place) = plan.path_after(path)
        {
            check(&place, bytes)?;
        }
    }
    others.iter().try_for_each(|change| match change {
        Change::Create { path, bytes, .. } => check(path, bytes),
        _ => Ok(()),
    })
}

fn check_unchanged(path: &Path, is_same: bool) -> Result<(), ApplyError> {
    if is_same { Ok(()) } else { Err(ApplyError::Changed { path: path.to_path_buf() }) }
}

fn check_violations(path: &Path, violations: Vec<Violation>) -> Result<(), ApplyError> {
    match violations.into_iter().next() {
        Some(violation) => Err(ApplyError::Wrong { path: path.to_path_buf(), violation }),
        None => Ok(()),
    }
}
