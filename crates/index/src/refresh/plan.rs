//! What is to be read: the files of the store against those that the index knows.

use std::collections::HashMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use annals_store::{ConfigDir, Discovery, FileRole as StoreRole};
use rusqlite::Connection;

use crate::cursor::{Look, Verdict, at_a_glance, holds};
use crate::error::IndexError;
use crate::extract::{FileRole, Subject, Wanted};
use crate::write::{KnownFile, known_file, known_files};

/// What has to be done.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// Files to be read, the oldest first, so that what is newer gets larger ids.
    pub(super) wanted: Vec<Wanted>,
    looks: Vec<Look>,
    /// Files that are not there any more.
    pub(super) gone: Vec<i64>,
    /// Files that are back.
    pub(super) back: Vec<i64>,
    /// Files that have another name, or belong to another session or project.
    pub(super) renamed: Vec<(i64, Subject)>,
}

impl Plan {
    /// How many bytes there are to read, at most.
    pub(super) fn bytes(&self) -> u64 {
        let left = |(wanted, look): (&Wanted, &Look)| {
            let read = wanted.cursor.as_ref().map_or(0, |cursor| cursor.offset);
            if look.bytes >= read { look.bytes - read } else { look.bytes }
        };
        self.wanted.iter().zip(&self.looks).map(left).sum()
    }
}

/// Compares a store with what the index knows of it.
pub(super) fn plan(
    connection: &Connection,
    config: &ConfigDir,
    discovery: &Discovery,
) -> Result<Plan, IndexError> {
    let mut known: HashMap<String, KnownFile> =
        known_files(connection)?.into_iter().map(|file| (file.subject.path.clone(), file)).collect();
    let mut plan = Plan::default();
    let mut unknown = Vec::new();
    let mut wanted = Vec::new();
    for subject in subjects(config, discovery) {
        let path = config.path().join(&subject.path);
        // Gone since the store was looked through: the next look will tell.
        let Ok(metadata) = fs::metadata(&path) else { continue };
        let look = Look::at(&metadata);
        match known.remove(&subject.path) {
            Some(file) => {
                // A session that came or moved takes along what belongs to it, though that is as it was.
                if file.subject != subject {
                    plan.renamed.push((file.id, subject.clone()));
                } else if !file.is_there {
                    plan.back.push(file.id);
                }
                if at_a_glance(&file.cursor, &look) != Some(Verdict::Unchanged) {
                    wanted.push((look, Wanted { path, subject, cursor: Some(file.cursor) }));
                }
            }
            None => unknown.push((look, path, subject)),
        }
    }
    // Whatever is left is not there; a new name for the same file takes its rows along.
    // Several may have had one identity, one after the other: a new file may get the number of one that was removed.
    let mut gone: Vec<KnownFile> = known.into_values().collect();
    gone.sort_by_key(|file| file.id);
    for (look, path, subject) in unknown {
        match gone.iter().position(|file| is_same(file, &look, &path, &subject)) {
            Some(at) => {
                let KnownFile { id, cursor, .. } = gone.remove(at);
                if cursor.look != look {
                    wanted.push((look, Wanted { path, subject: subject.clone(), cursor: Some(cursor) }));
                }
                plan.renamed.push((id, subject));
            }
            None => wanted.push((look, Wanted { path, subject, cursor: None })),
        }
    }
    plan.gone = gone.into_iter().filter(|file| file.is_there).map(|file| file.id).collect();
    plan.gone.sort_unstable();
    wanted.sort_by(|(left, one), (right, other)| {
        (left.modified, &one.path).cmp(&(right.modified, &other.path))
    });
    (plan.looks, plan.wanted) = wanted.into_iter().unzip();
    Ok(plan)
}

/// Only these files have changed: those among them that the index knows.
pub(super) fn of_files(
    connection: &Connection,
    config: &ConfigDir,
    files: &[PathBuf],
) -> Result<Plan, IndexError> {
    let mut plan = Plan::default();
    for path in files {
        let below = path.strip_prefix(config.path()).ok().and_then(Path::to_str);
        let Some(known) = below.map(|below| known_file(connection, below)).transpose()?.flatten() else {
            continue;
        };
        let Ok(metadata) = fs::metadata(path) else { continue };
        plan.looks.push(Look::at(&metadata));
        plan.wanted.push(Wanted { path: path.clone(), subject: known.subject, cursor: Some(known.cursor) });
    }
    Ok(plan)
}

/// Every file of a store that has something to be found in it, to be read from its beginning.
pub(super) fn all(discovery: &Discovery) -> Vec<Wanted> {
    let config = &discovery.config_dir;
    let wanted = |subject: Subject| Wanted { path: config.path().join(&subject.path), subject, cursor: None };
    subjects(config, discovery).into_iter().map(wanted).collect()
}

/// Whether a file of an unknown name is one that the index knows by another.
fn is_same(file: &KnownFile, look: &Look, path: &Path, subject: &Subject) -> bool {
    let fits = file.cursor.look.identity == look.identity
        && file.subject.role == subject.role
        && look.bytes >= file.cursor.offset
        && file.cursor.offset > 0;
    fits && File::open(path).and_then(|mut opened| holds(&file.cursor, &mut opened)).unwrap_or(false)
}

/// The files of a store that have something to be found in them.
fn subjects(config: &ConfigDir, discovery: &Discovery) -> Vec<Subject> {
    let below = |path: &Path| path.strip_prefix(config.path()).ok()?.to_str().map(str::to_owned);
    let mut found = Vec::new();
    let mut add = |path: &Path, role, slug: &str, session: &str, agent: Option<&str>| {
        // A name that is no text cannot be a session's: clients make no such names.
        if let Some(path) = below(path) {
            let [slug, session] = [slug, session].map(str::to_owned);
            found.push(Subject { path, role, slug, session, agent: agent.map(str::to_owned) });
        }
    };
    for session in &discovery.sessions {
        add(&session.path, FileRole::Session, session.slug.as_str(), session.key.as_str(), None);
    }
    // A sub-agent belongs to the project of its session, wherever it worked.
    let slugs: HashMap<_, _> =
        discovery.sessions.iter().map(|session| (&session.key, &session.slug)).collect();
    for agent in &discovery.agents {
        let session = agent.session.as_ref().map_or("", |session| session.as_str());
        let slug =
            agent.session.as_ref().and_then(|session| slugs.get(session).copied()).unwrap_or(&agent.slug);
        add(&agent.path, FileRole::Agent, slug.as_str(), session, Some(agent.key.as_str()));
        if let Some(meta) = &agent.meta {
            add(meta, FileRole::AgentMeta, slug.as_str(), session, Some(agent.key.as_str()));
        }
    }
    let slug_of = |session| slugs.get(session).map_or("", |slug| slug.as_str());
    for side in &discovery.side_files {
        match &side.role {
            StoreRole::ToolResult { slug, session, .. } => {
                add(&side.path, FileRole::Output, slug.as_str(), session.as_str(), None);
            }
            StoreRole::Plan { .. } => add(&side.path, FileRole::Plan, "", "", None),
            StoreRole::Todos { session, agent } => {
                // The list of the conversation itself bears the session's name twice.
                let agent = Some(agent.as_str()).filter(|agent| *agent != session.as_str());
                add(&side.path, FileRole::Todos, slug_of(session), session.as_str(), agent);
            }
            StoreRole::Task { session, .. } => {
                add(&side.path, FileRole::Task, slug_of(session), session.as_str(), None);
            }
            _ => {}
        }
    }
    let history = config.history();
    if history.is_file() {
        add(&history, FileRole::History, "", "", None);
    }
    found
}
