//! A file with all versions that sessions recorded, and these sessions.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use annals_store::read::ReadError;
use annals_store::{Discovery, SessionKey};

use super::{FileVersion, VersionDiff, versions};
use crate::session::Session;

/// A file with its versions, and the sessions that they are from.
#[derive(Debug)]
pub struct FileHistory {
    pub path: PathBuf,
    /// Its versions, oldest first.
    pub versions: Vec<FileVersion>,
    /// The sessions that changed it.
    pub sessions: Vec<Session>,
    /// How many sessions that changed it are gone.
    pub gone: usize,
}

/// Reads the sessions of these ids; returns also how many ids have none.
pub fn load_sessions(
    ids: &BTreeSet<&str>,
    discovery: &Discovery,
) -> Result<(Vec<Session>, usize), ReadError> {
    let (mut sessions, mut gone) = (Vec::new(), 0);
    for id in ids {
        let before = sessions.len();
        for entry in discovery.sessions_named(&SessionKey::new(*id)) {
            sessions.push(Session::load_from(&entry.path, Some(discovery))?);
        }
        gone += usize::from(sessions.len() == before);
    }
    Ok((sessions, gone))
}

impl FileHistory {
    /// Reads the sessions of these ids, which changed the file.
    pub fn read(path: &Path, ids: &BTreeSet<&str>, discovery: &Discovery) -> Result<Self, ReadError> {
        let (sessions, gone) = load_sessions(ids, discovery)?;
        Ok(Self::new(path, sessions, gone))
    }

    /// The versions that these sessions recorded.
    pub fn new(path: &Path, sessions: Vec<Session>, gone: usize) -> Self {
        let versions = versions(&sessions, path);
        Self { path: path.to_path_buf(), versions, sessions, gone }
    }

    /// The session that recorded a version.
    pub fn session_of(&self, version: &FileVersion) -> Option<&Session> {
        self.sessions.iter().find(|session| session.key == version.session)
    }

    /// What changed from the version before it to that at a place in the list.
    pub fn diff(&self, at: usize) -> VersionDiff {
        VersionDiff::between(at.checked_sub(1).and_then(|at| self.versions.get(at)), &self.versions[at])
    }

    /// Each version with what changed from the one before it.
    pub fn diffs(&self) -> impl Iterator<Item = (&FileVersion, VersionDiff)> {
        self.versions.iter().enumerate().map(|(at, version)| (version, self.diff(at)))
    }
}
