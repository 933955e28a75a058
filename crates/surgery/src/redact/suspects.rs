//! All files that speak of a session, and how each is read: where a secret of the session may be.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use annals_store::history::stream_history;
use annals_store::plans::plans;
use annals_store::read::{ReadError, read_file};
use annals_store::{ConfigDir, Discovery, FileRole, SessionEntry, SessionKey, Summary};

use crate::belongings::{Belonging, belongings};
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
pub struct Suspect {
    /// The file.
    pub path: PathBuf,
    /// How it is read.
    pub form: Form,
    /// All of it.
    pub bytes: Vec<u8>,
}

/// The session, its sub-agents, and every file of the store that speaks of it. Locks and what holds no words are left out.
pub fn suspects(session: &Session, discovery: Option<&Discovery>) -> Result<Vec<Suspect>, ReadError> {
    let of_lines = |path: &Path, bytes: &[u8]| Suspect {
        path: path.to_path_buf(),
        form: Form::Lines,
        bytes: bytes.to_vec(),
    };
    let mut files = vec![of_lines(&session.path, &session.bytes)];
    files.extend(session.agents.iter().map(|agent| of_lines(&agent.entry.path, &agent.bytes)));
    let Some(discovery) = discovery else { return Ok(files) };
    for Belonging { role, path, bytes } in belongings(session, discovery)? {
        let form = match role {
            FileRole::ToolResult { .. } | FileRole::Workflow { .. } => Form::Output,
            FileRole::Todos { .. } | FileRole::Task { .. } | FileRole::SubAgentMeta { .. } => Form::Record,
            FileRole::WorkflowJournal { .. }
            | FileRole::FileHistory { .. }
            | FileRole::CustomTitleFile { .. } => Form::Text,
            _ => continue,
        };
        files.push(Suspect { path, form, bytes });
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

fn add_if_there(files: &mut Vec<Suspect>, path: PathBuf, form: Form) -> Result<(), ReadError> {
    match read_file(&path) {
        Ok(bytes) => files.push(Suspect { path, form, bytes }),
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
