//! Brings the index of a project up to date as a part of a change, so that undo restores its bytes.

use std::path::Path;

use super::prepare::keep;
use crate::data_dir::DataDir;
use crate::digest::{sha256, sha256_bytes};
use crate::files::{Steps, WriteError, stage_file, target_of};
use crate::journal::{Effect, Journal, JournalEntry};
use crate::layout::{ConfigDir, FileRole};
use crate::sessions_index::{IndexEdit, refreshed};

/// Updates the index for a session whose file is in place. The new bytes are noted in the entry before they are written.
///
/// An index is a cache, which is often out of date: an error here loses nothing, and only a stop is reported.
pub(crate) fn refresh_index(
    entry: &mut JournalEntry,
    session: &Path,
    data: &DataDir,
    steps: &mut Steps<'_>,
) -> Result<(), WriteError> {
    match try_refresh(entry, session, data, steps) {
        Err(WriteError::Stopped) => Err(WriteError::Stopped),
        _ => Ok(()),
    }
}

fn try_refresh(
    entry: &mut JournalEntry,
    session: &Path,
    data: &DataDir,
    steps: &mut Steps<'_>,
) -> Result<(), WriteError> {
    let Some(config) = ConfigDir::containing(session) else { return Ok(()) };
    let FileRole::Session { slug, folder, session } = config.role(session) else { return Ok(()) };
    if !folder.is_empty() {
        return Ok(());
    }
    let Ok(Some(IndexEdit { before, after })) = refreshed(&config, &slug, &session) else { return Ok(()) };
    let path = target_of(&config.sessions_index(&slug))?;
    steps.step()?;
    let folder = data.trash(&entry.id).join(format!("kept-{}", entry.effects.len()));
    let (kept, old, digest) = keep(&path, &folder)?;
    if digest != sha256_bytes(&before) {
        return Ok(());
    }
    let (left, bytes) = (sha256(&after), Some(after.len() as u64));
    entry.effects.push(Effect::Replaced { path: path.clone(), kept: Some(kept), left, bytes });
    Journal::new(data).write(entry)?;
    steps.step()?;
    stage_file(&path, &after)?;
    old.swap(steps, || ())?;
    old.forget_aside();
    Ok(())
}
