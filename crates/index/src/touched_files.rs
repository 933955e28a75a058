//! The files that tools read and changed, and the sessions that there are.

use std::collections::{HashMap, HashSet};

use rusqlite::Row;

use crate::error::IndexError;
use crate::open::Index;

/// What a call does to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileTouch {
    Read,
    Change,
}

/// A call that read or changed a file, and did not fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TouchingCall {
    /// The path of the file, as the call names it.
    pub path: String,
    pub session: String,
    /// What it did.
    pub touch: FileTouch,
    /// When, in milliseconds since 1970.
    pub millis: Option<i64>,
}

/// A file, and what calls did to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TouchedFile {
    /// Its path, as the calls name it.
    pub path: String,
    /// Calls that read it.
    pub reads: u64,
    /// Calls that changed it.
    pub changes: u64,
    /// The last call, in milliseconds since 1970.
    pub last: Option<i64>,
    /// The sessions, in the order in which they came first.
    pub sessions: Vec<String>,
}

/// Sums calls by file, the file of the last call first.
pub fn touched_files<'c>(calls: impl IntoIterator<Item = &'c TouchingCall>) -> Vec<TouchedFile> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut files: Vec<TouchedFile> = Vec::new();
    for call in calls {
        let at = *places.entry(&call.path).or_insert(files.len());
        if at == files.len() {
            let path = call.path.clone();
            files.push(TouchedFile { path, reads: 0, changes: 0, last: None, sessions: Vec::new() });
        }
        let file = &mut files[at];
        match call.touch {
            FileTouch::Read => file.reads += 1,
            FileTouch::Change => file.changes += 1,
        }
        file.last = file.last.max(call.millis);
        if !file.sessions.contains(&call.session) {
            file.sessions.push(call.session.clone());
        }
    }
    files.sort_by(|left, right| right.last.cmp(&left.last).then_with(|| left.path.cmp(&right.path)));
    files
}

const CALLS: &str = "SELECT paths.name, files.session, names.name IN ('Read', 'NotebookRead'),
        coalesce(calls.ended, calls.started), calls.tool_use
    FROM main.tool_calls AS calls JOIN names ON names.id = calls.tool JOIN paths ON paths.id = calls.path
        JOIN files ON files.id = calls.file
    WHERE names.name IN ('Read', 'NotebookRead', 'Edit', 'MultiEdit', 'Write', 'NotebookEdit')
        AND calls.answered IS NOT NULL AND NOT calls.is_error AND paths.name <> ''
    ORDER BY files.state, files.path, calls.called";

impl Index {
    /// The id of every session, deleted ones included; of copies in several projects, once for each.
    pub fn session_ids(&self) -> Result<Vec<String>, IndexError> {
        let mut statement = self.connection.prepare_cached("SELECT session FROM files WHERE role = 0")?;
        Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
    }

    /// The calls that read or changed files. A fork copies calls with their ids: they count once.
    pub fn touching_calls(&self) -> Result<Vec<TouchingCall>, IndexError> {
        let mut statement = self.connection.prepare_cached(CALLS)?;
        let call = |row: &Row<'_>| {
            let touch = if row.get::<_, bool>(2)? { FileTouch::Read } else { FileTouch::Change };
            let call = TouchingCall { path: row.get(0)?, session: row.get(1)?, touch, millis: row.get(3)? };
            Ok((row.get::<_, String>(4)?, call))
        };
        let mut seen: HashSet<(String, String)> = HashSet::new();
        let mut calls = Vec::new();
        for found in statement.query_map([], call)? {
            let (id, call) = found?;
            if seen.insert((id, call.path.clone())) {
                calls.push(call);
            }
        }
        Ok(calls)
    }
}
