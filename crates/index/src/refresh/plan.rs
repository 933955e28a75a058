//! Plans a refresh: compares the files of the store with those in the index.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use annals_store::read::open_file;
use annals_store::usage::project_of_agent;
use annals_store::{ConfigDir, Discovery, FileProblem, FileRole, SessionKey, Slug};
use annals_transcript::problem::ProblemKind;
use rusqlite::Connection;

use crate::cursor::{FileChange, FileStamp, change_by_stamp, has_same_bytes};
use crate::error::IndexError;
use crate::extract::{FileToRead, IndexedFile, IndexedFileRole};
use crate::write::{KnownFile, known_file, known_files};

/// The work of a refresh.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// Oldest first, so that newer messages get larger ids.
    pub(super) to_read: Vec<FileToRead>,
    stamps: Vec<FileStamp>,
    /// Files that were deleted.
    pub(super) gone: Vec<i64>,
    /// Files that exist again.
    pub(super) back: Vec<i64>,
    /// Files that were renamed, or belong to another session or project now.
    pub(super) renamed: Vec<(i64, IndexedFile)>,
}

impl Plan {
    /// How many bytes will be read at most.
    pub(super) fn bytes(&self) -> u64 {
        let left = |(to_read, stamp): (&FileToRead, &FileStamp)| {
            let read = to_read.cursor.as_ref().map_or(0, |cursor| cursor.offset);
            if stamp.bytes >= read { stamp.bytes - read } else { stamp.bytes }
        };
        self.to_read.iter().zip(&self.stamps).map(left).sum()
    }
}

pub(super) fn plan(
    connection: &Connection,
    config: &ConfigDir,
    discovery: &Discovery,
) -> Result<Plan, IndexError> {
    let mut known: HashMap<String, KnownFile> =
        known_files(connection)?.into_iter().map(|file| (file.indexed_file.path.clone(), file)).collect();
    let mut plan = Plan::default();
    let mut unknown = Vec::new();
    let mut to_read = Vec::new();
    for indexed_file in indexed_files(config, discovery) {
        let path = config.path().join(&indexed_file.path);
        // Deleted since the store was listed; the next refresh notices.
        let Ok(metadata) = fs::metadata(&path) else { continue };
        let stamp = FileStamp::at(&metadata);
        match known.remove(&indexed_file.path) {
            Some(file) => {
                // If a session was added or moved, its unchanged side files follow it.
                if file.indexed_file != indexed_file {
                    plan.renamed.push((file.id, indexed_file.clone()));
                } else if !file.is_there {
                    plan.back.push(file.id);
                }
                if change_by_stamp(&file.cursor, &stamp) != Some(FileChange::Unchanged) {
                    to_read.push((stamp, FileToRead { path, indexed_file, cursor: Some(file.cursor) }));
                }
            }
            None => unknown.push((stamp, path, indexed_file)),
        }
    }
    // What is left was deleted, or renamed: a renamed file keeps its rows. Several files may have had one identity in turn,
    // since inode numbers are reused.
    let mut gone: Vec<KnownFile> = known.into_values().collect();
    gone.sort_by_key(|file| file.id);
    for (stamp, path, indexed_file) in unknown {
        match gone.iter().position(|file| is_same(file, &stamp, &path, &indexed_file)) {
            Some(at) => {
                let KnownFile { id, cursor, .. } = gone.remove(at);
                if cursor.stamp != stamp {
                    to_read.push((
                        stamp,
                        FileToRead { path, indexed_file: indexed_file.clone(), cursor: Some(cursor) },
                    ));
                }
                plan.renamed.push((id, indexed_file));
            }
            None => to_read.push((stamp, FileToRead { path, indexed_file, cursor: None })),
        }
    }
    plan.gone = gone.into_iter().filter(|file| file.is_there).map(|file| file.id).collect();
    plan.gone.sort_unstable();
    to_read.sort_by(|(left, one), (right, other)| {
        (left.modified, &one.path).cmp(&(right.modified, &other.path))
    });
    (plan.stamps, plan.to_read) = to_read.into_iter().unzip();
    Ok(plan)
}

/// Plans a refresh of these files, as far as the index knows them.
pub(super) fn plan_for_files(
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
        plan.stamps.push(FileStamp::at(&metadata));
        plan.to_read.push(FileToRead {
            path: path.clone(),
            indexed_file: known.indexed_file,
            cursor: Some(known.cursor),
        });
    }
    Ok(plan)
}

/// All files of a store that are indexed, to be read from the start.
pub(super) fn all(discovery: &Discovery) -> Vec<FileToRead> {
    let config = &discovery.config_dir;
    let to_read = |indexed_file: IndexedFile| FileToRead {
        path: config.path().join(&indexed_file.path),
        indexed_file,
        cursor: None,
    };
    indexed_files(config, discovery).into_iter().map(to_read).collect()
}

/// Whether a file under a new path is one that the index has under another.
fn is_same(file: &KnownFile, stamp: &FileStamp, path: &Path, indexed_file: &IndexedFile) -> bool {
    let fits = file.cursor.stamp.identity == stamp.identity
        && file.indexed_file.role == indexed_file.role
        && stamp.bytes >= file.cursor.offset
        && file.cursor.offset > 0;
    fits && open_file(path).and_then(|mut opened| has_same_bytes(&file.cursor, &mut opened)).unwrap_or(false)
}

/// The sessions and sub-agents whose names are not UTF-8: the index cannot hold them.
pub(super) fn unnameable(discovery: &Discovery) -> impl Iterator<Item = FileProblem> + '_ {
    let sessions = discovery.sessions.iter().map(|session| &session.path);
    let paths = sessions.chain(discovery.agents.iter().map(|agent| &agent.path));
    paths.filter(|path| name_below(&discovery.config_dir, path).is_none()).map(|path| {
        FileProblem::whole(
            path,
            ProblemKind::UnreadableSideFile,
            "its name is not UTF-8, so it is not indexed",
        )
    })
}

/// A path relative to the config dir, as the index names it; `None` if it is not UTF-8.
fn name_below(config: &ConfigDir, path: &Path) -> Option<String> {
    path.strip_prefix(config.path()).ok()?.to_str().map(str::to_owned)
}

/// The files of a store that are indexed.
fn indexed_files(config: &ConfigDir, discovery: &Discovery) -> Vec<IndexedFile> {
    let mut found = Vec::new();
    let mut add = |path: &Path, role, slug: &str, session: &str, agent: Option<&str>| {
        // The others are reported.
        if let Some(path) = name_below(config, path) {
            let [slug, session] = [slug, session].map(str::to_owned);
            found.push(IndexedFile { path, role, slug, session, agent: agent.map(str::to_owned) });
        }
    };
    for session in &discovery.sessions {
        add(&session.path, IndexedFileRole::Session, session.slug.as_str(), session.key.as_str(), None);
    }
    // A sub-agent belongs to the project of its session, wherever it worked.
    let mut slugs: HashMap<&SessionKey, Vec<&Slug>> = HashMap::new();
    for session in &discovery.sessions {
        slugs.entry(&session.key).or_default().push(&session.slug);
    }
    for agent in &discovery.agents {
        let session = agent.session.as_ref().map_or("", |session| session.as_str());
        let of_session = agent.session.as_ref().and_then(|session| slugs.get(session));
        let slug = project_of_agent(&agent.slug, of_session.map(Vec::as_slice).unwrap_or_default());
        add(&agent.path, IndexedFileRole::Agent, slug.as_str(), session, Some(agent.key.as_str()));
        if let Some(meta) = &agent.meta {
            add(meta, IndexedFileRole::AgentMeta, slug.as_str(), session, Some(agent.key.as_str()));
        }
    }
    let slug_of =
        |session| slugs.get(session).and_then(|slugs| slugs.first()).map_or("", |slug| slug.as_str());
    for side in &discovery.side_files {
        match &side.role {
            FileRole::ToolResult { slug, session, .. } => {
                add(&side.path, IndexedFileRole::Output, slug.as_str(), session.as_str(), None);
            }
            FileRole::CustomTitleFile { slug, session } => {
                add(&side.path, IndexedFileRole::CustomTitle, slug.as_str(), session.as_str(), None);
            }
            FileRole::Memory { slug, .. } => {
                add(&side.path, IndexedFileRole::Memory, slug.as_str(), "", None);
            }
            FileRole::PasteCache { .. } => add(&side.path, IndexedFileRole::Paste, "", "", None),
            FileRole::Plan { .. } => add(&side.path, IndexedFileRole::Plan, "", "", None),
            FileRole::Todos { session, agent } => {
                // The todo list of the main conversation has the session's id twice.
                let agent = Some(agent.as_str()).filter(|agent| *agent != session.as_str());
                add(&side.path, IndexedFileRole::Todos, slug_of(session), session.as_str(), agent);
            }
            FileRole::Task { session, .. } => {
                add(&side.path, IndexedFileRole::Task, slug_of(session), session.as_str(), None);
            }
            _ => {}
        }
    }
    if let Some(history) = discovery.side_files.iter().find(|side| side.role == FileRole::History) {
        add(&history.path, IndexedFileRole::History, "", "", None);
    }
    found
}
