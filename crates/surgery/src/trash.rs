//! Moves sessions and their files to the trash.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use annals_store::changes::Change;
use annals_store::read::ReadError;
use annals_store::{AgentEntry, Discovery, SessionEntry, SessionKey, Slug, sessions_index};

use crate::discards::discards;
use crate::mentions::{referenced_files, without_referenced};
use crate::plan::Plan;
use crate::prompts;

/// What to do with the sessions' prompts in `history.jsonl`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptHistory {
    /// Keep them: the client offers them again.
    Keep,
    /// Remove them, with the long pastes that no other prompt names.
    Remove,
}

/// A planned move to the trash.
#[derive(Clone, Debug)]
pub struct TrashPlan {
    /// The changes to make.
    pub plan: Plan,
    /// How many sessions are moved.
    pub sessions: u64,
    /// How many files are moved.
    pub files: u64,
    /// Their size in bytes.
    pub bytes: u64,
}

/// Why sessions cannot be moved to the trash.
#[derive(Debug, thiserror::Error)]
pub enum TrashPlanError {
    /// The file is not a session of the store.
    #[error("{}: not a session of a store", path.display())]
    NotASession { path: PathBuf },
    /// Another session is in the folder of one that would be moved.
    #[error("{}: this session is inside the folder of a session to be moved to the trash", path.display())]
    Inside {
        /// The other session's file.
        path: PathBuf,
    },
    /// A file could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// Plans the move of sessions by their files. What another session still needs stays, with a note.
pub fn plan(
    paths: &[PathBuf],
    discovery: &Discovery,
    prompts: PromptHistory,
) -> Result<TrashPlan, TrashPlanError> {
    let mut trashed: Vec<&SessionEntry> = Vec::new();
    for path in paths {
        let entry = discovery.sessions.iter().find(|session| &session.path == path);
        let entry = entry.ok_or_else(|| TrashPlanError::NotASession { path: path.clone() })?;
        if !trashed.contains(&entry) {
            trashed.push(entry);
        }
    }
    let mut plan = Plan::new(description(&trashed), discovery.config_dir.path());
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for session in &trashed {
        let foreign =
            |other: &&SessionEntry| other.path.starts_with(session.folder()) && !trashed.contains(other);
        if let Some(other) = discovery.sessions.iter().find(foreign) {
            return Err(TrashPlanError::Inside { path: other.path.clone() });
        }
        let twins: Vec<&SessionEntry> =
            discovery.sessions_named(&session.key).filter(|other| !trashed.contains(other)).collect();
        let trasher = SessionTrasher { session, twins: &twins, discovery };
        trasher.add(&mut files, &mut folders, &mut plan);
    }
    let removed: HashSet<&Path> = files.iter().map(PathBuf::as_path).collect();
    let referenced = referenced_files(&files, &removed, discovery)?;
    let files = without_referenced(files, &referenced, &mut plan.notes);
    plan.changes = discards(&files, &folders, discovery);
    let mut trash_plan = TrashPlan {
        sessions: trashed.len() as u64,
        files: files.len() as u64,
        bytes: files
            .iter()
            .filter_map(|path| path.metadata().ok())
            .filter(|m| m.is_file())
            .map(|m| m.len())
            .sum(),
        plan,
    };
    remove_from_indexes(&trashed, discovery, &mut trash_plan.plan);
    if prompts == PromptHistory::Remove {
        remove_prompts(&trashed, discovery, &mut trash_plan.plan)?;
    }
    Ok(trash_plan)
}

fn description(trashed: &[&SessionEntry]) -> String {
    match trashed {
        [only] => format!("trash {}", only.key),
        _ => format!("trash {} sessions", trashed.len()),
    }
}

/// Collects the files of a session; other projects may have sessions of the same id.
struct SessionTrasher<'p, 'd> {
    session: &'p SessionEntry,
    twins: &'p [&'d SessionEntry],
    discovery: &'d Discovery,
}

impl SessionTrasher<'_, '_> {
    fn add(&self, files: &mut Vec<PathBuf>, folders: &mut Vec<PathBuf>, plan: &mut Plan) {
        let (key, config) = (&self.session.key, &self.discovery.config_dir);
        files.push(self.session.path.clone());
        plan.locked.push(self.session.path.clone());
        let mut shared = 0_u64;
        for agent in self.discovery.agents_of(key) {
            match self.takes_agent(agent) {
                true => {
                    files.extend([Some(&agent.path), agent.meta.as_ref()].into_iter().flatten().cloned());
                    plan.locked.push(agent.path.clone());
                }
                false => shared += 1,
            }
        }
        for file in &self.discovery.side_files {
            let of_project = file.role.slug();
            let in_folder = file.path.starts_with(self.session.folder());
            if in_folder || (file.role.session() == Some(key) && self.twins.is_empty()) {
                files.push(file.path.clone());
            } else if file.role.session() == Some(key) && of_project.is_none() {
                shared += 1;
            }
        }
        files.sort();
        files.dedup();
        folders.push(self.session.folder());
        if self.twins.is_empty() {
            folders.extend([config.tasks().join(key.as_str()), config.file_history_of(key)]);
            folders.extend([config.session_env(key), config.image_cache(key)]);
            let elsewhere = self.discovery.projects.iter().map(|project| project.path.join(key.as_str()));
            folders.extend(elsewhere);
        }
        if shared > 0 {
            let others: Vec<&str> = self.twins.iter().map(|twin| twin.slug.as_str()).collect();
            let files = if shared == 1 { "1 file stays".to_owned() } else { format!("{shared} files stay") };
            plan.notes.push(format!("{files}: {key} is also a session of {}", others.join(", ")));
        }
    }

    /// A sub-agent in another project belongs to the session of the same id there, if there is one.
    fn takes_agent(&self, agent: &AgentEntry) -> bool {
        let is_of_twin = self.twins.iter().any(|twin| twin.slug == agent.slug);
        self.twins.is_empty() || (agent.slug == self.session.slug && !is_of_twin)
    }
}

/// Removes the sessions from the projects' indexes. An index is a cache: an unreadable one is left.
fn remove_from_indexes(trashed: &[&SessionEntry], discovery: &Discovery, plan: &mut Plan) {
    let config = &discovery.config_dir;
    let mut slugs: Vec<&Slug> = trashed.iter().map(|session| &session.slug).collect();
    slugs.sort();
    slugs.dedup();
    for slug in slugs {
        let is_listed = |session: &&&SessionEntry| {
            &session.slug == slug && session.path == config.session(slug, &session.key)
        };
        let keys: Vec<SessionKey> =
            trashed.iter().filter(is_listed).map(|session| session.key.clone()).collect();
        match sessions_index::without(config, slug, &keys) {
            Ok(Some(index)) => plan.replace(&config.sessions_index(slug), &index.before, index.after),
            Ok(None) => {}
            Err(error) => plan.notes.push(format!("the index is left as it is: {error}")),
        }
    }
}

fn remove_prompts(
    trashed: &[&SessionEntry],
    discovery: &Discovery,
    plan: &mut Plan,
) -> Result<(), ReadError> {
    let config = &discovery.config_dir;
    let Some(history) = config.read_own_history()? else { return Ok(()) };
    let pruned = prompts::without_prompts(&history, |key| trashed.iter().any(|session| &session.key == key));
    if pruned.prompts > 0 {
        plan.replace(&config.history(), &history, pruned.rest);
        plan.changes.extend(prompts::files_of(&pruned.pastes, config).map(|path| Change::Discard { path }));
        let prompts = if pruned.prompts == 1 { "1 prompt" } else { &format!("{} prompts", pruned.prompts) };
        plan.notes.push(format!("{prompts} of history.jsonl: also removed"));
    }
    Ok(())
}
