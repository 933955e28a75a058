//! The messages that match a query, each once: copies in forks, repeated titles and the history's copies of prompts are left out.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use rusqlite::params_from_iter;
use rusqlite::types::Value as Sql;

use super::hit::{COLUMNS, Candidate, HitFile, candidate};
use super::query::{Filter, Query};
use crate::error::IndexError;
use crate::extract::MessageKind;
use crate::open::Index;
use crate::words::table_of;

/// How many matches of each table are read at most; with filters, which must look at every message, fewer.
pub const MAX_COUNTED: usize = 1000;
const MAX_COUNTED_FILTERED: usize = 300;

/// What matches.
pub(super) struct Matches {
    /// The messages, the newest of each table first.
    pub(super) candidates: Vec<Candidate>,
    /// The files that they are in.
    pub(super) files: HashMap<i64, HitFile>,
    /// Whether there may be more.
    pub(super) is_more: bool,
}

impl Index {
    /// The newest matches, at least `limit` of each table if there are that many.
    pub(super) fn matches(&self, query: &Query, limit: usize) -> Result<Matches, IndexError> {
        let (conditions, values) = self.conditions(query)?;
        let counted = if conditions.is_empty() { MAX_COUNTED } else { MAX_COUNTED_FILTERED };
        // The largest limit in SQL.
        let most = counted.max(limit).min(i64::MAX as usize);
        let (mut candidates, mut is_more) = (Vec::new(), false);
        for table in tables(query) {
            let (mut wheres, mut bound) = (conditions.clone(), Vec::new());
            let (from, order) = match query.expression() {
                Some(expression) => {
                    wheres.insert(0, format!("{table} MATCH ?"));
                    bound.push(Sql::Text(expression));
                    (
                        format!("{table} JOIN messages ON messages.id = {table}.rowid"),
                        format!("{table}.rowid"),
                    )
                }
                None => ("messages".to_owned(), "messages.id".to_owned()),
            };
            bound.extend(values.iter().cloned());
            let wheres = if wheres.is_empty() { "1".to_owned() } else { wheres.join(" AND ") };
            let sql =
                format!("SELECT {COLUMNS} FROM {from} WHERE {wheres} ORDER BY {order} DESC LIMIT {most}");
            let mut statement = self.connection.prepare_cached(&sql)?;
            let mut rows = statement.query(params_from_iter(&bound))?;
            let before = candidates.len();
            while let Some(row) = rows.next()? {
                candidates.push(candidate(row)?);
            }
            is_more |= candidates.len() - before >= most;
            if query.expression().is_none() {
                break;
            }
        }
        let files = self.files_of(&candidates)?;
        self.settle_history(&mut candidates, &files)?;
        leave_out_copies(&mut candidates, &files);
        Ok(Matches { candidates, files, is_more })
    }
}

/// The word tables that can contain hits.
fn tables(query: &Query) -> Vec<&'static str> {
    let mut tables = Vec::new();
    for &kind in MessageKind::ALL {
        let is_wanted = |filter: &Filter| match filter {
            Filter::Kinds(kinds) => kinds.contains(&kind),
            _ => true,
        };
        if query.filters.iter().all(is_wanted) && !tables.contains(&table_of(kind)) {
            tables.push(table_of(kind));
        }
    }
    tables
}

/// What makes two messages the same one.
#[derive(PartialEq, Eq, Hash)]
enum MessageIdentity {
    /// A record keeps its id and its time when a session is forked, or resumed by a client that copies. Block and length tell
    /// the messages of a record apart, and records of programs that give the same id twice.
    Record { uuid: Vec<u8>, block: u32, millis: Option<i64>, bytes: u64 },
    /// Clients write the title again and again: one of these lengths for each session.
    Title(String, u64),
}

/// Keeps one of each message: one whose file is there, and of these the one that was indexed first.
fn leave_out_copies(candidates: &mut Vec<Candidate>, files: &HashMap<i64, HitFile>) {
    let rank = |candidate: &Candidate| {
        let is_gone = files.get(&candidate.file).is_none_or(|file| !file.is_there);
        // The last of repeated titles is the one that holds.
        let line =
            if candidate.kind == MessageKind::Title { u64::MAX - candidate.line } else { candidate.line };
        (is_gone, candidate.file, line)
    };
    let mut first: HashMap<MessageIdentity, usize> = HashMap::new();
    let mut is_copy = vec![false; candidates.len()];
    for (at, candidate) in candidates.iter().enumerate() {
        let identity = match (candidate.kind, &candidate.uuid) {
            (MessageKind::Title, _) => {
                MessageIdentity::Title(candidate.group(files).to_owned(), candidate.text_bytes)
            }
            (_, Some(uuid)) => MessageIdentity::Record {
                uuid: uuid.clone(),
                block: candidate.block,
                millis: candidate.millis,
                bytes: candidate.text_bytes,
            },
            _ => continue,
        };
        match first.entry(identity) {
            Entry::Vacant(place) => {
                place.insert(at);
            }
            Entry::Occupied(mut place) if rank(candidate) < rank(&candidates[*place.get()]) => {
                is_copy[place.insert(at)] = true;
            }
            Entry::Occupied(_) => is_copy[at] = true,
        }
    }
    let mut copies = is_copy.into_iter();
    candidates.retain(|_| copies.next() != Some(true));
}
