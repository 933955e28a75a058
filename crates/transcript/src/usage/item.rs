//! Usage items: sums from which all reports are made, also from a database.
//!
//! A quarter of an hour is the longest span that fits the days and hours of every time zone.

use std::collections::HashMap;
use std::sync::Arc;

use super::ledger::{FileIndex, UsageLedger};
use super::response::{Charge, ResponseUsage};
use super::tokens::Tokens;
use crate::price::{Cost, ModelPrices, PriceBasis, Prices, Usd};

/// A quarter of an hour in milliseconds.
pub const QUARTER_MILLIS: i64 = 15 * 60 * 1000;

/// The conversation that sent a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Thread {
    /// The conversation itself.
    Main,
    /// An unnamed sub-agent inside the session file, as in 1.0.
    Inline,
    /// A sub-agent by its id.
    Agent(Arc<str>),
}

/// How certain the cost is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Certainty {
    /// All prices are in the table.
    Priced,
    /// Some price was derived, or that of fast output is not known.
    Estimated,
    /// The model has no price: the tokens count, the cost is zero.
    Unpriced,
}

/// The session, project and thread of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageSource {
    /// The session that the file belongs to; its own name if unknown.
    pub session: Arc<str>,
    /// The folder of the project.
    pub slug: Arc<str>,
    /// The working directory of the project, if known.
    pub project: Option<Arc<str>>,
    /// The thread of the file.
    pub thread: Thread,
}

impl UsageSource {
    /// The working directory of the project, else its folder.
    pub fn project_name(&self) -> &str {
        self.project.as_deref().unwrap_or(&self.slug)
    }
}

/// The common fields of the responses of an item.
type ItemKey = (FileIndex, Option<i64>, Thread, Option<Arc<str>>, Certainty);

/// The sum of responses of one file, thread, model, quarter of an hour and certainty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageItem {
    /// The file that they are attributed to.
    pub file: FileIndex,
    /// The thread; as in the records, for a session file.
    pub thread: Thread,
    /// The model; `None` if the records name none.
    pub model: Option<Arc<str>>,
    /// The quarter of an hour since 1970 (UTC); `None` if the records have no time.
    pub quarter: Option<i64>,
    /// How certain the cost is.
    pub certainty: Certainty,
    /// The number of responses, without side calls.
    pub responses: u64,
    /// What the responses were billed for, by class.
    pub tokens: Tokens,
    /// What the responses cost at the given prices.
    pub cost: Usd,
    /// Their cost without a cache.
    pub without_cache: Usd,
    /// When the first of them came, in milliseconds since 1970.
    pub first: Option<i64>,
    /// When the last of them came.
    pub last: Option<i64>,
}

impl UsageItem {
    /// Makes an item of one model call; `prices` are those of its model.
    pub fn of(file: FileIndex, charge: &Charge<'_>, prices: Option<&ModelPrices>) -> Self {
        let reading = &charge.response.reading;
        let price = |tokens: &Tokens| {
            prices.map_or(Cost::Unpriced, |prices| prices.cost(tokens, reading.tier, reading.speed))
        };
        let cost = price(charge.tokens);
        let certainty = match cost {
            Cost::Priced { basis: PriceBasis::Table, .. } => Certainty::Priced,
            Cost::Priced { .. } => Certainty::Estimated,
            // A response without tokens needs no price.
            Cost::Unpriced if charge.tokens.is_zero() => Certainty::Priced,
            Cost::Unpriced => Certainty::Unpriced,
        };
        let millis = charge.response.millis;
        Self {
            file,
            thread: thread_of(charge.response),
            model: charge.model.cloned(),
            quarter: millis.map(|millis| millis.div_euclid(QUARTER_MILLIS)),
            certainty,
            responses: u64::from(charge.side_call.is_none()),
            tokens: *charge.tokens,
            cost: cost.usd().unwrap_or_default(),
            without_cache: price(&charge.tokens.without_cache()).usd().unwrap_or_default(),
            first: millis,
            last: millis,
        }
    }

    /// When the quarter of an hour begins, in milliseconds since 1970.
    pub fn millis(&self) -> Option<i64> {
        self.quarter.map(|quarter| quarter.saturating_mul(QUARTER_MILLIS))
    }

    fn key(&self) -> ItemKey {
        (self.file, self.quarter, self.thread.clone(), self.model.clone(), self.certainty)
    }

    fn has_same_key(&self, other: &Self) -> bool {
        let parts = |item: &'_ Self| (item.file, item.quarter, item.certainty);
        parts(self) == parts(other) && self.thread == other.thread && self.model == other.model
    }

    fn absorb(&mut self, other: &Self) {
        self.responses += other.responses;
        self.tokens += other.tokens;
        self.cost += other.cost;
        self.without_cache += other.without_cache;
        self.first = self.first.into_iter().chain(other.first).min();
        self.last = self.last.max(other.last);
    }
}

fn thread_of(response: &ResponseUsage) -> Thread {
    match (&response.agent, response.is_sidechain) {
        (Some(agent), true) => Thread::Agent(Arc::clone(agent)),
        (None, true) => Thread::Inline,
        (_, false) => Thread::Main,
    }
}

/// A model and its prices, if it has any.
type PricedModel<'m, 'p> = (&'m Arc<str>, Option<&'p ModelPrices>);

/// Returns the items of a ledger, by file, quarter, thread, model and certainty.
///
/// `sources` are the files of the ledger, by index: records in a sub-agent's file belong to the sub-agent in any case.
pub fn items(ledger: &UsageLedger, sources: &[UsageSource], prices: &Prices) -> Vec<UsageItem> {
    let mut known: HashMap<Arc<str>, Option<&ModelPrices>> = HashMap::new();
    let mut places: HashMap<ItemKey, usize> = HashMap::new();
    let mut items: Vec<UsageItem> = Vec::new();
    let mut latest = 0;
    let mut latest_priced: Option<PricedModel<'_, '_>> = None;
    for (file, charge) in ledger.charges() {
        let priced = charge.model.and_then(|model| match latest_priced {
            Some((name, found)) if Arc::ptr_eq(name, model) => found,
            _ => {
                let found = *known.entry(Arc::clone(model)).or_insert_with(|| prices.find(model));
                latest_priced = Some((model, found));
                found
            }
        });
        let mut item = UsageItem::of(file, &charge, priced);
        if let Some(source) = sources.get(file.get())
            && source.thread != Thread::Main
        {
            item.thread = source.thread.clone();
        }
        // Nearly always it belongs to the item before.
        if let Some(last) = items.get_mut(latest).filter(|last| last.has_same_key(&item)) {
            last.absorb(&item);
            continue;
        }
        let place = *places.entry(item.key()).or_insert(items.len());
        latest = place;
        match items.get_mut(place) {
            Some(known) => known.absorb(&item),
            None => items.push(item),
        }
    }
    items.sort_by_cached_key(UsageItem::key);
    items
}
