//! The side files of a session: outputs, todos, tasks, file copies, titles.

use std::fs;
use std::path::{Path, PathBuf};

use annals_store::layout::{ConfigDir, FileRole};
use annals_store::read::{ReadError, read_file};
use annals_store::{Discovery, FileBytes, SideFile, Store};

use crate::session::Session;

/// A side file of a session.
#[derive(Clone, Debug)]
pub struct SessionFile {
    /// Its role in the store.
    pub role: FileRole,
    pub path: PathBuf,
    /// Its content.
    pub bytes: FileBytes,
}

/// Reads a session and its side files: from its store, or from beside and below its file.
pub fn load(path: &Path) -> Result<(Session, Vec<SessionFile>), ReadError> {
    let discovery = match ConfigDir::containing(path) {
        Some(config) => Store::open(config.path()).discover(),
        None => Discovery::near(path)?,
    };
    let session = Session::load_from(path, Some(&discovery))?;
    let session_files = session_files(&session, &discovery)?;
    Ok((session, session_files))
}

/// Reads the side files of a session in order of their paths, without locks and empty folders.
pub fn session_files(session: &Session, discovery: &Discovery) -> Result<Vec<SessionFile>, ReadError> {
    let folder = session.folder();
    let tasks = session.home.as_ref().map(|(config, _)| config.tasks().join(session.key.as_str()));
    let metas: Vec<_> = session.agents.iter().filter_map(|agent| agent.entry.meta.as_ref()).collect();
    let is_theirs = |file: &SideFile| {
        if matches!(file.role, FileRole::SubAgentMeta { .. }) {
            return metas.contains(&&file.path);
        }
        if file.path.starts_with(&folder) || tasks.as_ref().is_some_and(|tasks| file.path.starts_with(tasks))
        {
            return true;
        }
        // A session with the same id in another project has its own folder.
        file.role.session() == Some(&session.key) && file.role.slug().is_none()
    };
    let mut found = Vec::new();
    for file in discovery.side_files.iter().filter(|file| is_theirs(file) && file.path.is_file()) {
        if file.role != FileRole::Lock {
            let bytes = read_file(&file.path)?.into();
            found.push(SessionFile { role: file.role.clone(), path: file.path.clone(), bytes });
        }
    }
    Ok(found)
}

/// What is in the folder of a session and is neither read nor copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedEntry {
    pub path: PathBuf,
    pub why: &'static str,
}

impl std::fmt::Display for SkippedEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} is left out: {}", self.path.display(), self.why)
    }
}

/// Returns what is in the folder of a session and is none of these files: links, pipes, devices, folders that cannot be read.
pub fn skipped_entries<'p>(session: &Session, covered: impl Iterator<Item = &'p Path>) -> Vec<SkippedEntry> {
    let covered: Vec<&Path> = covered.collect();
    let is_covered = |path: &Path| covered.iter().any(|file| file.starts_with(path));
    let mut skipped = Vec::new();
    let mut waiting = vec![session.folder()];
    while let Some(path) = waiting.pop() {
        let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
        let kind = metadata.file_type();
        let why = match kind {
            _ if kind.is_file() => continue,
            _ if kind.is_dir() => match fs::read_dir(&path) {
                Ok(entries) => {
                    waiting.extend(entries.flatten().map(|entry| entry.path()));
                    continue;
                }
                Err(_) => "a folder that cannot be read",
            },
            _ if kind.is_symlink() => "a symbolic link",
            _ => "a pipe, socket or device",
        };
        if !is_covered(&path) {
            skipped.push(SkippedEntry { path, why });
        }
    }
    skipped.sort_by(|left, right| left.path.cmp(&right.path));
    skipped
}
