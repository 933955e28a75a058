//! Resets a project: moves its sessions and their side files to the trash, with undo.

use std::ops::ControlFlow;
use std::path::PathBuf;

use crate::changes::{self, Change, ChangesError};
use crate::data_dir::DataDir;
use crate::journal::JournalEntry;
use crate::key::{SessionKey, Slug};
use crate::layout::{ConfigDir, FileRole};
use crate::scan::Discovery;
use crate::session::{InUse, lock_exclusive};
use crate::source::Source;

/// What a reset would move.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResetPlan {
    /// The project.
    pub slug: Slug,
    /// Every session of the project, by id.
    pub sessions: Vec<SessionKey>,
    /// Files and folders, in the order in which they are moved.
    pub paths: Vec<PathBuf>,
    /// Bytes of the sessions and their sub-agents.
    pub bytes: u64,
}

impl ResetPlan {
    /// What it does to the disk.
    pub fn changes(&self) -> Vec<Change> {
        self.paths.iter().map(|path| Change::Discard { path: path.clone() }).collect()
    }
}

/// Why a project was not reset.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResetError {
    /// A session is being written to.
    #[error(transparent)]
    InUse(#[from] InUse),
    /// Writing failed, before or during the change.
    #[error(transparent)]
    Changes(#[from] ChangesError),
}

/// Plans a reset: everything in the project's folder but its memory, and the side files of its sessions. Plans, prompts of
/// the history and pastes stay: they belong to the person, not to a session.
pub fn plan(discovery: &Discovery, config: &ConfigDir, slug: &Slug) -> ResetPlan {
    let mut paths: Vec<PathBuf> = Vec::new();
    if let Ok(entries) = std::fs::read_dir(config.project(slug)) {
        paths.extend(
            entries.flatten().filter(|entry| entry.file_name() != "memory").map(|entry| entry.path()),
        );
    }
    paths.sort();
    let mut sessions: Vec<_> = discovery.sessions_of(slug).map(|session| session.key.clone()).collect();
    sessions.sort();
    let of_sessions = discovery.sessions_of(slug).map(|session| session.bytes);
    let of_agents = discovery.agents.iter().filter(|agent| &agent.slug == slug).map(|agent| agent.bytes);
    let bytes = of_sessions.chain(of_agents).sum();
    for session in &sessions {
        // A session of the same name in another project keeps its side files.
        if discovery.sessions.iter().any(|other| &other.key == session && &other.slug != slug) {
            continue;
        }
        let folders = [
            config.file_history_of(session),
            config.tasks().join(session.as_str()),
            config.session_env(session),
            config.image_cache(session),
        ];
        paths.extend(folders.into_iter().filter(|folder| folder.exists()));
        let is_theirs =
            |role: &FileRole| matches!(role, FileRole::Todos { .. }) && role.session() == Some(session);
        paths.extend(discovery.todos().filter(|file| is_theirs(&file.role)).map(|file| file.path.clone()));
    }
    ResetPlan { slug: slug.clone(), sessions, paths, bytes }
}

/// Applies a plan. The journal has every move before the first is made: after a crash at any step, undo restores what was
/// moved.
pub fn apply(
    plan: &ResetPlan,
    config: &ConfigDir,
    data: &DataDir,
    source: &dyn Source,
) -> Result<JournalEntry, ResetError> {
    let mut locks = Vec::new();
    for session in &plan.sessions {
        locks.push(lock_exclusive(&config.session(&plan.slug, session), data, source)?);
    }
    let what = format!("reset-project {}", plan.slug);
    Ok(changes::apply(&plan.changes(), &what, config.path(), data, source, &mut |_| {
        ControlFlow::Continue(())
    })?)
}
