//! What was found: a row of the index to a hit that leads back to its file.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::PathBuf;

use rusqlite::Row;

use super::highlight::Marked;
use crate::error::IndexError;
use crate::extract::{FileRole, INDEXED_BYTES, Kind, Role};
use crate::open::Index;

/// A message that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The session.
    pub session: String,
    /// The sub-agent, where it is one's.
    pub agent: Option<String>,
    /// The project's folder.
    pub slug: String,
    /// The file.
    pub file: PathBuf,
    /// Whether the file is where it was.
    pub is_there: bool,
    /// The line, counted from 1.
    pub line: u64,
    /// Its first byte.
    pub offset: u64,
    /// Which block of it.
    pub block: u32,
    /// The line's id.
    pub uuid: Option<String>,
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub kind: Kind,
    /// The tool.
    pub tool: Option<String>,
    /// When, in milliseconds since 1970.
    pub millis: Option<i64>,
    /// How well it fits.
    pub score: f64,
    /// The words around it; empty where the file is gone.
    pub snippet: Marked,
    /// Whether only the beginning of the text can be searched for.
    pub is_cut: bool,
}

/// What a query found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// How many messages there are, or were counted.
    pub total: u64,
    /// Whether there may be more than were counted.
    pub is_more: bool,
    /// The best of them, best first.
    pub hits: Vec<Hit>,
}

/// A message that may be shown.
pub(super) struct Candidate {
    pub(super) file: i64,
    pub(super) line: u64,
    pub(super) offset: u64,
    pub(super) length: u64,
    pub(super) block: u32,
    pub(super) role: Role,
    pub(super) kind: Kind,
    pub(super) millis: Option<i64>,
    pub(super) uuid: Option<Vec<u8>>,
    pub(super) tool: Option<i64>,
    pub(super) is_cut: bool,
    pub(super) score: f64,
    pub(super) snippet: Marked,
}

/// What a candidate is made of.
pub(super) const COLUMNS: &str =
    "messages.file, line, offset, length, block, role, kind, millis, uuid, tool, bytes, indexed";

pub(super) fn candidate(row: &Row<'_>) -> rusqlite::Result<Candidate> {
    let count = |at: usize| row.get::<_, i64>(at).map(|number| number as u64);
    Ok(Candidate {
        file: row.get(0)?,
        line: count(1)?,
        offset: count(2)?,
        length: count(3)?,
        block: row.get(4)?,
        role: Role::numbered(row.get(5)?).unwrap_or(Role::System),
        kind: Kind::numbered(row.get(6)?).unwrap_or(Kind::Context),
        millis: row.get(7)?,
        uuid: row.get(8)?,
        tool: row.get(9)?,
        is_cut: count(10)? > INDEXED_BYTES as u64,
        score: 0.0,
        snippet: Marked::default(),
    })
}

impl Index {
    pub(super) fn files_of(&self, candidates: &[Candidate]) -> Result<HashMap<i64, FileOf>, IndexError> {
        let mut files = HashMap::new();
        let mut statement = self
            .connection
            .prepare_cached("SELECT path, role, slug, session, agent, state FROM files WHERE id = ?1")?;
        for candidate in candidates {
            if let Entry::Vacant(place) = files.entry(candidate.file) {
                place.insert(statement.query_row([candidate.file], file_of)?);
            }
        }
        Ok(files)
    }

    pub(super) fn hit(&self, candidate: Candidate, files: &HashMap<i64, FileOf>) -> Result<Hit, IndexError> {
        let tool = match candidate.tool {
            Some(tool) => self
                .connection
                .prepare_cached("SELECT name FROM names WHERE id = ?1")?
                .query_row([tool], |row| row.get(0))
                .map(Some)?,
            None => None,
        };
        let file = files.get(&candidate.file).cloned().unwrap_or_default();
        Ok(Hit {
            session: file.session,
            agent: file.agent,
            slug: file.slug,
            file: self.config.path().join(&file.path),
            is_there: file.is_there,
            line: candidate.line,
            offset: candidate.offset,
            block: candidate.block,
            uuid: candidate.uuid.as_deref().map(long_uuid),
            role: candidate.role,
            kind: candidate.kind,
            tool,
            millis: candidate.millis,
            score: candidate.score,
            snippet: candidate.snippet,
            is_cut: candidate.is_cut,
        })
    }
}

/// The file of a message.
#[derive(Clone, Debug, Default)]
pub(super) struct FileOf {
    pub(super) path: String,
    pub(super) role: FileRole,
    pub(super) slug: String,
    pub(super) session: String,
    pub(super) agent: Option<String>,
    pub(super) is_there: bool,
}

fn file_of(row: &Row<'_>) -> rusqlite::Result<FileOf> {
    Ok(FileOf {
        path: row.get(0)?,
        role: FileRole::numbered(row.get(1)?).unwrap_or_default(),
        slug: row.get(2)?,
        session: row.get(3)?,
        agent: row.get(4)?,
        is_there: row.get::<_, i64>(5)? == 0,
    })
}

/// An id as it is written.
pub(super) fn long_uuid(bytes: &[u8]) -> String {
    if bytes.len() != 16 {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    let digits = annals_store::digest::hex(bytes);
    [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-")
}
