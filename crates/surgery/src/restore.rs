//! Restores a session from the trash with all its files.

use std::path::{Path, PathBuf};

use annals_store::changes::Change;
use annals_store::digest::sha256;
use annals_store::journal::Effect;
use annals_store::read::{ReadError, read_file};
use annals_store::trash::{TrashedSession, is_same};
use annals_store::{ConfigDir, FileRole};

use crate::plan::Plan;
use crate::prompts;

/// Why a session cannot be restored from the trash.
#[derive(Debug, thiserror::Error)]
pub enum TrashRestoreError {
    /// A file exists at the old path.
    #[error("{}: already exists; restore never overwrites", path.display())]
    InTheWay { path: PathBuf },
    /// A file could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// Plans the restore of a session's file, its side files, and its prompts if they were removed. What is back already, with
/// the same content, stays as it is.
pub fn plan(trashed: &TrashedSession) -> Result<Plan, TrashRestoreError> {
    let mut plan = Plan::new(format!("restore {}", trashed.key), trashed.config.path());
    plan.locked.push(trashed.file.from.clone());
    for part in &trashed.parts {
        if !exists(&part.from) {
            plan.changes.push(Change::Move { from: part.kept.clone(), to: part.from.clone() });
        } else if !is_same(&part.from, &part.kept) {
            return Err(TrashRestoreError::InTheWay { path: part.from.clone() });
        }
    }
    restore_index(trashed, &mut plan)?;
    restore_prompts(trashed, &mut plan)?;
    Ok(plan)
}

fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// The old bytes of a file that the change replaced, and the digest of its new content.
fn replaced<'t>(trashed: &'t TrashedSession, file: &Path) -> Option<(&'t Path, &'t str)> {
    // Of a link, the target was replaced.
    let target = std::fs::canonicalize(file).unwrap_or_default();
    let is_it = |path: &Path| path == file || path == target;
    trashed.entry.effects.iter().find_map(|effect| match effect {
        Effect::Replaced { path, kept: Some(kept), left, .. } if is_it(path) && exists(kept) => {
            Some((kept.as_path(), left.as_str()))
        }
        _ => None,
    })
}

/// Restores the exact index if it has not changed since, else the session's entry. A session that was not in the index when
/// it went does not come to be in it.
fn restore_index(trashed: &TrashedSession, plan: &mut Plan) -> Result<(), ReadError> {
    let index = trashed.config.sessions_index(&trashed.slug);
    let Some((kept, left)) = replaced(trashed, &index) else { return Ok(()) };
    let refresh = Change::RefreshIndex { session: trashed.file.from.clone() };
    let is_of_project = |effect: &&Effect| match effect {
        Effect::Moved { from, .. } => {
            matches!(trashed.config.role(from), FileRole::Session { slug, .. } if slug == trashed.slug)
        }
        _ => false,
    };
    if trashed.entry.effects.iter().filter(is_of_project).count() != 1 {
        plan.changes.push(refresh);
        return Ok(());
    }
    match trashed.config.read_if_there(&index)? {
        Some(now) if sha256(&now) == left => plan.replace(&index, &now, read_file(kept)?),
        Some(_) => plan.changes.push(refresh),
        None => {}
    }
    Ok(())
}

fn restore_prompts(trashed: &TrashedSession, plan: &mut Plan) -> Result<(), ReadError> {
    let history = trashed.config.history();
    let Some((kept, _)) = replaced(trashed, &history) else { return Ok(()) };
    let Some(now) = trashed.config.read_own_history()? else { return Ok(()) };
    let (with_prompts, pastes) = prompts::with_prompts(&now, &read_file(kept)?, &trashed.key);
    if with_prompts == now {
        return Ok(());
    }
    plan.replace(&history, &now, with_prompts);
    for hash in pastes {
        plan.changes.extend(paste_back(trashed, &trashed.config, &hash));
    }
    Ok(())
}

/// The move that restores a long paste, unless it is back already.
fn paste_back(trashed: &TrashedSession, config: &ConfigDir, hash: &str) -> Option<Change> {
    let paste = config.paste(hash);
    trashed.entry.effects.iter().find_map(|effect| match effect {
        Effect::Moved { from, to } if *from == paste && exists(to) && !exists(from) => {
            Some(Change::Move { from: to.clone(), to: from.clone() })
        }
        _ => None,
    })
}
