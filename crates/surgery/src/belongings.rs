//! What belongs to a session besides its lines and those of its sub-agents: outputs, todos, tasks, copies of files, titles.

use std::path::{Path, PathBuf};

use annals_store::layout::{ConfigDir, FileRole};
use annals_store::read::{ReadError, read_file};
use annals_store::{Discovery, SideFile, Store};

use crate::session::Session;

/// A file that belongs to a session, read.
#[derive(Clone, Debug)]
pub struct Belonging {
    /// What it is.
    pub role: FileRole,
    /// The file.
    pub path: PathBuf,
    /// All of it.
    pub bytes: Vec<u8>,
}

/// Reads a session and all that belongs to it: in its store, else as far as it stands beside and under its file.
pub fn load(path: &Path) -> Result<(Session, Vec<Belonging>), ReadError> {
    let discovery = match ConfigDir::containing(path) {
        Some(config) => Store::open(config.path()).discover(),
        None => Discovery::near(path)?,
    };
    let session = Session::load_from(path, Some(&discovery))?;
    let belongings = belongings(&session, &discovery)?;
    Ok((session, belongings))
}

/// Reads what belongs to a session, in the order of the paths. Locks and empty folders are nobody's.
pub fn belongings(session: &Session, discovery: &Discovery) -> Result<Vec<Belonging>, ReadError> {
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
        // A session of the same name in another project has a folder of its own.
        file.role.session() == Some(&session.key) && file.role.slug().is_none()
    };
    let mut found = Vec::new();
    for file in discovery.side_files.iter().filter(|file| is_theirs(file) && file.path.is_file()) {
        if file.role != FileRole::Lock {
            let bytes = read_file(&file.path)?;
            found.push(Belonging { role: file.role.clone(), path: file.path.clone(), bytes });
        }
    }
    Ok(found)
}
