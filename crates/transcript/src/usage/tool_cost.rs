//! Estimates what tool results cost in later requests, which carry them in their context.
//!
//! A result is as many tokens as its [`ToolTimeline`] takes it for. From the request after it
//! until a compaction, or the end of the file, every request of its thread carries it. The first one writes it to the cache,
//! or sends it as fresh input; later ones read it. The file says how much each request really read: where that is
//! less than all older results together, the rest was sent again. Never is more counted than the request's own tokens of a
//! class, so all tools together cost no more than the input did.
//!
//! Requests are the responses of the account, each once over the store, at the prices that they had. Lines are taken in
//! the order of the file: what a person has rewound is carried as if it had stayed.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::item::{Certainty, Thread, UsageItem};
use super::ledger::{FileIndex, UsageLedger};
use super::report::UsageRow;
use super::response::ResponseUsage;
use super::tokens::Tokens;
use super::tool_timeline::{NO_TOOL, ToolEvent, ToolTimeline};
use crate::id_hash::IdHash;
use crate::price::{Prices, Rates, Usd};

/// The calls, results and estimated cost of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolUsage {
    /// Calls; those that forks have copied count once.
    pub calls: u64,
    /// Calls that failed.
    pub errors: u64,
    /// Estimated tokens of the results.
    pub result_tokens: u64,
    /// The estimated part of the input of later requests. `responses` are the requests that carried any result.
    pub carried: UsageRow,
}

/// The cost of all tools.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolReport {
    /// By name.
    pub tools: BTreeMap<Arc<str>, ToolUsage>,
    /// Their sum; its responses are the requests that carried any result.
    pub total: ToolUsage,
}

/// Selects files, calls and requests to count.
pub trait ToolFilter {
    /// Whether a file counts.
    fn keeps_file(&self, file: FileIndex) -> bool;
    /// Whether a call at this time counts.
    fn keeps_call(&self, millis: Option<i64>) -> bool;
    /// Whether a request counts.
    fn keeps_request(&self, response: &ResponseUsage) -> bool;
}

/// Counts everything.
#[derive(Clone, Copy, Debug)]
pub struct KeepAll;

impl ToolFilter for KeepAll {
    fn keeps_file(&self, _: FileIndex) -> bool {
        true
    }

    fn keeps_call(&self, _: Option<i64>) -> bool {
        true
    }

    fn keeps_request(&self, _: &ResponseUsage) -> bool {
        true
    }
}

/// Computes the cost of the tools of these files. The timelines are those of the ledger's files, by index.
pub fn tool_report(
    trails: &[ToolTimeline],
    ledger: &UsageLedger,
    prices: &Prices,
    filter: &impl ToolFilter,
) -> ToolReport {
    let mut sums = ToolSums::default();
    let (mut called, mut answered) = (HashSet::new(), HashSet::new());
    for (number, trail) in trails.iter().enumerate() {
        let file = FileIndex::new(number);
        let is_kept = filter.keeps_file(file);
        let tools: HashMap<IdHash, (ToolSlot, bool)> = trail
            .events
            .iter()
            .filter_map(|event| match event {
                ToolEvent::Call { id, tool, millis } => {
                    Some((*id, (sums.tool(tool), filter.keeps_call(*millis))))
                }
                _ => None,
            })
            .collect();
        let (mut seen, mut requested) = (HashSet::new(), HashSet::new());
        let mut contexts: HashMap<IdHash, ContextResults> = HashMap::new();
        for event in &trail.events {
            match event {
                ToolEvent::Call { id, .. } => {
                    if let Some((tool, true)) = tools.get(id)
                        && called.insert(*id)
                        && is_kept
                    {
                        sums.of(*tool).calls += 1;
                    }
                }
                ToolEvent::Result { id, tokens, is_error, thread } => {
                    if !seen.insert(*id) {
                        continue;
                    }
                    let (tool, counts) =
                        tools.get(id).copied().unwrap_or_else(|| (sums.tool(&NO_TOOL.into()), true));
                    if answered.insert(*id) && is_kept && counts {
                        let usage = sums.of(tool);
                        usage.errors += u64::from(*is_error);
                        usage.result_tokens += tokens;
                    }
                    contexts.entry(*thread).or_default().entry(tool).or_default().new += tokens;
                }
                ToolEvent::Compaction { thread } => {
                    contexts.remove(thread);
                }
                ToolEvent::Request { key, thread } => {
                    if !requested.insert(*key) {
                        continue;
                    }
                    let Some(context) = contexts.get_mut(thread) else { continue };
                    let entry = ledger.get(*key).filter(|entry| entry.file == file);
                    if let Some(entry) = entry.filter(|entry| is_kept && filter.keeps_request(&entry.usage)) {
                        sums.carry(context, &PricedRequest::new(&entry.usage, prices));
                    }
                    for results in context.values_mut() {
                        results.old += std::mem::take(&mut results.new);
                    }
                }
            }
        }
    }
    sums.finish()
}

/// The index of a tool among the sums.
type ToolSlot = usize;

/// The results of a tool in a context: those that the last request had, and those since.
#[derive(Clone, Copy, Debug, Default)]
struct ResultTokens {
    old: u64,
    new: u64,
}

type ContextResults = BTreeMap<ToolSlot, ResultTokens>;

/// Builds a report.
#[derive(Debug, Default)]
struct ToolSums {
    places: HashMap<Arc<str>, ToolSlot>,
    tools: Vec<(Arc<str>, ToolUsage)>,
    carried: UsageRow,
}

impl ToolSums {
    fn tool(&mut self, name: &Arc<str>) -> ToolSlot {
        if let Some(place) = self.places.get(name) {
            return *place;
        }
        let usage = ToolUsage { carried: UsageRow::new(&**name), ..ToolUsage::default() };
        self.places.insert(Arc::clone(name), self.tools.len());
        self.tools.push((Arc::clone(name), usage));
        self.tools.len() - 1
    }

    fn of(&mut self, tool: ToolSlot) -> &mut ToolUsage {
        &mut self.tools[tool].1
    }

    /// Adds a request that carries the results in its context.
    fn carry(&mut self, context: &ContextResults, request: &PricedRequest<'_>) {
        let actual = &request.response.reading.tokens;
        let old: u64 = context.values().map(|results| results.old).sum();
        let new: u64 = context.values().map(|results| results.new).sum();
        let read = old.min(actual.cache_read);
        let rest = old - read + new;
        let fresh = rest.min(actual.context() - actual.cache_read.min(actual.context()));
        let (mut all_read, mut all_fresh) = (0, 0);
        for (tool, results) in context {
            let own_read = share_of(results.old, read, old);
            let own_fresh = share_of(results.old - own_read + results.new, fresh, rest);
            if own_read + own_fresh > 0 {
                self.of(*tool).carried.add_item(&request.item(own_read, own_fresh));
                all_read += own_read;
                all_fresh += own_fresh;
            }
        }
        if all_read + all_fresh > 0 {
            // Prices are by the token, so that the price of all is that of the parts.
            self.carried.add_item(&request.item(all_read, all_fresh));
        }
    }

    /// Drops tools without any counts.
    fn finish(self) -> ToolReport {
        let carried = UsageRow { key: "total".to_owned(), ..self.carried };
        let mut report =
            ToolReport { total: ToolUsage { carried, ..ToolUsage::default() }, ..ToolReport::default() };
        for (name, usage) in self.tools {
            report.total.calls += usage.calls;
            report.total.errors += usage.errors;
            report.total.result_tokens += usage.result_tokens;
            if usage.calls + usage.errors + usage.result_tokens + usage.carried.responses > 0 {
                report.tools.insert(name, usage);
            }
        }
        report
    }
}

/// `amount` times `share` of `whole`, rounded down.
fn share_of(amount: u64, share: u64, whole: u64) -> u64 {
    if whole == 0 { 0 } else { (u128::from(amount) * u128::from(share) / u128::from(whole)) as u64 }
}

/// A request with its prices.
struct PricedRequest<'a> {
    response: &'a ResponseUsage,
    rates: Option<&'a Rates>,
}

impl<'a> PricedRequest<'a> {
    fn new(response: &'a ResponseUsage, prices: &'a Prices) -> Self {
        let reading = &response.reading;
        let found = reading.model.as_deref().and_then(|model| prices.find(model));
        let rates = found.map(|found| found.rates(reading.tokens.context(), reading.tier));
        Self { response, rates }
    }

    /// A part of its input, with its cost.
    fn item(&self, read: u64, fresh: u64) -> UsageItem {
        let reading = &self.response.reading;
        let actual = &reading.tokens;
        let mut tokens = Tokens { cache_read: read, ..Tokens::default() };
        // What is not read is nearly always written; which class, the request says.
        if actual.cache_write_1h > actual.cache_write_5m.max(actual.input) {
            tokens.cache_write_1h = fresh;
        } else if actual.cache_write_5m >= actual.input {
            tokens.cache_write_5m = fresh;
        } else {
            tokens.input = fresh;
        }
        let (mut cost, mut without_cache) = (Usd::ZERO, Usd::ZERO);
        if let Some(rates) = &self.rates {
            cost = rates.input.usd.times(tokens.input)
                + rates.cache_read.usd.times(tokens.cache_read)
                + rates.cache_write_5m.usd.times(tokens.cache_write_5m)
                + rates.cache_write_1h.usd.times(tokens.cache_write_1h);
            without_cache = rates.input.usd.times(tokens.context());
        }
        UsageItem {
            file: FileIndex::default(),
            thread: Thread::Main,
            model: reading.model.clone(),
            quarter: None,
            certainty: if self.rates.is_some() { Certainty::Estimated } else { Certainty::Unpriced },
            responses: 1,
            tokens,
            cost,
            without_cache,
            first: self.response.millis,
            last: self.response.millis,
        }
    }
}
