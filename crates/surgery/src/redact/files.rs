//! All files that may contain secrets of a session, and their formats.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use annals_store::history::stream_history;
use annals_store::plans::plans;
use annals_store::read::{ReadError, read_file};
use annals_store::{ConfigDir, Discovery, FileRole, SessionEntry, SessionKey, Summary};

use crate::session::Session;
use crate::session_files::{SessionFile, session_files};

/// How a file is searched for secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileFormat {
    /// Records, one per line.
    Lines,
    /// `history.jsonl`: only the prompts of this session.
    History(SessionKey),
    /// A sessions index: only the entry of this session.
    Index(SessionKey),
    /// One JSON value of the client.
    Record,
    /// The output of a tool: JSON or text.
    Output,
    /// Plain text.
    Text,
}

/// A file to redact.
#[derive(Clone, Debug)]
pub struct RedactFile {
    /// Its path.
    pub path: PathBuf,
    /// Its format.
    pub format: FileFormat,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// The session, its sub-agents, and every file of the store that refers to it, except locks and files without text.
pub fn files_to_redact(
    session: &Session,
    discovery: Option<&Discovery>,
) -> Result<Vec<RedactFile>, ReadError> {
    let of_lines = |path: &Path, bytes: &[u8]| RedactFile {
        path: path.to_path_buf(),
        format: FileFormat::Lines,
        bytes: bytes.to_vec(),
    };
    let mut files = vec![of_lines(&session.path, &session.bytes)];
    files.extend(session.agents.iter().map(|agent| of_lines(&agent.entry.path, &agent.bytes)));
    let Some(discovery) = discovery else { return Ok(files) };
    for SessionFile { role, path, bytes } in session_files(session, discovery)? {
        let format = match role {
            FileRole::ToolResult { .. } | FileRole::Workflow { .. } => FileFormat::Output,
            FileRole::Todos { .. } | FileRole::Task { .. } | FileRole::SubAgentMeta { .. } => {
                FileFormat::Record
            }
            FileRole::WorkflowJournal { .. }
            | FileRole::FileHistory { .. }
            | FileRole::CustomTitleFile { .. } => FileFormat::Text,
            _ => continue,
        };
        files.push(RedactFile { path, format, bytes });
    }
    if let Some((config, slug)) = &session.home {
        add_if_there(&mut files, config.sessions_index(slug), FileFormat::Index(session.key.clone()))?;
        add_if_there(&mut files, config.history(), FileFormat::History(session.key.clone()))?;
        for paste in pastes(config, &session.key)? {
            add_if_there(&mut files, paste, FileFormat::Text)?;
        }
        let summary = SessionEntry::of_path(&session.path).and_then(|entry| Summary::read(&entry))?;
        for plan in
            plans(discovery, &[summary]).into_iter().filter(|plan| plan.sessions.contains(&session.key))
        {
            add_if_there(&mut files, plan.path, FileFormat::Text)?;
        }
    }
    Ok(files)
}

fn add_if_there(files: &mut Vec<RedactFile>, path: PathBuf, format: FileFormat) -> Result<(), ReadError> {
    match read_file(&path) {
        Ok(bytes) => files.push(RedactFile { path, format, bytes }),
        Err(ReadError::NotFound { .. }) => {}
        Err(error) => return Err(error),
    }
    Ok(())
}

fn pastes(config: &ConfigDir, session: &SessionKey) -> Result<Vec<PathBuf>, ReadError> {
    let mut found: Vec<PathBuf> = Vec::new();
    stream_history(config, |_, entry| {
        if entry.session().is_some_and(|id| id.to_string() == session.as_str()) {
            for (_, paste) in entry.pastes() {
                let hash = paste.content_hash().map(|hash| hash.to_string()).unwrap_or_default();
                // A name from a file must not lead to another folder.
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
