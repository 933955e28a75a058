//! All files that speak of a session, and how each is read: where a secret of the session may be.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use annals_store::history::stream_history;
use annals_store::plans::plans;
use annals_store::read::{ReadError, read_file};
use annals_store::{ConfigDir, Discovery, FileRole, SessionEntry, SessionKey, Summary};

use crate::session::Session;

/// How a file is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// Records of the client's, one a line.
    Lines,
    /// The prompts of all sessions, one a line: only those of this one are looked at.
    History(SessionKey),
    /// The index of a project's sessions: only the entry of this one is looked at.
    Index(SessionKey),
    /// One JSON value of the client's own.
    Record,
    /// Whatever a tool gave: JSON, or text.
    Output,
    /// Text.
    Text,
}

/// A file that speaks of a session, read.
#[derive(Clone, Debug)]
pub struct Belonging {
    /// The file.
    pub path: PathBuf,
    /// How it is read.
    pub form: Form,
    /// All of it.
    pub bytes: Vec<u8>,
}

impl Belonging {
    fn read(path: &Path, form: Form) -> Result<Self, ReadError> {
        Ok(Self { path: path.to_path_buf(), form, bytes: read_file(path)? })
    }
}

/// The session, its sub-agents, and every file of the store that speaks of it.
pub fn belongings(session: &Session, discovery: Option<&Discovery>) -> Result<Vec<Belonging>, ReadError> {
    let main = Belonging { path: session.path.clone(), form: Form::Lines, bytes: session.bytes.clone() };
    let mut files = vec![main];
    for agent in &session.agents {
        let path = agent.entry.path.clone();
        files.push(Belonging { path, form: Form::Lines, bytes: agent.bytes.clone() });
        if let Some(meta) = &agent.entry.meta {
            files.push(Belonging::read(meta, Form::Record)?);
        }
    }
    let Some(discovery) = discovery else { return Ok(files) };
    for side in discovery.side_files_of(&session.key) {
        let form = match &side.role {
            FileRole::ToolResult { .. } | FileRole::Workflow { .. } => Form::Output,
            FileRole::Todos { .. } | FileRole::Task { .. } => Form::Record,
            FileRole::WorkflowJournal { .. }
            | FileRole::FileHistory { .. }
            | FileRole::CustomTitleFile { .. } => Form::Text,
            _ => continue,
        };
        if !files.iter().any(|known| known.path == side.path) {
            files.push(Belonging::read(&side.path, form)?);
        }
    }
    if let Some((config, slug)) = &session.home {
        add_if_there(&mut files, config.sessions_index(slug), Form::Index(session.key.clone()))?;
        add_if_there(&mut files, config.history(), Form::History(session.key.clone()))?;
        for paste in pastes(config, &session.key)? {
            add_if_there(&mut files, paste, Form::Text)?;
        }
        let summary = SessionEntry::of_path(&session.path).and_then(|entry| Summary::read(&entry))?;
        for plan in plans(discovery, &[summary]).into_iter().filter(|plan| !plan.sessions.is_empty()) {
            add_if_there(&mut files, plan.path, Form::Text)?;
        }
    }
    Ok(files)
}

fn add_if_there(files: &mut Vec<Belonging>, path: PathBuf, form: Form) -> Result<(), ReadError> {
    match Belonging::read(&path, form) {
        Ok(file) => files.push(file),
        Err(ReadError::NotFound { .. }) => {}
        Err(error) => return Err(error),
    }
    Ok(())
}

/// The long pastes of a session's prompts.
fn pastes(config: &ConfigDir, session: &SessionKey) -> Result<Vec<PathBuf>, ReadError> {
    let mut found: Vec<PathBuf> = Vec::new();
    stream_history(config, |_, entry| {
        if entry.session().is_some_and(|id| id.to_string() == session.as_str()) {
            for (_, paste) in entry.pastes() {
                let hash = paste.content_hash().map(|hash| hash.to_string()).unwrap_or_default();
                // A name from a file is part of a path only if it cannot lead elsewhere.
                if !hash.is_empty() && hash.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
                    found.push(config.paste(&hash));
                }
            }
        }
        ControlFlow::Continue(())
    })?;
    found.sort();
    found.dedup();
    Ok(found)
}
