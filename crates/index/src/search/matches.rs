//! The messages that match a query, each once: copies in forks, repeated titles and the history's copies of prompts are left out.
//!
//! A query may match thousands of messages, and all of them are read to count and group them. So a row has only what that takes;
//! the few that are shown are read again in full.

use std::hash::{DefaultHasher, Hash, Hasher};

use rusqlite::types::{Value as Sql, ValueRef};
use rusqlite::{Row, params_from_iter};

use super::groups::{GroupReader, SessionGroups};
use super::query::{Filter, Query};
use super::score::score;
use crate::error::IndexError;
use crate::extract::MessageKind;
use crate::open::Index;
use crate::words::table_of;

/// How many matches of each table are read at most.
pub const MAX_COUNTED: usize = 5000;
/// How many of them are enough if they belong to enough sessions.
pub const ENOUGH_COUNTED: usize = 250;

/// How many matches are wanted: more than enough are read until they belong to as many sessions as can be shown, so that one
/// long session does not hide the others.
#[derive(Clone, Copy)]
pub(super) struct MatchLimits {
    pub(super) messages: usize,
    pub(super) sessions: usize,
}

pub(super) struct Matches {
    /// The messages, the newest of each table first.
    pub(super) rows: Vec<MatchRow>,
    /// The sessions that they belong to.
    pub(super) groups: SessionGroups,
    /// Whether there may be more.
    pub(super) is_more: bool,
}

/// A message that matches.
pub(super) struct MatchRow {
    pub(super) id: i64,
    pub(super) file: i64,
    /// The number of its session.
    pub(super) group: u32,
    pub(super) line: u64,
    pub(super) kind: MessageKind,
    pub(super) millis: Option<i64>,
    block: u32,
    record: Option<u128>,
    bytes: u64,
}

const COLUMNS: &str = "messages.id, messages.file, line, kind, millis, block, uuid, bytes";

fn match_row(row: &Row<'_>) -> rusqlite::Result<MatchRow> {
    let number = |at: usize| row.get_ref(at).map(|value| value.as_i64().unwrap_or_default());
    Ok(MatchRow {
        id: number(0)?,
        file: number(1)?,
        group: 0,
        line: number(2)? as u64,
        kind: MessageKind::from_number(number(3)?).unwrap_or(MessageKind::Context),
        millis: row.get_ref(4)?.as_i64_or_null().ok().flatten(),
        block: number(5)? as u32,
        record: record_number(row.get_ref(6)?),
        bytes: number(7)? as u64,
    })
}

/// A record's id as a number; one that is not a UUID is hashed.
fn record_number(id: ValueRef<'_>) -> Option<u128> {
    let bytes = id.as_bytes().ok()?;
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, bytes).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    Some(<[u8; 16]>::try_from(bytes).map_or_else(|_| half(0) << 64 | half(1), u128::from_be_bytes))
}

impl Index {
    /// The newest matches of each table.
    pub(super) fn matches(&self, query: &Query, limits: MatchLimits) -> Result<Matches, IndexError> {
        let conditions = self.conditions(query)?;
        let enough = ENOUGH_COUNTED.max(limits.messages);
        // The largest limit in SQL.
        let most = MAX_COUNTED.max(limits.messages).min(i64::MAX as usize);
        let (mut rows, mut is_more, mut groups) = (Vec::new(), false, GroupReader::new(self)?);
        for table in tables(query) {
            let (sql, bound) = select(query, &conditions, table, COLUMNS, most);
            let mut statement = self.connection.prepare_cached(&sql)?;
            let mut found = statement.query(params_from_iter(&bound))?;
            let before = rows.len();
            while let Some(row) = found.next()? {
                let mut row = match_row(row)?;
                row.group = groups.group_of(row.file)?;
                rows.push(row);
                let count = rows.len() - before;
                if count >= most || (count >= enough && groups.len() >= limits.sessions) {
                    is_more = true;
                    break;
                }
            }
            if query.expression().is_none() {
                break;
            }
        }
        let mut groups = groups.finish();
        self.settle_history(&mut rows, &mut groups)?;
        leave_out_copies(&mut rows, &groups);
        Ok(Matches { rows, groups, is_more })
    }

    /// How many messages match, with their copies; at most `limit` of each table are counted.
    pub fn match_count(&self, query: &Query, limit: usize) -> Result<u64, IndexError> {
        let conditions = self.conditions(query)?;
        let mut count = 0;
        for table in tables(query) {
            let (sql, bound) = match (query.expression(), conditions.0.is_empty()) {
                // Their rows need not be looked at.
                (Some(words), true) => (
                    format!("SELECT 1 FROM {table} WHERE {table} MATCH ? LIMIT {limit}"),
                    vec![Sql::Text(words)],
                ),
                _ => select(query, &conditions, table, "1", limit),
            };
            let sql = format!("SELECT count(*) FROM ({sql})");
            let counted: i64 = self
                .connection
                .prepare_cached(&sql)?
                .query_row(params_from_iter(&bound), |row| row.get(0))?;
            count += counted as u64;
            if query.expression().is_none() {
                break;
            }
        }
        Ok(count)
    }

    /// Whether any message matches.
    pub fn is_matched(&self, query: &Query) -> Result<bool, IndexError> {
        let conditions = self.conditions(query)?;
        for table in tables(query) {
            let (sql, bound) = select(query, &conditions, table, "1", 1);
            if self.connection.prepare_cached(&sql)?.exists(params_from_iter(&bound))? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The statement that selects the newest matches of a table, and its values.
fn select(
    query: &Query,
    (conditions, values): &(Vec<String>, Vec<Sql>),
    table: &str,
    columns: &str,
    limit: usize,
) -> (String, Vec<Sql>) {
    let (mut wheres, mut bound) = (conditions.clone(), Vec::new());
    let (from, order) = match query.expression() {
        Some(expression) => {
            wheres.insert(0, format!("{table} MATCH ?"));
            bound.push(Sql::Text(expression));
            (format!("{table} JOIN messages ON messages.id = {table}.rowid"), format!("{table}.rowid"))
        }
        None => ("messages".to_owned(), "messages.id".to_owned()),
    };
    bound.extend(values.iter().cloned());
    let wheres = if wheres.is_empty() { "1".to_owned() } else { wheres.join(" AND ") };
    let sql = format!("SELECT {columns} FROM {from} WHERE {wheres} ORDER BY {order} DESC LIMIT {limit}");
    (sql, bound)
}

impl Matches {
    /// The scores of all rows with their places, best first; equals stay in their order.
    pub(super) fn ranked(&self, now: i64) -> Vec<(f64, usize)> {
        let score = |(at, row): (usize, &MatchRow)| (score(row.kind, row.millis, now, 0.0), at);
        let mut ranked: Vec<(f64, usize)> = self.rows.iter().enumerate().map(score).collect();
        ranked.sort_unstable_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
        ranked
    }

    /// How many messages of each session match.
    pub(super) fn counts(&self) -> Vec<u64> {
        let mut counts = vec![0; self.groups.len()];
        for row in &self.rows {
            counts[row.group as usize] += 1;
        }
        counts
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

/// What makes two messages the same one, as numbers.
///
/// A record keeps its id and its time when a session is forked, or resumed by a client that copies. Block and length tell the
/// messages of a record apart, and records of programs that give the same id twice. Clients write the title again and again: one
/// of these lengths for each session.
type MessageIdentity = (u128, u32, Option<i64>, u64);

fn identity(row: &MatchRow) -> Option<MessageIdentity> {
    match (row.kind, row.record) {
        (MessageKind::Title, _) => Some((u128::from(row.group), u32::MAX, None, row.bytes)),
        (_, Some(record)) => Some((record, row.block, row.millis, row.bytes)),
        _ => None,
    }
}

/// Keeps one of each message: one whose file is there, and of these the one that was indexed first.
fn leave_out_copies(rows: &mut Vec<MatchRow>, groups: &SessionGroups) {
    let rank = |row: &MatchRow| {
        // The last of repeated titles is the one that holds.
        let line = if row.kind == MessageKind::Title { u64::MAX - row.line } else { row.line };
        (!groups.is_there(row.file), row.file, line)
    };
    let numbered = rows.iter().enumerate();
    let mut order: Vec<(MessageIdentity, usize)> =
        numbered.filter_map(|(at, row)| Some((identity(row)?, at))).collect();
    order.sort_unstable();
    let mut is_copy = vec![false; rows.len()];
    for same in order.chunk_by(|left, right| left.0 == right.0).filter(|same| same.len() > 1) {
        let kept = same.iter().map(|(_, at)| *at).min_by_key(|&at| rank(&rows[at]));
        for &(_, at) in same {
            is_copy[at] = Some(at) != kept;
        }
    }
    let mut copies = is_copy.into_iter();
    rows.retain(|_| copies.next() != Some(true));
}
