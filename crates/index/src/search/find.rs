//! A query against the index.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::PathBuf;

use annals_store::parallel;
use rusqlite::types::Value as Sql;
use rusqlite::{Row, params_from_iter};

use super::highlight::{Highlighter, Marked};
use super::query::{Filter, Query};
use super::score::score;
use super::snippet::{Source, snippet};
use crate::error::IndexError;
use crate::extract::{FileRole, INDEXED_BYTES, Kind, Role};
use crate::open::Index;
use crate::words::table_of;

/// So many of the newest matches of each table are weighed against each other; of the rest only the number is known.
const WEIGHED: usize = 120;
/// Texts of the best are read, and of so many more, to see how well they fit.
const MORE_READ: usize = 8;
/// So many matches of each table are counted: beyond that nobody reads the number, and everybody waits for it. Where filters
/// look at every message, fewer.
pub const COUNTED: usize = 1000;
const COUNTED_FILTERED: usize = 300;

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

struct Candidate {
    file: i64,
    line: u64,
    offset: u64,
    length: u64,
    block: u32,
    role: Role,
    kind: Kind,
    millis: Option<i64>,
    uuid: Option<Vec<u8>>,
    tool: Option<i64>,
    is_cut: bool,
    score: f64,
    snippet: Marked,
}

const COLUMNS: &str =
    "messages.file, line, offset, length, block, role, kind, millis, uuid, tool, bytes, indexed";

fn candidate(row: &Row<'_>) -> rusqlite::Result<Candidate> {
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
    /// The best `limit` answers to a query. `now` decides what is new; `elsewhere` is asked for a copy of a file that is gone,
    /// by its session and its path below the config dir.
    pub fn search(
        &self,
        query: &Query,
        limit: usize,
        now: i64,
        elsewhere: &mut dyn FnMut(&str, &str) -> Option<PathBuf>,
    ) -> Result<Found, IndexError> {
        let (conditions, values) = self.conditions(query)?;
        let mut candidates = Vec::new();
        let (mut total, mut is_more) = (0, false);
        let counted = if conditions.is_empty() { COUNTED } else { COUNTED_FILTERED };
        let (weighed, most) = (WEIGHED.max(limit), counted.max(limit));
        for (table, _) in tables(query) {
            let (from, matching) = match query.expression() {
                Some(expression) => (
                    format!("{table} JOIN messages ON messages.id = {table}.rowid"),
                    Some((format!("{table} MATCH ?"), Sql::Text(expression))),
                ),
                None => ("messages".to_owned(), None),
            };
            let order = if matching.is_some() { format!("{table}.rowid") } else { "messages.id".to_owned() };
            let (mut wheres, mut bound) = (conditions.clone(), Vec::new());
            if let Some((condition, value)) = matching {
                wheres.insert(0, condition);
                bound.push(value);
            }
            bound.extend(values.iter().cloned());
            let wheres = if wheres.is_empty() { "1".to_owned() } else { wheres.join(" AND ") };
            // Filters need the rows of messages, which are counted on the way; without them counting the words is enough.
            let is_word_alone = conditions.is_empty() && query.expression().is_some();
            let read = if is_word_alone { weighed } else { most.max(weighed) };
            let sql =
                format!("SELECT {COLUMNS} FROM {from} WHERE {wheres} ORDER BY {order} DESC LIMIT {read}");
            let mut statement = self.connection.prepare_cached(&sql)?;
            let mut rows = statement.query(params_from_iter(&bound))?;
            let (mut found, mut count) = (Vec::new(), 0_u64);
            while let Some(row) = rows.next()? {
                count += 1;
                if found.len() < weighed {
                    found.push(candidate(row)?);
                }
            }
            if is_word_alone && found.len() == weighed {
                let sql = format!("SELECT count(*) FROM (SELECT 1 FROM {table} WHERE {wheres} LIMIT {most})");
                let mut counting = self.connection.prepare_cached(&sql)?;
                count = counting.query_row(params_from_iter(&bound), |row| row.get::<_, i64>(0))? as u64;
            }
            total += count;
            is_more |= count >= most as u64;
            candidates.extend(found);
            if query.expression().is_none() {
                break;
            }
        }
        for candidate in &mut candidates {
            candidate.score = score(candidate.kind, candidate.millis, now, 0.0);
        }
        let best = |left: &Candidate, right: &Candidate| right.score.total_cmp(&left.score);
        candidates.sort_by(best);
        let files = self.files_of(&candidates)?;
        candidates.truncate(limit.saturating_add(MORE_READ));
        self.look_closer(&mut candidates, &files, query, now, elsewhere);
        candidates.sort_by(best);
        candidates.truncate(limit);
        let hits =
            candidates.into_iter().map(|candidate| self.hit(candidate, &files)).collect::<Result<_, _>>()?;
        Ok(Found { total, is_more, hits })
    }

    /// Reads the texts of the best, and weighs them again.
    fn look_closer(
        &self,
        candidates: &mut [Candidate],
        files: &HashMap<i64, FileOf>,
        query: &Query,
        now: i64,
        elsewhere: &mut dyn FnMut(&str, &str) -> Option<PathBuf>,
    ) {
        let highlighter = Highlighter::new(query);
        let wanted = query.all.len().max(1) as f64;
        let mut sources = Vec::with_capacity(candidates.len());
        for candidate in &*candidates {
            let file = files.get(&candidate.file);
            let path = file.and_then(|file| match file.is_there {
                true => Some(self.config.path().join(&file.path)),
                false => elsewhere(&file.session, &file.path),
            });
            let role = file.map_or(FileRole::Session, |file| file.role);
            let Candidate { offset, length, block, .. } = *candidate;
            sources.push(path.map(|file| Source { file, role, offset, length, block }));
        }
        let looked = parallel::map(&sources, |source| {
            source.as_ref().and_then(Source::text).map(|text| snippet(&text, &highlighter))
        });
        for (candidate, found) in candidates.iter_mut().zip(looked) {
            let Some((marked, coverage)) = found else { continue };
            candidate.snippet = marked;
            let coverage = (coverage as f64 / wanted).min(1.0);
            candidate.score = score(candidate.kind, candidate.millis, now, coverage);
        }
    }

    fn files_of(&self, candidates: &[Candidate]) -> Result<HashMap<i64, FileOf>, IndexError> {
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

    fn hit(&self, candidate: Candidate, files: &HashMap<i64, FileOf>) -> Result<Hit, IndexError> {
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

#[derive(Clone, Debug, Default)]
struct FileOf {
    path: String,
    role: FileRole,
    slug: String,
    session: String,
    agent: Option<String>,
    is_there: bool,
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

/// The word tables that can have an answer, and their kinds.
fn tables(query: &Query) -> Vec<(&'static str, Vec<Kind>)> {
    let mut tables: Vec<(&'static str, Vec<Kind>)> = Vec::new();
    for &kind in Kind::ALL {
        let is_wanted = |filter: &Filter| match filter {
            Filter::Kinds(kinds) => kinds.contains(&kind),
            _ => true,
        };
        if !query.filters.iter().all(is_wanted) {
            continue;
        }
        let table = table_of(kind);
        match tables.iter_mut().find(|(name, _)| *name == table) {
            Some((_, kinds)) => kinds.push(kind),
            None => tables.push((table, vec![kind])),
        }
    }
    tables
}

/// An id as it is written.
pub(super) fn long_uuid(bytes: &[u8]) -> String {
    if bytes.len() != 16 {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    let digits = annals_store::digest::hex(bytes);
    [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-")
}
