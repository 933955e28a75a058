//! Search: the query language, ranking and snippets of the local search over everybody's messages.

mod conditions;
mod found;
mod hits;

use std::collections::HashMap;

use annals_index::search::{Hit, Query, SearchResults};

use self::found::{FoundLimits, FoundMessages};
use self::hits::HitReader;
use super::scope::Scope;
use super::session_facts::{SessionFacts, facts_of_sessions};
use crate::wire::{Engine, EngineError};

/// How many texts beyond the limit are read to score them again.
const EXTRA_READ: usize = 8;

/// How many hits are read at once: their names are sent with the question.
const MAX_READ: usize = 500;

/// What a search found.
#[derive(Clone, Debug, Default)]
pub struct TeamResults {
    /// The hits; their files are paths below the config dir.
    pub results: SearchResults,
    /// How many sessions match, as far as they were counted.
    pub total_sessions: u64,
    /// The machine of each hit.
    pub machines: Vec<String>,
    /// What is known of their sessions, by id.
    pub sessions: HashMap<String, SessionFacts>,
}

/// The best `limit` hits. `now` is the time for scoring recency.
pub fn search(
    engine: &Engine,
    scope: &Scope,
    query: &Query,
    limit: usize,
    now: i64,
) -> Result<TeamResults, EngineError> {
    let found = FoundMessages::find(engine, scope, query, FoundLimits { messages: limit, sessions: limit })?;
    let counts = found.counts();
    let places: Vec<usize> =
        found.ranked(now).into_iter().take(limit.saturating_add(EXTRA_READ)).map(|(_, at)| at).collect();
    let rows = places.iter().map(|&at| &found.rows[at]).collect::<Vec<_>>();
    let mut hits: Vec<(String, Hit)> = Vec::with_capacity(rows.len());
    for some in rows.chunks(MAX_READ) {
        hits.extend(HitReader::new(engine, some, query)?.hits(some, now));
    }
    hits.sort_by(|(_, left), (_, right)| right.score.total_cmp(&left.score));
    hits.truncate(limit);
    for (_, hit) in &mut hits {
        let group = match hit.session.is_empty() {
            true => hit.file.to_string_lossy().into_owned(),
            false => hit.session.clone(),
        };
        hit.session_hits = counts.get(&group).copied().unwrap_or(1);
    }
    let mut ids: Vec<String> = hits.iter().map(|(_, hit)| hit.session.clone()).collect();
    ids.sort_unstable();
    ids.dedup();
    let sessions = facts_of_sessions(engine, scope, &ids)?;
    let (machines, hits) = hits.into_iter().unzip();
    let total = found.rows.len() as u64;
    let results = SearchResults { total, is_more: found.is_more, hits };
    Ok(TeamResults { results, total_sessions: counts.len() as u64, machines, sessions })
}
