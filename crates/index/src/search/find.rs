//! Runs a query against the index: the best hits, or the best sessions with their best passages.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use annals_store::parallel;

use super::highlight::Highlighter;
use super::hit::{Candidate, HitFile, SearchResults};
use super::matches::Matches;
use super::query::Query;
use super::score::{score, session_score};
use super::session_hits::{SessionHits, SessionLimits, SessionResults};
use super::snippet::{TextSource, snippet};
use crate::error::IndexError;
use crate::extract::{IndexedFileRole, MessageKind};
use crate::open::Index;

/// How many texts beyond the limit are read to score them again.
const EXTRA_READ: usize = 8;

/// Finds a copy of a deleted file by its session and its path below the config dir.
type CopyFinder<'f> = dyn FnMut(&str, &str) -> Option<PathBuf> + 'f;

impl Index {
    /// The best `limit` hits. `now` is the time for scoring recency.
    pub fn search(
        &self,
        query: &Query,
        limit: usize,
        now: i64,
        elsewhere: &mut CopyFinder<'_>,
    ) -> Result<SearchResults, IndexError> {
        let Matches { mut candidates, files, is_more } = self.matches(query, limit)?;
        let total = candidates.len() as u64;
        let mut counts: HashMap<String, u64> = HashMap::new();
        for candidate in &candidates {
            *counts.entry(candidate.group(&files).to_owned()).or_default() += 1;
        }
        sort_by_score(&mut candidates, now);
        candidates.truncate(limit.saturating_add(EXTRA_READ));
        self.rescore(&mut candidates, &files, query, now, elsewhere);
        candidates.sort_by(best);
        candidates.truncate(limit);
        let mut hits = Vec::with_capacity(candidates.len());
        for candidate in candidates {
            let of_session = counts.get(candidate.group(&files)).copied().unwrap_or_default();
            let mut hit = self.hit(candidate, &files)?;
            hit.session_hits = of_session;
            hits.push(hit);
        }
        Ok(SearchResults { total, is_more, hits })
    }

    /// The best sessions, each with its best passages: the title, if it matches, and the others by score.
    pub fn search_sessions(
        &self,
        query: &Query,
        limits: SessionLimits,
        now: i64,
        elsewhere: &mut CopyFinder<'_>,
    ) -> Result<SessionResults, IndexError> {
        let Matches { mut candidates, files, is_more } = self.matches(query, 0)?;
        let total = candidates.len() as u64;
        sort_by_score(&mut candidates, now);
        let mut groups: Vec<(String, u64, Vec<Candidate>)> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        let passages = limits.passages.saturating_add(2);
        for candidate in candidates {
            let key = candidate.group(&files);
            let place = match places.get(key) {
                Some(place) => *place,
                None => {
                    places.insert(key.to_owned(), groups.len());
                    groups.push((key.to_owned(), 0, Vec::new()));
                    groups.len() - 1
                }
            };
            let (_, count, best) = &mut groups[place];
            *count += 1;
            if best.len() < passages {
                best.push(candidate);
            }
        }
        let total_sessions = groups.len() as u64;
        let rank = |count: u64, best: Option<f64>| session_score(best.unwrap_or_default(), count);
        groups.sort_by(|(_, left, left_best), (_, right, right_best)| {
            let score = |best: &[Candidate]| best.first().map(|candidate| candidate.score);
            rank(*right, score(right_best)).total_cmp(&rank(*left, score(left_best)))
        });
        groups.truncate(limits.sessions);
        let counts: HashMap<String, u64> =
            groups.iter().map(|(key, count, _)| (key.clone(), *count)).collect();
        let mut shown: Vec<Candidate> = groups.into_iter().flat_map(|(_, _, best)| best).collect();
        self.rescore(&mut shown, &files, query, now, elsewhere);
        shown.sort_by(best);
        leave_out_repeated_texts(&mut shown, &files);
        let mut sessions: Vec<SessionHits> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        for candidate in shown {
            let key = candidate.group(&files).to_owned();
            let place = *places.entry(key.clone()).or_insert(sessions.len());
            if place == sessions.len() {
                let count = counts.get(&key).copied().unwrap_or_default();
                sessions.push(self.session_hits(&candidate, &files, count)?);
            }
            let session = &mut sessions[place];
            let is_title = candidate.kind == MessageKind::Title;
            if is_title && session.title_hit.is_none() {
                session.title_hit = Some(self.hit(candidate, &files)?);
            } else if !is_title && session.hits.len() < limits.passages {
                session.hits.push(self.hit(candidate, &files)?);
            }
        }
        sessions.sort_by(|left, right| {
            let score = |session: &SessionHits| {
                let best = session.title_hit.iter().chain(&session.hits).map(|hit| hit.score);
                rank(session.count, best.max_by(f64::total_cmp))
            };
            score(right).total_cmp(&score(left))
        });
        Ok(SessionResults { total, total_sessions, is_more, sessions })
    }

    /// Reads the texts of the best candidates and scores them again.
    fn rescore(
        &self,
        candidates: &mut [Candidate],
        files: &HashMap<i64, HitFile>,
        query: &Query,
        now: i64,
        elsewhere: &mut CopyFinder<'_>,
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

fn best(left: &Candidate, right: &Candidate) -> std::cmp::Ordering {
    right.score.total_cmp(&left.score)
}

fn sort_by_score(candidates: &mut [Candidate], now: i64) {
    for candidate in &mut *candidates {
        candidate.score = score(candidate.kind, candidate.millis, now, 0.0);
    }
    candidates.sort_by(best);
}

/// Leaves out passages that read the same as a better one of the same session and kind.
fn leave_out_repeated_texts(candidates: &mut Vec<Candidate>, files: &HashMap<i64, HitFile>) {
    let mut seen = HashSet::new();
    candidates.retain(|candidate| {
        let text = candidate.snippet.text.clone();
        text.is_empty() || seen.insert((candidate.group(files).to_owned(), candidate.kind, text))
    });
}
