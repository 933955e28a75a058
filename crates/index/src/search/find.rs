//! Runs a query against the index: the best hits, or the best sessions with their best passages.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use annals_store::parallel;

use super::highlight::Highlighter;
use super::hit::{Candidate, Hit, HitFiles, SearchResults};
use super::matches::{MatchLimits, Matches};
use super::query::Query;
use super::score::{MAX_COVERAGE, score, session_score};
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
        let matches = self.matches(query, MatchLimits { messages: limit, sessions: limit })?;
        let counts = matches.counts();
        let ranked = matches.ranked(now);
        let read = ranked.iter().take(limit.saturating_add(EXTRA_READ)).map(|(_, at)| *at);
        let (mut candidates, files) = self.candidates(&matches, read)?;
        self.rescore(&mut candidates, &files, query, now, elsewhere);
        candidates.sort_by(best);
        candidates.truncate(limit);
        let mut hits = Vec::with_capacity(candidates.len());
        for candidate in candidates {
            let session_hits = counts[candidate.group as usize];
            hits.push(Hit { session_hits, ..self.hit(candidate, &files)? });
        }
        Ok(SearchResults { total: matches.rows.len() as u64, is_more: matches.is_more, hits })
    }

    /// The best sessions, each with its best passages: the title, if it matches, and the others by score.
    pub fn search_sessions(
        &self,
        query: &Query,
        limits: SessionLimits,
        now: i64,
        elsewhere: &mut CopyFinder<'_>,
    ) -> Result<SessionResults, IndexError> {
        let matches = self.matches(query, MatchLimits { messages: 0, sessions: limits.sessions })?;
        let counts = matches.counts();
        let mut groups = best_of_groups(&matches, now, limits.passages);
        let total_sessions = groups.len() as u64;
        let rank = |group: u32, best: f64| session_score(best, counts[group as usize]);
        groups
            .sort_by(|left, right| rank(right.number, right.score).total_cmp(&rank(left.number, left.score)));
        groups.truncate(limits.sessions);
        let places = groups.iter().flat_map(|group| group.places.iter().copied());
        let (mut shown, mut files) = self.candidates(&matches, places)?;
        self.rescore(&mut shown, &files, query, now, elsewhere);
        settle(&mut shown);
        let more = groups.iter().filter(|group| group.can_change(&shown, limits.passages));
        let more: Vec<usize> = more.flat_map(|group| group.spare.iter().map(|(_, at)| *at)).collect();
        if !more.is_empty() {
            let (mut others, theirs) = self.candidates(&matches, more.into_iter())?;
            self.rescore(&mut others, &theirs, query, now, elsewhere);
            files.extend(theirs);
            shown.extend(others);
            settle(&mut shown);
        }
        // Best first, so the score of a session is that of its first candidate.
        let mut sessions: Vec<(f64, SessionHits)> = Vec::new();
        let mut places: HashMap<u32, usize> = HashMap::new();
        for candidate in shown {
            let place = *places.entry(candidate.group).or_insert(sessions.len());
            if place == sessions.len() {
                let count = counts[candidate.group as usize];
                let score = rank(candidate.group, candidate.score);
                sessions.push((score, self.session_hits(&candidate, &files, count)?));
            }
            let (_, session) = &mut sessions[place];
            let is_title = candidate.kind == MessageKind::Title;
            if is_title && session.title_hit.is_none() {
                session.title_hit = Some(self.hit(candidate, &files)?);
            } else if !is_title && session.hits.len() < limits.passages {
                session.hits.push(self.hit(candidate, &files)?);
            }
        }
        sessions.sort_by(|(left, _), (right, _)| right.total_cmp(left));
        let sessions = sessions.into_iter().map(|(_, session)| session).collect();
        let total = matches.rows.len() as u64;
        Ok(SessionResults { total, total_sessions, is_more: matches.is_more, sessions })
    }

    /// Reads the texts of the best candidates and scores them again.
    fn rescore(
        &self,
        candidates: &mut [Candidate],
        files: &HitFiles,
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
            let coverage = (coverage as f64 / wanted).min(MAX_COVERAGE);
            candidate.score = score(candidate.kind, candidate.millis, now, coverage);
        }
    }
}

fn best(left: &Candidate, right: &Candidate) -> std::cmp::Ordering {
    right.score.total_cmp(&left.score)
}

/// The best matches of a session.
struct GroupBest {
    number: u32,
    score: f64,
    /// Their places, best first; one of them is a title at most.
    places: Vec<usize>,
    has_title: bool,
    /// The next ones with their scores, for passages that turn out to read the same, or worse.
    spare: Vec<(f64, usize)>,
}

impl GroupBest {
    /// Whether the spare ones can change which passages are shown: there is room, or one may be better than the last.
    fn can_change(&self, shown: &[Candidate], max_passages: usize) -> bool {
        let Some((best_spare, _)) = self.spare.first() else { return false };
        let is_ours =
            |candidate: &&Candidate| candidate.group == self.number && candidate.kind != MessageKind::Title;
        let last = shown.iter().filter(is_ours).nth(max_passages.saturating_sub(1));
        last.is_none_or(|last| best_spare + MAX_COVERAGE > last.score)
    }
}

/// How many matches of a session are kept to replace others.
const MAX_SPARE: usize = 2;

/// The best matches of each session, the session with the best of all first. Titles take no place from passages.
fn best_of_groups(matches: &Matches, now: i64, max_passages: usize) -> Vec<GroupBest> {
    let mut groups: Vec<GroupBest> = Vec::new();
    let mut numbers = vec![None; matches.groups.len()];
    for (score, at) in matches.ranked(now) {
        let number = matches.rows[at].group;
        let place = *numbers[number as usize].get_or_insert_with(|| {
            let (places, spare) = (Vec::new(), Vec::new());
            groups.push(GroupBest { number, score, places, has_title: false, spare });
            groups.len() - 1
        });
        let group = &mut groups[place];
        let is_title = matches.rows[at].kind == MessageKind::Title;
        let is_taken = match is_title {
            true => !group.has_title,
            false => group.places.len() - usize::from(group.has_title) < max_passages,
        };
        if is_taken {
            group.places.push(at);
            group.has_title |= is_title;
        } else if !is_title && group.spare.len() < MAX_SPARE {
            group.spare.push((score, at));
        }
    }
    groups
}

/// Sorts candidates, the best first, and drops passages that repeat a better one of the same session: the last message of a sub-agent
/// is also the result of its call. Titles are compared with titles only.
fn settle(candidates: &mut Vec<Candidate>) {
    candidates.sort_by(best);
    let mut seen = HashSet::new();
    candidates.retain(|candidate| {
        let text = candidate.snippet.text.clone();
        text.is_empty() || seen.insert((candidate.group, candidate.kind == MessageKind::Title, text))
    });
}
