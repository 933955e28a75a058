//! Empties the trash, which cannot be undone.
//!
//! The journal records that before the first byte is deleted; a batch is renamed first and then deleted.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::Path;

use super::{TrashBatch, batches, folders_in, size_of};
use crate::data_dir::DataDir;
use crate::files::WriteError;
use crate::journal::{Effect, Journal, Stage};
use crate::layout::ConfigDir;

/// A batch without a journal entry may be in progress; one older than this is not, in milliseconds.
const SETTLED_MS: i64 = 24 * 60 * 60 * 1000;

/// How the name of a batch begins that is being deleted.
const DELETING_PREFIX: &str = ".emptied-";

/// What emptying would delete, and what it would skip.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EmptyPlan {
    /// What goes, the newest first.
    pub to_delete: Vec<TrashBatch>,
    /// Batches that are old enough but stay.
    pub skipped: Vec<SkippedBatch>,
}

impl EmptyPlan {
    /// Leaves what belongs to another store, or to nobody knows whom, out of the plan. What was being deleted already goes.
    pub fn retain_store(&mut self, config: &ConfigDir) {
        let is_of = |batch: &TrashBatch| batch.entry.as_ref().is_some_and(|entry| entry.is_of(config));
        self.to_delete.retain(|batch| is_of(batch) || batch.id.starts_with(DELETING_PREFIX));
        self.skipped.retain(|skipped| is_of(&skipped.batch));
    }
}

/// A batch that is not deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SkippedBatch {
    /// What was moved to the trash by one change.
    pub batch: TrashBatch,
    /// Why.
    pub reason: SkipReason,
}

/// Why a batch is not deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SkipReason {
    /// Without it an interrupted change could not be undone.
    #[error("needed by an interrupted change; annals undo reverts it")]
    Unfinished,
    /// The journal's note of it cannot be read, or it may be in the making.
    #[error("the journal has no entry for it")]
    Unknown,
}

/// Plans to delete everything from before `cutoff`, in milliseconds since 1970.
pub fn plan_empty(data: &DataDir, cutoff: i64, now: i64) -> EmptyPlan {
    let needed = needed_by_unfinished(data);
    let journal = Journal::new(data);
    let mut found = EmptyPlan::default();
    for batch in batches(data) {
        let Some(time) = batch.time.filter(|time| *time < cutoff) else { continue };
        let is_deleting = batch.id.starts_with(DELETING_PREFIX);
        let is_settled = !journal.has(&batch.id) && now - time > SETTLED_MS;
        if needed.contains(&batch.id) {
            found.skipped.push(SkippedBatch { batch, reason: SkipReason::Unfinished });
        } else if batch.entry.is_none() && !is_deleting && !is_settled {
            found.skipped.push(SkippedBatch { batch, reason: SkipReason::Unknown });
        } else {
            found.to_delete.push(batch);
        }
    }
    found
}

/// Deletes batches permanently. Their changes can no longer be undone, and the journal records that first.
pub fn empty(data: &DataDir, to_delete: &[TrashBatch]) -> Result<(), WriteError> {
    let journal = Journal::new(data);
    for batch in to_delete {
        if let Some(entry) = batch.entry.clone().filter(|entry| entry.stage == Stage::Done) {
            journal.mark_emptied(entry)?;
        }
        let deleting = match batch.id.starts_with(DELETING_PREFIX) {
            true => batch.path.clone(),
            false => batch.path.with_file_name(format!("{DELETING_PREFIX}{}", batch.id)),
        };
        if deleting != batch.path {
            fs::rename(&batch.path, &deleting).map_err(WriteError::at(&batch.path))?;
        }
        delete(&deleting)?;
    }
    // Folders from which everything was restored are empty.
    let needed = needed_by_unfinished(data);
    for folder in folders_in(&data.trash_root()).iter().filter(|folder| size_of(folder).0 == 0) {
        let id = folder.file_name().unwrap_or_default().to_string_lossy();
        if !needed.contains(&*id) && journal.has(&id) {
            delete(folder)?;
        }
    }
    Ok(())
}

fn delete(folder: &Path) -> Result<(), WriteError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(WriteError::new(folder, error)),
        _ => Ok(()),
    }
}

/// The batches that a change needs which may have happened in part: its own, and those that it moves things out of.
fn needed_by_unfinished(data: &DataDir) -> HashSet<String> {
    let trash = data.trash_root();
    let batch_of = |path: &Path| {
        let inside = path.strip_prefix(&trash).ok()?;
        Some(inside.components().next()?.as_os_str().to_string_lossy().into_owned())
    };
    let mut needed = HashSet::new();
    for entry in Journal::new(data).entries().into_iter().filter(|entry| entry.stage == Stage::Begun) {
        for effect in &entry.effects {
            let paths = match effect {
                Effect::Moved { from, to } => [Some(from), Some(to)],
                Effect::Replaced { path, kept, .. } => [Some(path), kept.as_ref()],
                other => [Some(other.path()), None],
            };
            needed.extend(paths.into_iter().flatten().filter_map(|path| batch_of(path)));
        }
        needed.insert(entry.id);
    }
    needed
}
