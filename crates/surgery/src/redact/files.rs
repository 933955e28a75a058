//! All files that may contain secrets of a session, and their formats.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use annals_store::command_changes::CommandChanges;
use annals_store::plans::plans;
use annals_store::platform::link_count;
use annals_store::read::{ReadError, read_file};
use annals_store::{ConfigDir, DataDir, Discovery, FileBytes, FileRole, SessionEntry, SessionKey, Summary};

use crate::prompts::prompts_of;
use crate::session::Session;
use crate::session_files::{SessionFile, session_files};

/// Deeper folders are left alone.
const MAX_DEPTH: usize = 6;
/// A shorter id may be a part of any name.
const MIN_ID_BYTES: usize = 8;

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
    /// A copy that is named after its content: it is removed, since with other content it would be none.
    Copy,
}

#[derive(Clone, Debug)]
pub struct RedactFile {
    pub path: PathBuf,
    pub format: FileFormat,
    /// Its content.
    pub bytes: FileBytes,
}

/// The session, its sub-agents, and every file of the store that belongs to it or is named after it, except locks and
/// images.
pub fn files_to_redact(
    session: &Session,
    discovery: Option<&Discovery>,
) -> Result<Vec<RedactFile>, ReadError> {
    let of_lines = |path: &Path, bytes: &FileBytes| RedactFile {
        path: path.to_path_buf(),
        format: FileFormat::Lines,
        bytes: bytes.clone(),
    };
    let mut files = vec![of_lines(&session.path, &session.bytes)];
    files.extend(session.agents.iter().map(|agent| of_lines(&agent.entry.path, &agent.bytes)));
    let Some(discovery) = discovery else { return Ok(files) };
    for SessionFile { role, path, bytes } in session_files(session, discovery)? {
        let format = match role {
            FileRole::Todos { .. } | FileRole::Task { .. } | FileRole::SubAgentMeta { .. } => {
                FileFormat::Record
            }
            FileRole::WorkflowJournal { .. }
            | FileRole::FileHistory { .. }
            | FileRole::CustomTitleFile { .. } => FileFormat::Text,
            FileRole::ImageCache { .. } | FileRole::Lock => continue,
            _ => format_of(&path),
        };
        files.push(RedactFile { path, format, bytes });
    }
    if let Some((config, slug)) = &session.home {
        add_of_store(
            &mut files,
            config,
            config.sessions_index(slug),
            FileFormat::Index(session.key.clone()),
        )?;
        if let Some(bytes) = config.read_own_history()? {
            for paste in pastes(config, &session.key, &bytes) {
                add_of_store(&mut files, config, paste, FileFormat::Text)?;
            }
            let format = FileFormat::History(session.key.clone());
            files.push(RedactFile { path: config.history(), format, bytes: bytes.into() });
        }
        let summary = SessionEntry::of_path(&session.path).and_then(|entry| Summary::read(&entry))?;
        for plan in
            plans(discovery, &[summary]).into_iter().filter(|plan| plan.sessions.contains(&session.key))
        {
            add_if_there(&mut files, plan.path, FileFormat::Text)?;
        }
        for path in named_after(config.path(), session.key.as_str()) {
            add_if_there(&mut files, path, FileFormat::Output)?;
        }
    }
    // What the store takes for another session, such as a transcript in a folder of this one.
    let mut inside = Vec::new();
    if !session.folder().is_symlink() {
        walk(&session.folder(), 0, &mut |path| inside.push(path.to_path_buf()));
    }
    let is_lock = |path: &PathBuf| path.extension().is_some_and(|end| end == "lock");
    for path in inside.into_iter().filter(|path| !is_lock(path)) {
        let format = format_of(&path);
        add_if_there(&mut files, path, format)?;
    }
    let mut seen = HashSet::new();
    files.retain(|file| seen.insert(file.path.clone()));
    Ok(files)
}

/// What annals keeps of the files that commands of a session changed: the log, and copies of their contents.
pub fn command_copies(session: &Session, data: &DataDir) -> Result<Vec<RedactFile>, ReadError> {
    let mut files = Vec::new();
    let Ok(changes) = CommandChanges::of_session(data, &session.key) else { return Ok(files) };
    let mut paths = Vec::new();
    walk(changes.folder(), 0, &mut |path| paths.push(path.to_path_buf()));
    for path in paths {
        let is_log = path.parent() == Some(changes.folder());
        let format = if is_log { FileFormat::Text } else { FileFormat::Copy };
        add_if_there(&mut files, path, format)?;
    }
    Ok(files)
}

fn format_of(path: &Path) -> FileFormat {
    match path.extension() {
        Some(end) if end == "jsonl" => FileFormat::Lines,
        _ => FileFormat::Output,
    }
}

/// Files that may hold secrets of a session and belong to others too: they are searched, and left as they are.
pub fn files_left_out(session: &Session) -> Vec<RedactFile> {
    let Some((config, slug)) = &session.home else { return Vec::new() };
    let mut paths = Vec::new();
    for folder in [config.project(slug).join("memory"), config.path().join("shell-snapshots")] {
        if !folder.is_symlink() {
            walk(&folder, 0, &mut |path| paths.push(path.to_path_buf()));
        }
    }
    let read = |path: PathBuf| {
        let bytes = read_file(&path).ok()?.into();
        Some(RedactFile { path, format: FileFormat::Text, bytes })
    };
    paths.into_iter().filter_map(read).collect()
}

/// The files of a store, outside its projects, whose own name or folder contains the id of a session: `debug/<id>.txt`,
/// `session-env/<id>/…`, and what a later release may add.
fn named_after(root: &Path, session: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    if session.len() < MIN_ID_BYTES {
        return found;
    }
    let is_elsewhere =
        |path: &Path| ["projects", "image-cache"].iter().any(|name| path.starts_with(root.join(name)));
    walk(root, 0, &mut |path| {
        let below = path.strip_prefix(root).unwrap_or(path).to_string_lossy();
        if below.contains(session) && !below.ends_with(".lock") && !is_elsewhere(path) {
            found.push(path.to_path_buf());
        }
    });
    found
}

/// Calls `visit` for every file under a folder, in order of names; links are not followed.
fn walk(folder: &Path, depth: usize, visit: &mut dyn FnMut(&Path)) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        // Those belong to sessions of their own.
        let is_project = depth == 0 && entry.file_name() == "projects";
        match entry.file_type() {
            Ok(kind) if kind.is_file() => visit(&entry.path()),
            Ok(kind) if kind.is_dir() && depth < MAX_DEPTH && !is_project => {
                walk(&entry.path(), depth + 1, visit)
            }
            _ => {}
        }
    }
}

/// Why the old text of a file remains elsewhere after it is replaced: it has another name. Of a link, the target is replaced.
pub(super) fn other_copy(path: &Path) -> Option<String> {
    let names = link_count(&fs::metadata(path).ok()?);
    (names > 1)
        .then(|| format!("{} has {names} names (hard links): the others keep the old text", path.display()))
}

/// Adds a file by its place in the store.
fn add_of_store(
    files: &mut Vec<RedactFile>,
    config: &ConfigDir,
    path: PathBuf,
    format: FileFormat,
) -> Result<(), ReadError> {
    files.extend(config.read_if_there(&path)?.map(|bytes| RedactFile { path, format, bytes: bytes.into() }));
    Ok(())
}

/// Adds a file that discovery or a walk has listed.
fn add_if_there(files: &mut Vec<RedactFile>, path: PathBuf, format: FileFormat) -> Result<(), ReadError> {
    match read_file(&path) {
        Ok(bytes) => files.push(RedactFile { path, format, bytes: bytes.into() }),
        Err(ReadError::NotFound { .. }) => {}
        Err(error) => return Err(error),
    }
    Ok(())
}

/// The files of the long pastes that a history names for a session.
fn pastes(config: &ConfigDir, session: &SessionKey, history: &[u8]) -> Vec<PathBuf> {
    let (_, hashes) = prompts_of(history, session);
    // A name from a file must not lead to another folder.
    let is_hash = |hash: &&String| !hash.is_empty() && hash.bytes().all(|byte| byte.is_ascii_alphanumeric());
    hashes.iter().filter(is_hash).map(|hash| config.paste(hash)).collect()
}
