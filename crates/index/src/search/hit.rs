//! Turns rows of the index into hits.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::PathBuf;

use rusqlite::{OptionalExtension, Row, params};

use super::highlight::HighlightedText;
use super::matches::Matches;
use super::snippet::TextSource;
use crate::error::IndexError;
use crate::extract::{FactKind, IndexedFileRole, MAX_INDEXED_BYTES, MessageKind, MessageRole};
use crate::open::Index;

/// A message that matches a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The id of its session.
    pub session: String,
    /// The id of its sub-agent, if any.
    pub agent: Option<String>,
    /// The folder of its project.
    pub slug: String,
    pub file: PathBuf,
    /// Whether the file still exists.
    pub is_there: bool,
    /// The line, counted from 1.
    pub line: u64,
    /// The offset of the line in the file.
    pub offset: u64,
    /// The number of the block in its line, from 0.
    pub block: u32,
    /// The record's uuid.
    pub uuid: Option<String>,
    /// Who produced the message.
    pub role: MessageRole,
    /// The kind of the message.
    pub kind: MessageKind,
    /// The tool that was called or answered.
    pub tool: Option<String>,
    /// The call that an output file belongs to; its tool and the record of its result are those of the hit.
    pub call: Option<String>,
    /// When, in milliseconds since 1970.
    pub millis: Option<i64>,
    /// Its score; higher is better.
    pub score: f64,
    /// The text around the matches; empty if the file is gone.
    pub snippet: HighlightedText,
    /// Whether only the start of the text is searchable.
    pub is_cut: bool,
    /// How many messages of its session match.
    pub session_hits: u64,
}

/// The results of a query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchResults {
    /// How many messages match, as far as they were counted.
    pub total: u64,
    /// Whether there may be more than were counted.
    pub is_more: bool,
    /// The best hits, best first.
    pub hits: Vec<Hit>,
}

/// A message that may become a hit.
pub(super) struct Candidate {
    pub(super) file: i64,
    /// The number of its session.
    pub(super) group: u32,
    /// The session, if the file does not say which.
    pub(super) session: Option<String>,
    pub(super) line: u64,
    pub(super) offset: u64,
    pub(super) length: u64,
    pub(super) block: u32,
    pub(super) role: MessageRole,
    pub(super) kind: MessageKind,
    pub(super) millis: Option<i64>,
    pub(super) uuid: Option<Vec<u8>>,
    pub(super) tool: Option<i64>,
    pub(super) is_cut: bool,
    pub(super) score: f64,
    pub(super) snippet: HighlightedText,
}

fn candidate(row: &Row<'_>) -> rusqlite::Result<Candidate> {
    let count = |at: usize| row.get::<_, i64>(at).map(|number| number as u64);
    Ok(Candidate {
        file: row.get(0)?,
        group: 0,
        session: None,
        line: count(1)?,
        offset: count(2)?,
        length: count(3)?,
        block: row.get(4)?,
        role: MessageRole::from_number(row.get(5)?).unwrap_or(MessageRole::System),
        kind: MessageKind::from_number(row.get(6)?).unwrap_or(MessageKind::Context),
        millis: row.get(7)?,
        uuid: row.get(8)?,
        tool: row.get(9)?,
        is_cut: count(10)? > MAX_INDEXED_BYTES as u64,
        score: 0.0,
        snippet: HighlightedText::default(),
    })
}

/// The files of candidates.
pub(super) type HitFiles = HashMap<i64, HitFile>;

impl Index {
    /// Reads the matches at these places in full, and the files that they are in.
    pub(super) fn candidates(
        &self,
        matches: &Matches,
        places: impl Iterator<Item = usize>,
    ) -> Result<(Vec<Candidate>, HitFiles), IndexError> {
        let mut message = self.connection.prepare_cached(
            "SELECT file, line, offset, length, block, role, kind, millis, uuid, tool, bytes FROM messages
             WHERE id = ?1",
        )?;
        let mut file = self
            .connection
            .prepare_cached("SELECT path, role, slug, session, agent, state FROM files WHERE id = ?1")?;
        let (mut candidates, mut files) = (Vec::new(), HashMap::new());
        for row in places.map(|at| &matches.rows[at]) {
            let mut candidate = message.query_row([row.id], candidate)?;
            candidate.group = row.group;
            let file = match files.entry(row.file) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => place.insert(file.query_row([row.file], hit_file)?),
            };
            let name = matches.groups.name(row.group);
            if file.role == IndexedFileRole::History && file.path != name {
                candidate.session = Some(name.to_owned());
            }
            candidates.push(candidate);
        }
        Ok((candidates, files))
    }

    pub(super) fn hit(&self, candidate: Candidate, files: &HitFiles) -> Result<Hit, IndexError> {
        let mut tool = match candidate.tool {
            Some(tool) => self
                .connection
                .prepare_cached("SELECT name FROM names WHERE id = ?1")?
                .query_row([tool], |row| row.get(0))
                .map(Some)?,
            None => None,
        };
        let file = files.get(&candidate.file).cloned().unwrap_or_default();
        let (mut uuid, mut agent, mut call) = (candidate.uuid.as_deref().map(long_uuid), file.agent, None);
        if file.role == IndexedFileRole::Output
            && let Some(owner) = self.call_of_output(&file.session, &file.path)?
        {
            (tool, uuid, agent, call) = (owner.tool, owner.uuid, owner.agent, Some(owner.call));
        }
        Ok(Hit {
            session: candidate.session.unwrap_or(file.session),
            agent,
            slug: file.slug,
            file: self.config.path().join(&file.path),
            is_there: file.is_there,
            line: candidate.line,
            offset: candidate.offset,
            block: candidate.block,
            uuid,
            role: candidate.role,
            kind: candidate.kind,
            tool,
            call,
            millis: candidate.millis,
            score: candidate.score,
            snippet: candidate.snippet,
            is_cut: candidate.is_cut,
            session_hits: 1,
        })
    }
}

impl Index {
    /// Reads the whole text of a hit, as far as it can be searched; `None` if its file is gone.
    pub fn text_of_hit(
        &self,
        hit: &Hit,
        elsewhere: &mut dyn FnMut(&str, &str) -> Option<PathBuf>,
    ) -> Result<Option<String>, IndexError> {
        let Some(relative) = hit.file.strip_prefix(self.config.path()).ok().and_then(|path| path.to_str())
        else {
            return Ok(None);
        };
        let mut statement = self.connection.prepare_cached(
            "SELECT files.role, files.state, messages.length FROM files JOIN messages ON messages.file = files.id
             WHERE files.path = ?1 AND messages.line = ?2 AND messages.block = ?3 LIMIT 1",
        )?;
        let place = statement.query_row(params![relative, hit.line as i64, hit.block], |row| {
            let role = IndexedFileRole::from_number(row.get(0)?).unwrap_or_default();
            Ok((role, row.get::<_, i64>(1)? == 0, row.get::<_, i64>(2)? as u64))
        });
        let Some((role, is_there, length)) = place.optional()? else { return Ok(None) };
        let file = if is_there { Some(hit.file.clone()) } else { elsewhere(&hit.session, relative) };
        let source = |file| TextSource { file, role, offset: hit.offset, length, block: hit.block };
        Ok(file.map(source).and_then(|source| source.text()))
    }
}

/// The call whose output a file holds.
struct OutputOwner {
    call: String,
    tool: Option<String>,
    uuid: Option<String>,
    agent: Option<String>,
}

impl Index {
    /// The call whose output this file holds, as a result in the session or in one of its sub-agents says.
    fn call_of_output(&self, session: &str, path: &str) -> Result<Option<OutputOwner>, IndexError> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let sql = "SELECT substr(facts.value, length(?2) + 2), names.name, files.agent,
                (SELECT uuid FROM messages WHERE messages.file = files.id AND messages.line = facts.first LIMIT 1)
             FROM files JOIN facts ON facts.file = files.id AND facts.kind = ?3
                AND facts.value > ?2 || char(9) AND facts.value < ?2 || char(10)
             LEFT JOIN main.tool_calls AS calls ON calls.file = files.id
                AND calls.tool_use = substr(facts.value, length(?2) + 2)
             LEFT JOIN names ON names.id = calls.tool
             WHERE files.session = ?1 LIMIT 1";
        let owner = |row: &Row<'_>| {
            Ok(OutputOwner {
                call: row.get(0)?,
                tool: row.get(1)?,
                agent: row.get(2)?,
                uuid: row.get::<_, Option<Vec<u8>>>(3)?.as_deref().map(long_uuid),
            })
        };
        let mut statement = self.connection.prepare_cached(sql)?;
        Ok(statement.query_row(params![session, name, FactKind::Output.number()], owner).optional()?)
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct HitFile {
    pub(super) path: String,
    pub(super) role: IndexedFileRole,
    pub(super) slug: String,
    pub(super) session: String,
    pub(super) agent: Option<String>,
    pub(super) is_there: bool,
}

fn hit_file(row: &Row<'_>) -> rusqlite::Result<HitFile> {
    Ok(HitFile {
        path: row.get(0)?,
        role: IndexedFileRole::from_number(row.get(1)?).unwrap_or_default(),
        slug: row.get(2)?,
        session: row.get(3)?,
        agent: row.get(4)?,
        is_there: row.get::<_, i64>(5)? == 0,
    })
}

/// A stored uuid as text.
pub(crate) fn long_uuid(bytes: &[u8]) -> String {
    match <[u8; 16]>::try_from(bytes) {
        Ok(id) => annals_store::source::uuid_text(id),
        Err(_) => String::from_utf8_lossy(bytes).into_owned(),
    }
}
