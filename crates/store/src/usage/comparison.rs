//! Compares the client's own figures with ours, and explains differences.

use std::collections::{BTreeMap, BTreeSet};

use annals_transcript::price::{Prices, Usd};
use annals_transcript::usage::{
    ClientCost, LedgerEntry, NO_MODEL, Thread, Tokens, UsageItem, UsageRow, UsageSource,
};

use super::StoreUsage;
use crate::key::SessionKey;
use crate::stats_cache::StatsCache;

/// Why two figures differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum MismatchReason {
    /// They do not.
    None,
    /// The tokens are the same, and priced otherwise.
    Prices,
    /// The client has left out sub-agents; without them the tokens are the same.
    SubAgents,
    /// The client has counted copied lines in each file; with them the tokens are the same.
    Copies,
    /// Responses came after the client's record; without them the tokens are the same.
    Later,
    /// The client has more of every class: files that are gone, or requests that left no line.
    ClientHasMore,
    /// We have more of every class: the client skipped files, or recorded before they were complete.
    WeHaveMore,
    /// Some classes are more and some are less.
    Mixed,
}

impl MismatchReason {
    /// A word for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Prices => "prices",
            Self::SubAgents => "sub-agents",
            Self::Copies => "copies",
            Self::Later => "later",
            Self::ClientHasMore => "client-has-more",
            Self::WeHaveMore => "we-have-more",
            Self::Mixed => "mixed",
        }
    }

    /// The reason, for people.
    pub fn explanation(self) -> &'static str {
        match self {
            Self::None => "the same",
            Self::Prices => "the same tokens at other prices",
            Self::SubAgents => "the client leaves out sub-agents; without them it is the same",
            Self::Copies => "the client counts copies in forks again; with them it is the same",
            Self::Later => "the client's record lacks what came after it; without that it is the same",
            Self::ClientHasMore => "sessions deleted from the store, or requests that are not recorded",
            Self::WeHaveMore => "the client did not count everything in the files",
            Self::Mixed => "more of some and less of others: several reasons together",
        }
    }
}

/// One figure of the client compared with ours.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct UsageComparison {
    /// The model or the session.
    pub key: String,
    /// Our tokens.
    pub ours: Tokens,
    /// Our cost.
    pub our_usd: f64,
    /// The client's tokens; cache writes are not split there, and count as five minutes.
    pub theirs: Tokens,
    /// The client's cost; zero if missing.
    pub their_usd: f64,
    /// Why they differ.
    pub reason: MismatchReason,
    /// Models that the client counts but without responses in the files.
    pub only_theirs: BTreeSet<String>,
}

/// `stats-cache.json` compared with our figures.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct StatsComparison {
    /// The last day that the client has counted, as `2026-01-31`.
    pub computed: Option<String>,
    /// By model, over the days that the client has counted.
    pub models: Vec<UsageComparison>,
    /// What our account has after that day.
    pub after: UsageRow,
    /// When the client saw the first session, in milliseconds since 1970.
    pub first_theirs: Option<i64>,
    /// The time of the first response in our account.
    pub first_ours: Option<i64>,
}

/// Compares `stats-cache.json` with our account; `day` returns the local day of a time.
pub fn compare_stats_cache(
    stats: &StatsCache<'_>,
    usage: &StoreUsage,
    prices: &Prices,
    day: impl Fn(i64) -> String,
) -> StatsComparison {
    let computed = stats.last_computed_date().map(|text| text.to_string());
    let is_counted = |millis: Option<i64>| match (&computed, millis) {
        (Some(last), Some(millis)) => day(millis) <= *last,
        _ => true,
    };
    let mut ours: BTreeMap<String, UsageTotals> = BTreeMap::new();
    let mut found = StatsComparison { after: UsageRow::new("after"), ..StatsComparison::default() };
    for entry in usage.ledger.entries() {
        found.first_ours = found.first_ours.into_iter().chain(entry.usage.millis).min();
        if is_counted(entry.usage.millis) {
            note(&mut ours, entry, usage, prices);
        } else {
            entry.usage.charges().for_each(|charge| found.after.add(&charge, prices));
        }
    }
    let mut theirs: BTreeMap<String, (Tokens, f64)> = BTreeMap::new();
    for (model, noted) in stats.models() {
        let tokens = Tokens {
            input: noted.input().unwrap_or(0),
            output: noted.output().unwrap_or(0),
            cache_read: noted.cache_read().unwrap_or(0),
            cache_write_5m: noted.cache_creation().unwrap_or(0),
            web_searches: noted.web_searches().unwrap_or(0),
            ..Tokens::default()
        };
        theirs.insert(model.to_string(), (tokens, noted.cost_usd().unwrap_or(0.0)));
    }
    let names: BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
    let none = UsageTotals::default();
    for name in names {
        let (tokens, usd) = theirs.get(name).copied().unwrap_or_default();
        found.models.push(ours.get(name).unwrap_or(&none).comparison(name.clone(), tokens, usd));
    }
    found.first_theirs = stats.first_session_date().and_then(|time| time.millis());
    found.computed = computed;
    found
}

/// Compares the `cost-state` of each session that has one with our account of it and its sub-agents.
pub fn compare_noted_costs(
    noted: &[(SessionKey, ClientCost)],
    usage: &StoreUsage,
    prices: &Prices,
) -> Vec<UsageComparison> {
    let wanted: BTreeMap<&str, &ClientCost> = noted.iter().map(|(key, cost)| (key.as_str(), cost)).collect();
    let mut ours: BTreeMap<&str, (UsageTotals, BTreeSet<String>)> = BTreeMap::new();
    for entry in usage.ledger.entries() {
        let Some(source) = usage.sources.get(entry.file.get()) else { continue };
        let Some(cost) = wanted.get(&*source.session) else { continue };
        let (totals, models) = ours.entry(&source.session).or_default();
        let is_later = source.thread == Thread::Main && entry.usage.position > cost.offset;
        for charge in entry.usage.charges() {
            let item = UsageItem::of(entry.file, &charge, charge.model.and_then(|model| prices.find(model)));
            models.insert(charge.model.map_or(NO_MODEL, |name| name).to_owned());
            totals.add(&item, entry, Requester::of(source, entry));
            if !is_later {
                totals.earlier += item.tokens;
            }
        }
    }
    let mut found = Vec::new();
    for (session, cost) in wanted {
        let (totals, models) = ours.remove(session).unwrap_or_default();
        let theirs = cost.models.values().map(|(tokens, _)| *tokens).sum();
        let mut comparison = totals.comparison(session.to_owned(), theirs, cost.usd);
        comparison.only_theirs = cost.models.keys().filter(|name| !models.contains(*name)).cloned().collect();
        found.push(comparison);
    }
    found
}

/// The same responses, counted in several ways.
#[derive(Clone, Copy, Debug, Default)]
struct UsageTotals {
    tokens: Tokens,
    cost: Usd,
    without_agents: Tokens,
    with_copies: Tokens,
    earlier: Tokens,
}

/// The kind of thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Requester {
    Conversation,
    SubAgent,
}

impl Requester {
    fn of(source: &UsageSource, entry: &LedgerEntry) -> Self {
        if source.thread == Thread::Main && !entry.usage.is_sidechain {
            Self::Conversation
        } else {
            Self::SubAgent
        }
    }
}

fn note(ours: &mut BTreeMap<String, UsageTotals>, entry: &LedgerEntry, usage: &StoreUsage, prices: &Prices) {
    let source = usage.sources.get(entry.file.get());
    let requester = source.map_or(Requester::Conversation, |source| Requester::of(source, entry));
    for charge in entry.usage.charges() {
        let item = UsageItem::of(entry.file, &charge, charge.model.and_then(|model| prices.find(model)));
        let name = charge.model.map_or(NO_MODEL, |name| name);
        if !ours.contains_key(name) {
            ours.insert(name.to_owned(), UsageTotals::default());
        }
        if let Some(totals) = ours.get_mut(name) {
            totals.add(&item, entry, requester);
            totals.earlier += item.tokens;
        }
    }
}

impl UsageTotals {
    fn add(&mut self, item: &UsageItem, entry: &LedgerEntry, requester: Requester) {
        self.tokens += item.tokens;
        self.cost += item.cost;
        (0..entry.files).for_each(|_| self.with_copies += item.tokens);
        if requester == Requester::Conversation {
            self.without_agents += item.tokens;
        }
    }

    fn comparison(&self, key: String, theirs: Tokens, their_usd: f64) -> UsageComparison {
        let our_usd = self.cost.dollars();
        let is_same = |ours: &Tokens| classes(ours) == classes(&theirs);
        // Nothing at all is no way of counting.
        let explains = |ours: &Tokens| is_same(ours) && classes(ours) != [0; 4];
        let is_same_price = their_usd == 0.0 || (our_usd - their_usd).abs() < 0.005;
        let pairs = classes(&self.tokens).into_iter().zip(classes(&theirs));
        let reason = if is_same(&self.tokens) {
            if is_same_price { MismatchReason::None } else { MismatchReason::Prices }
        } else if explains(&self.without_agents) {
            MismatchReason::SubAgents
        } else if explains(&self.earlier) {
            MismatchReason::Later
        } else if explains(&self.with_copies) {
            MismatchReason::Copies
        } else if pairs.clone().all(|(ours, theirs)| theirs >= ours) {
            MismatchReason::ClientHasMore
        } else if pairs.clone().all(|(ours, theirs)| theirs <= ours) {
            MismatchReason::WeHaveMore
        } else {
            MismatchReason::Mixed
        };
        UsageComparison {
            key,
            ours: self.tokens,
            our_usd,
            theirs,
            their_usd,
            reason,
            only_theirs: BTreeSet::new(),
        }
    }
}

/// The classes that the client distinguishes: it does not split cache writes.
fn classes(tokens: &Tokens) -> [u64; 4] {
    [tokens.input, tokens.output, tokens.cache_read, tokens.cache_write()]
}
