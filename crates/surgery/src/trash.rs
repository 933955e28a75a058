//! Trashing: sessions and all that belongs to them leave the store, and can come back.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use annals_store::changes::Change;
use annals_store::read::{ReadError, read_file};
use annals_store::{AgentEntry, Discovery, SessionEntry, SessionKey, Slug, sessions_index};

use crate::discards::discards;
use crate::mentions::{spoken_of, unspoken};
use crate::plan::Plan;
use crate::prompts;

/// What becomes of the sessions' prompts in `history.jsonl`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prompts {
    /// They stay: they are what the person typed, and the client offers them again.
    Stay,
    /// They go, with the long pastes that no other prompt names.
    Go,
}

/// A plan, and what it takes away.
#[derive(Clone, Debug)]
pub struct Trashing {
    /// The plan.
    pub plan: Plan,
    /// How many sessions go.
    pub sessions: u64,
    /// How many files go.
    pub files: u64,
    /// How many bytes they have.
    pub bytes: u64,
}

/// Why nothing is trashed.
#[derive(Debug, thiserror::Error)]
pub enum TrashPlanError {
    /// A file that is no session of the store.
    #[error("{}: is no session of a store", path.display())]
    NotASession {
        /// The file.
        path: PathBuf,
    },
    /// A session in the folder of one that goes.
    #[error("{}: lies in the folder of a session that would go", path.display())]
    Inside {
        /// The other session's file.
        path: PathBuf,
    },
    /// Something could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// Plans that sessions go, by their files. What another session still needs stays, and a note says so.
pub fn plan(paths: &[PathBuf], discovery: &Discovery, prompts: Prompts) -> Result<Trashing, TrashPlanError> {
    let mut going: Vec<&SessionEntry> = Vec::new();
    for path in paths {
        let entry = discovery.sessions.iter().find(|session| &session.path == path);
        let entry = entry.ok_or_else(|| TrashPlanError::NotASession { path: path.clone() })?;
        if !going.contains(&entry) {
            going.push(entry);
        }
    }
    let mut plan = Plan::new(what(&going), discovery.config_dir.path());
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for session in &going {
        let foreign =
            |other: &&SessionEntry| other.path.starts_with(session.folder()) && !going.contains(other);
        if let Some(other) = discovery.sessions.iter().find(foreign) {
            return Err(TrashPlanError::Inside { path: other.path.clone() });
        }
        let twins: Vec<&SessionEntry> =
            discovery.sessions_named(&session.key).filter(|other| !going.contains(other)).collect();
        let theirs = Theirs { session, twins: &twins, discovery };
        theirs.add(&mut files, &mut folders, &mut plan);
    }
    let goes: HashSet<&Path> = files.iter().map(PathBuf::as_path).collect();
    let spoken = spoken_of(&files, &goes, discovery)?;
    let files = unspoken(files, &spoken, &mut plan.notes);
    plan.changes = discards(&files, &folders, discovery);
    let mut trashing = Trashing {
        sessions: going.len() as u64,
        files: files.len() as u64,
        bytes: files
            .iter()
            .filter_map(|path| path.metadata().ok())
            .filter(|m| m.is_file())
            .map(|m| m.len())
            .sum(),
        plan,
    };
    forget(&going, discovery, &mut trashing.plan);
    if prompts == Prompts::Go {
        take_prompts(&going, discovery, &mut trashing.plan)?;
    }
    Ok(trashing)
}

fn what(going: &[&SessionEntry]) -> String {
    match going {
        [only] => format!("trash {}", only.key),
        _ => format!("trash {} sessions", going.len()),
    }
}

/// What is a session's, where another of the same name may stand in another project.
struct Theirs<'p, 'd> {
    session: &'p SessionEntry,
    twins: &'p [&'d SessionEntry],
    discovery: &'d Discovery,
}

impl Theirs<'_, '_> {
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

    /// A sub-agent in another project is that of the session there, if there is one.
    fn takes_agent(&self, agent: &AgentEntry) -> bool {
        let is_of_twin = self.twins.iter().any(|twin| twin.slug == agent.slug);
        self.twins.is_empty() || (agent.slug == self.session.slug && !is_of_twin)
    }
}

/// The projects' indexes no longer list them. An index is a cache: one that cannot be read is left.
fn forget(going: &[&SessionEntry], discovery: &Discovery, plan: &mut Plan) {
    let config = &discovery.config_dir;
    let mut slugs: Vec<&Slug> = going.iter().map(|session| &session.slug).collect();
    slugs.sort();
    slugs.dedup();
    for slug in slugs {
        let is_listed = |session: &&&SessionEntry| {
            &session.slug == slug && session.path == config.session(slug, &session.key)
        };
        let keys: Vec<SessionKey> =
            going.iter().filter(is_listed).map(|session| session.key.clone()).collect();
        match sessions_index::without(config, slug, &keys) {
            Ok(Some(index)) => plan.replace(&config.sessions_index(slug), &index.before, index.after),
            Ok(None) => {}
            Err(error) => plan.notes.push(format!("the index is left as it is: {error}")),
        }
    }
}

fn take_prompts(going: &[&SessionEntry], discovery: &Discovery, plan: &mut Plan) -> Result<(), ReadError> {
    let config = &discovery.config_dir;
    let history = match read_file(&config.history()) {
        Ok(history) => history,
        Err(ReadError::NotFound { .. }) => return Ok(()),
        Err(error) => return Err(error),
    };
    let parted = prompts::without(&history, |key| going.iter().any(|session| &session.key == key));
    if parted.prompts > 0 {
        plan.replace(&config.history(), &history, parted.rest);
        plan.changes.extend(prompts::files_of(&parted.pastes, config).map(|path| Change::Discard { path }));
        let prompts = if parted.prompts == 1 { "1 prompt" } else { &format!("{} prompts", parted.prompts) };
        plan.notes.push(format!("{prompts} of history.jsonl: gone too"));
    }
    Ok(())
}
