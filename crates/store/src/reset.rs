//! Resetting a project: its sessions and all that belongs to them go to the trash, from where they can come back.

use std::path::PathBuf;

use crate::busy::Busy;
use crate::data_dir::DataDir;
use crate::files::{WriteError, move_path};
use crate::journal::{Effect, Entry, Journal};
use crate::key::{SessionKey, Slug};
use crate::layout::{ConfigDir, FileRole};
use crate::lock::FileLock;
use crate::scan::Discovery;
use crate::session::someone_writes;
use crate::source::Source;

/// What a reset would move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResetPlan {
    /// The project.
    pub slug: Slug,
    /// Its sessions.
    pub sessions: Vec<SessionKey>,
    /// Files and folders, in the order in which they are moved.
    pub paths: Vec<PathBuf>,
    /// Bytes of the sessions and their sub-agents.
    pub bytes: u64,
}

/// Why a project was not reset.
#[derive(Debug, thiserror::Error)]
pub enum ResetError {
    /// A session is being written to.
    #[error("{}: {busy}", path.display())]
    Busy {
        /// The session's file.
        path: PathBuf,
        /// By whom.
        busy: Busy,
    },
    /// The disk.
    #[error(transparent)]
    Write(#[from] WriteError),
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

/// Carries a plan out. The journal knows every move before the first is made: after a crash at any step, undo brings back
/// what was moved.
pub fn apply(
    plan: &ResetPlan,
    config: &ConfigDir,
    data: &DataDir,
    source: &dyn Source,
) -> Result<Entry, ResetError> {
    let mut locks = Vec::new();
    for session in &plan.sessions {
        let path = config.session(&plan.slug, session);
        let busy = |busy| ResetError::Busy { path: path.clone(), busy };
        let mut lock = FileLock::try_take(data, &path)?.ok_or_else(|| busy(Busy::Locked))?;
        if let Some(found) = someone_writes(&path, &mut lock, source) {
            return Err(busy(found));
        }
        locks.push(lock);
    }
    let journal = Journal::new(data);
    let id = Journal::new_id(source);
    let trash = data.trash(&id);
    let effects = plan.paths.iter().map(|from| {
        let inside = from.strip_prefix(config.path()).unwrap_or(from);
        Effect::Moved { from: from.clone(), to: trash.join(inside) }
    });
    let what = format!("reset-project {}", plan.slug);
    let entry = journal.begin(id, source.now(), &what, effects.collect())?;
    for effect in &entry.effects {
        if let Effect::Moved { from, to } = effect {
            move_path(from, to)?;
        }
    }
    Ok(journal.finish(entry)?)
}
