//! The sessions of the stores, with what is known of each; only files that changed are read again.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use annals_store::{Discovery, SessionEntry, Summary, SummaryListing};
use annals_transcript::problem::Severity;
use annals_transcript::usage::{UsageItem, UsageRow, UsageSource};

use super::remote::{self, MAX_REMOTE_AGE};
use super::{ArchivedSession, Library, RemoteError};

/// How long a listing is good for: several fragments of a page ask for it at once.
const MAX_AGE: Duration = Duration::from_millis(500);
/// Points of a sparkline.
pub(crate) const SPARK_POINTS: usize = 24;

/// The sessions of all stores.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// Newest first.
    pub(crate) sessions: Vec<ListedSession>,
    /// Those that only the vault has, the last active first.
    pub(crate) archived: Vec<ArchivedSession>,
    /// What was found in each store.
    pub(crate) discoveries: Vec<Arc<Discovery>>,
    /// Whether costs are known: there is an index.
    pub(crate) has_usage: bool,
    /// What could not be read.
    pub(crate) problems: usize,
    /// Older sessions that are not listed.
    pub(crate) left_out: u64,
    /// Why there is nothing.
    pub(crate) failure: Option<RemoteError>,
}

impl Listing {
    /// Newest first.
    pub(super) fn sort(&mut self) {
        self.sessions.sort_by(|left, right| {
            let key = |session: &ListedSession| session.summary.last_activity();
            key(right).cmp(&key(left)).then_with(|| left.summary.path.cmp(&right.summary.path))
        });
    }
}

#[derive(Clone, Debug)]
pub(crate) struct ListedSession {
    pub(crate) summary: Summary,
    pub(crate) entry: SessionEntry,
    /// The store, by its position.
    pub(crate) store: usize,
    pub(crate) sub_agents: usize,
    pub(crate) usage: Option<UsageRow>,
    /// Cost over the session's time.
    pub(crate) spark: Vec<f64>,
    /// Whether a line is damaged.
    pub(crate) has_errors: bool,
    /// Whether the vault has it.
    pub(crate) is_archived: bool,
    /// Whose it is, if it is of a team.
    pub(crate) person: Option<String>,
    /// Lines that their sender withheld.
    pub(crate) withheld: u64,
}

impl ListedSession {
    /// The name that a person would give it.
    pub(crate) fn title(&self) -> &str {
        let none = if self.summary.bytes == 0 { "(empty)" } else { "(no prompt)" };
        self.summary.display_title().unwrap_or(none)
    }

    /// The project's folder.
    pub(crate) fn project_path(&self) -> &str {
        self.summary.project.as_ref().map_or(self.summary.slug.as_str(), |project| project.path.as_str())
    }

    /// The last part of the project's folder.
    pub(crate) fn project(&self) -> &str {
        let path = self.project_path();
        path.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or(path)
    }

    /// The cost in dollars.
    pub(crate) fn dollars(&self) -> f64 {
        self.usage.as_ref().map_or(0.0, |usage| usage.cost.dollars())
    }
}

/// The last listing, and the summaries that it was made of.
#[derive(Debug, Default)]
pub(super) struct ListingCache {
    last: Option<(Instant, Arc<Listing>)>,
    /// Whether something has changed since.
    is_old: bool,
    /// By store.
    summaries: Vec<SummaryListing>,
}

/// What sessions cost.
#[derive(Default)]
pub(super) struct Spending {
    pub(super) usage: HashMap<String, UsageRow>,
    /// Over the time of each.
    pub(super) sparks: HashMap<String, Vec<f64>>,
}

impl Spending {
    pub(super) fn of(sources: &[UsageSource], items: &[UsageItem]) -> Self {
        let mut found = Self::default();
        let mut spans: HashMap<&str, (i64, i64)> = HashMap::new();
        for item in items {
            let Some(source) = sources.get(item.file.get()) else { continue };
            found.usage.entry(source.session.to_string()).or_default().add_item(item);
            if let Some(millis) = item.millis() {
                let span = spans.entry(&source.session).or_insert((millis, millis));
                *span = (span.0.min(millis), span.1.max(millis));
            }
        }
        for item in items {
            let Some(source) = sources.get(item.file.get()) else { continue };
            let (Some(millis), Some((from, to))) = (item.millis(), spans.get(&*source.session)) else {
                continue;
            };
            let spark =
                found.sparks.entry(source.session.to_string()).or_insert_with(|| vec![0.0; SPARK_POINTS]);
            let at = (millis - from) as f64 / (to - from + 1) as f64 * SPARK_POINTS as f64;
            spark[(at as usize).min(SPARK_POINTS - 1)] += item.cost.dollars();
        }
        found
    }
}

/// What the index knows of the sessions of a store.
#[derive(Default)]
struct IndexedSessions {
    spending: Spending,
    damaged: HashMap<PathBuf, bool>,
}

impl Library {
    /// The sessions of all stores, newest first.
    pub(crate) fn listing(&self) -> Arc<Listing> {
        let mut cache = self.listing.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some((at, listing)) = &cache.last
            && at.elapsed() < self.remote.as_ref().map_or(MAX_AGE, |_| MAX_REMOTE_AGE)
            && !cache.is_old
        {
            return Arc::clone(listing);
        }
        let listing = Arc::new(match &self.remote {
            Some(remote) => remote::list(&**remote),
            None => self.list(&mut cache.summaries),
        });
        // What failed is asked for again at once.
        cache.is_old = listing.failure.is_some();
        cache.last = Some((Instant::now(), Arc::clone(&listing)));
        listing
    }

    /// The last listing however old it is, for what a page loads later: it names the same files.
    pub(crate) fn known_listing(&self) -> Arc<Listing> {
        let cache = self.listing.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let known = cache.last.as_ref().map(|(_, listing)| Arc::clone(listing));
        drop(cache);
        known.unwrap_or_else(|| self.listing())
    }

    /// What a session cost, if it was listed before.
    pub(crate) fn known_usage(&self, session: &str) -> Option<UsageRow> {
        let cache = self.listing.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let (_, listing) = cache.last.as_ref()?;
        listing.sessions.iter().find(|listed| listed.entry.key.as_str() == session)?.usage.clone()
    }

    /// The sessions in which a tool or a request failed, by store and id. All messages are looked at, so only who asks pays.
    pub(crate) fn sessions_with_failures(&self) -> HashSet<(usize, String)> {
        let of_store = |store: usize| {
            let index = self.index_as_it_is(store)?;
            let found = index.sessions_with_failures().ok()?;
            Some(found.into_iter().map(move |session| (store, session)))
        };
        (0..self.stores.len()).filter_map(of_store).flatten().collect()
    }

    /// Forgets the listing, after a change.
    pub(crate) fn forget_listing(&self) {
        let mut cache = self.listing.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        cache.is_old = true;
    }

    fn list(&self, known: &mut Vec<SummaryListing>) -> Listing {
        let mut listing = Listing::default();
        known.resize_with(self.stores.len(), SummaryListing::default);
        for (at, store) in self.stores.iter().enumerate() {
            let discovery = store.discover();
            listing.problems += discovery.problems.len();
            let indexed = self.indexed_sessions(at);
            listing.has_usage |= indexed.is_some();
            let indexed = indexed.unwrap_or_default();
            let archived = self.archived_sessions(store, &discovery);
            listing.archived.extend(archived.gone);
            let mut agents: HashMap<&str, usize> = HashMap::new();
            for session in discovery.agents.iter().filter_map(|agent| agent.session.as_ref()) {
                *agents.entry(session.as_str()).or_default() += 1;
            }
            let (summaries, problems) = known[at].summaries(&discovery);
            listing.problems += problems.len();
            let mut summaries = summaries.into_iter().peekable();
            for entry in &discovery.sessions {
                // What cannot be read has none.
                let Some(summary) = summaries.next_if(|summary| summary.path == entry.path) else { continue };
                let id = entry.key.as_str();
                listing.sessions.push(ListedSession {
                    entry: entry.clone(),
                    store: at,
                    sub_agents: agents.get(id).copied().unwrap_or_default(),
                    usage: indexed.spending.usage.get(id).cloned(),
                    spark: indexed.spending.sparks.get(id).cloned().unwrap_or_default(),
                    has_errors: indexed.damaged.get(&entry.path).copied().unwrap_or_default(),
                    is_archived: archived.ids.contains(id),
                    person: None,
                    withheld: 0,
                    summary,
                });
            }
            listing.discoveries.push(Arc::new(discovery));
        }
        listing
            .archived
            .sort_by(|left, right| right.active.cmp(&left.active).then_with(|| left.id.cmp(&right.id)));
        listing.sort();
        listing
    }

    /// Usage and problems by session; `None` without an index.
    fn indexed_sessions(&self, store: usize) -> Option<IndexedSessions> {
        let index = self.index_as_it_is(store)?;
        let (sources, items) = index.usage().ok()?;
        let mut found =
            IndexedSessions { spending: Spending::of(&sources, &items), ..IndexedSessions::default() };
        for (path, kinds) in index.irregular_sessions().ok()? {
            let is_damaged = kinds.iter().any(|kind| kind.severity() >= Severity::Warning);
            found.damaged.insert(path, is_damaged);
        }
        Some(found)
    }
}
