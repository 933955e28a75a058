//! Runs a query against the index.

use std::collections::HashMap;
use std::path::PathBuf;

use annals_store::parallel;
use rusqlite::params_from_iter;
use rusqlite::types::Value as Sql;

use super::highlight::Highlighter;
use super::hit::{COLUMNS, Candidate, HitFile, SearchResults, candidate};
use super::query::{Filter, Query};
use super::score::score;
use super::snippet::{TextSource, snippet};
use crate::error::IndexError;
use crate::extract::{IndexedFileRole, MessageKind};
use crate::open::Index;
use crate::words::table_of;

/// How many of the newest matches of each table are scored; the rest are only counted.
const MAX_SCORED: usize = 120;
/// How many texts beyond the limit are read to score them again.
const EXTRA_READ: usize = 8;
/// How many matches of each table are counted at most; with filters, which must look at every message, fewer.
pub const MAX_COUNTED: usize = 1000;
const MAX_COUNTED_FILTERED: usize = 300;

impl Index {
    /// The best `limit` hits. `now` is the time for scoring recency; `elsewhere` finds a copy of a deleted file by its
    /// session and its path relative to the config dir.
    pub fn search(
        &self,
        query: &Query,
        limit: usize,
        now: i64,
        elsewhere: &mut dyn FnMut(&str, &str) -> Option<PathBuf>,
    ) -> Result<SearchResults, IndexError> {
        // The largest limit in SQL.
        let limit = limit.min(i64::MAX as usize);
        let (conditions, values) = self.conditions(query)?;
        let mut candidates = Vec::new();
        let (mut total, mut is_more) = (0, false);
        let counted = if conditions.is_empty() { MAX_COUNTED } else { MAX_COUNTED_FILTERED };
        let (scored, most) = (MAX_SCORED.max(limit), counted.max(limit));
        for table in tables(query) {
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
            // With filters the rows are read and counted on the way; without them counting the words is enough.
            let is_word_alone = conditions.is_empty() && query.expression().is_some();
            let read = if is_word_alone { scored } else { most.max(scored) };
            let sql =
                format!("SELECT {COLUMNS} FROM {from} WHERE {wheres} ORDER BY {order} DESC LIMIT {read}");
            let mut statement = self.connection.prepare_cached(&sql)?;
            let mut rows = statement.query(params_from_iter(&bound))?;
            let (mut found, mut count) = (Vec::new(), 0_u64);
            while let Some(row) = rows.next()? {
                count += 1;
                if found.len() < scored {
                    found.push(candidate(row)?);
                }
            }
            if is_word_alone && found.len() == scored {
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
        total -= self.settle_history(&mut candidates, &files)?.min(total);
        candidates.truncate(limit.saturating_add(EXTRA_READ));
        self.rescore(&mut candidates, &files, query, now, elsewhere);
        candidates.sort_by(best);
        candidates.truncate(limit);
        let hits =
            candidates.into_iter().map(|candidate| self.hit(candidate, &files)).collect::<Result<_, _>>()?;
        Ok(SearchResults { total, is_more, hits })
    }

    /// Reads the texts of the best candidates and scores them again.
    fn rescore(
        &self,
        candidates: &mut [Candidate],
        files: &HashMap<i64, HitFile>,
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
            let role = file.map_or(IndexedFileRole::Session, |file| file.role);
            let Candidate { offset, length, block, .. } = *candidate;
            sources.push(path.map(|file| TextSource { file, role, offset, length, block }));
        }
        let looked = parallel::map(&sources, |source| {
            source.as_ref().and_then(TextSource::text).map(|text| snippet(&text, &highlighter))
        });
        for (candidate, found) in candidates.iter_mut().zip(looked) {
            let Some((marked, coverage)) = found else { continue };
            candidate.snippet = marked;
            let coverage = (coverage as f64 / wanted).min(1.0);
            candidate.score = score(candidate.kind, candidate.millis, now, coverage);
        }
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
        if !query.filters.iter().all(is_wanted) {
            continue;
        }
        if !tables.contains(&table_of(kind)) {
            tables.push(table_of(kind));
        }
    }
    tables
}
