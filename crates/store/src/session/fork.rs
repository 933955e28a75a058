//! Forks a session: copies the conversation up to a record into a new one.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use annals_json::edit::{EditError, Editor};
use annals_json::{ObjectWriter, write_string};
use annals_transcript::graph::Graph;
use annals_transcript::query::{RecordMatch, by_prefix};
use annals_transcript::resume::{Client, branch, branch_to, leaf};
use annals_transcript::transcript::{NodeIndex, Transcript};

use crate::files::{WriteError, replace_file};
use crate::read::{ReadError, read_file};
use crate::source::{Source, new_uuid};

/// A session that was made from another.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fork {
    /// Its id.
    pub session: String,
    /// Its file, in the same folder.
    pub path: PathBuf,
    /// How many records it begins with.
    pub records: usize,
}

/// Why a session could not be forked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ForkError {
    /// There is no record with this id.
    #[error("{}: no record {uuid}", path.display())]
    NoSuchRecord {
        /// The session's file.
        path: PathBuf,
        /// The id.
        uuid: String,
    },
    /// Several records have ids that begin so.
    #[error("{}: {count} records have ids that begin with {uuid}", path.display())]
    Ambiguous {
        /// The session's file.
        path: PathBuf,
        /// The beginning of an id.
        uuid: String,
        /// How many.
        count: usize,
    },
    /// The session holds no conversation.
    #[error("{}: no conversation to continue from", path.display())]
    Empty {
        /// The session's file.
        path: PathBuf,
    },
    /// A record that could not be changed.
    #[error("{}: line {line}: {source}", path.display())]
    Edit {
        /// The session's file.
        path: PathBuf,
        /// The line of the record, from 1.
        line: u32,
        /// Why.
        source: EditError,
    },
    /// The file could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The disk.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Copies the conversation up to a record (by default to its end) into a new session of the same project, from its first
/// line on, including what compactions hide from the model.
///
/// Like the client's `/branch`: the lines keep their ids, get the new session's, and name their origin. The new file is
/// complete or does not exist.
pub fn fork(path: &Path, at: Option<&str>, source: &dyn Source) -> Result<Fork, ForkError> {
    fork_as(path, at, &new_uuid(source))
}

/// Like [`fork`], with a given id for the new session. A session that is there is not overwritten.
pub fn fork_as(path: &Path, at: Option<&str>, session: &str) -> Result<Fork, ForkError> {
    let bytes = read_file(path)?;
    fork_transcript(&Transcript::parse(&bytes), path, at, session)
}

/// Forks a session that is parsed already.
pub(super) fn fork_transcript(
    transcript: &Transcript<'_>,
    path: &Path,
    at: Option<&str>,
    session: &str,
) -> Result<Fork, ForkError> {
    let nodes = path_to(transcript, at, path)?;
    let out = forked_lines(transcript, &nodes, path, session)?;
    let target = path.with_file_name(format!("{session}.jsonl"));
    if target.symlink_metadata().is_ok() {
        return Err(WriteError::Exists { path: target }.into());
    }
    replace_file(&target, &out)?;
    Ok(Fork { session: session.to_owned(), path: target, records: nodes.len() })
}

/// Returns the records of a fork at a record (by default the end of the conversation), in file order; `path` is only used
/// in errors.
pub fn path_to(
    transcript: &Transcript<'_>,
    at: Option<&str>,
    path: &Path,
) -> Result<BTreeSet<NodeIndex>, ForkError> {
    let end = match at {
        None => leaf(transcript, Client::NEWEST),
        Some(uuid) => Some(find(transcript, uuid, path)?),
    };
    let end = end.ok_or_else(|| ForkError::Empty { path: path.to_path_buf() })?;
    let graph = Graph::new(transcript);
    let mut path = branch_to(transcript, &graph, Client::NEWEST, end);
    let live = branch(transcript, &graph, Client::NEWEST);
    // A boundary that kept messages can be a sibling of the line that continues from them: what a client meets before this
    // record belongs to it, although no parent leads there.
    if live.contains(&end) {
        let there: BTreeSet<NodeIndex> = path.iter().copied().collect();
        path.extend(
            live.into_iter()
                .filter(|&node| node < end && !there.contains(&node) && !hangs_from(node, end, &graph)),
        );
    }
    // In file order, where parents come before their children.
    Ok(with_parents(path, &graph))
}

/// Whether a line descends from another: children can precede their parents in the file.
fn hangs_from(node: NodeIndex, above: NodeIndex, graph: &Graph<'_>) -> bool {
    let mut passed = BTreeSet::new();
    let mut at = Some(node);
    while let Some(here) = at.filter(|&here| passed.insert(here)) {
        if here == above {
            return true;
        }
        at = graph.parent(here);
    }
    false
}

/// Returns the lines of a fork that keeps its ids: each names the new session, and its origin.
pub fn forked_lines(
    transcript: &Transcript<'_>,
    nodes: &BTreeSet<NodeIndex>,
    path: &Path,
    session: &str,
) -> Result<Vec<u8>, ForkError> {
    let old = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut out = Vec::new();
    for &node in nodes {
        let raw = transcript.fields(node).raw();
        let line = copy_line(raw, &old, session).map_err(|source| ForkError::Edit {
            path: path.to_path_buf(),
            line: transcript.node(node).line,
            source,
        })?;
        out.extend_from_slice(&line);
        out.push(b'\n');
    }
    Ok(out)
}

/// The lines and those that they hang from. What a response has on another branch hangs from lines of that branch, and would
/// have no parent without them.
fn with_parents(path: Vec<NodeIndex>, graph: &Graph<'_>) -> BTreeSet<NodeIndex> {
    let mut nodes: BTreeSet<NodeIndex> = path.iter().copied().collect();
    for node in path {
        let mut above = graph.parent(node);
        while let Some(parent) = above.filter(|&parent| nodes.insert(parent)) {
            above = graph.parent(parent);
        }
    }
    nodes
}

/// The record with this id, or the only one whose id begins so.
fn find(transcript: &Transcript<'_>, uuid: &str, path: &Path) -> Result<NodeIndex, ForkError> {
    if let Some(node) = transcript.rposition(|node| node.uuid.is_some_and(|id| id.is(uuid))) {
        return Ok(node);
    }
    let (path, uuid) = (path.to_path_buf(), uuid.to_owned());
    match by_prefix(transcript, &uuid) {
        RecordMatch::One(node) => Ok(node),
        RecordMatch::Nothing => Err(ForkError::NoSuchRecord { path, uuid }),
        RecordMatch::Several(count) => Err(ForkError::Ambiguous { path, uuid, count }),
    }
}

fn copy_line(raw: &[u8], old: &str, session: &str) -> Result<Vec<u8>, EditError> {
    let mut id = Vec::new();
    write_string(&mut id, session);
    let mut from = Vec::new();
    let mut object = ObjectWriter::begin(&mut from);
    object.string("sessionId", old);
    let value = annals_json::Value::parse(raw).map_err(EditError::NotAnObject)?;
    if let Some(uuid) = value.get("uuid") {
        object.raw("messageUuid", uuid.raw());
    }
    object.end();
    let mut editor = Editor::new(raw)?;
    editor.set(&[], "sessionId", &id)?.set(&[], "forkedFrom", &from)?;
    let line = editor.finish()?;
    // A record that took several lines gets one.
    match memchr::memchr(b'\n', &line) {
        Some(_) => {
            annals_json::RawJson::parse(&line).map(|json| json.raw().to_vec()).map_err(EditError::NotJson)
        }
        None => Ok(line),
    }
}
