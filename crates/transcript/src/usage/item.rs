//! What reports are made of: sums that are small enough for a table of millions and fine enough for every report.
//!
//! A quarter of an hour is the coarsest span that every time zone of today cuts at its days and hours.

use std::collections::HashMap;
use std::sync::Arc;

use super::ledger::{FileIndex, Ledger};
use super::response::{Charge, ResponseUsage};
use super::tokens::Tokens;
use crate::price::{Basis, Cost, ModelPrices, Prices, Usd};

/// A quarter of an hour in milliseconds.
pub const QUARTER_MILLIS: i64 = 15 * 60 * 1000;

/// Who asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Thread {
    /// The conversation itself.
    Main,
    /// A sub-agent whose lines stand among those of the conversation, unnamed, as in 1.0.
    Inline,
    /// A sub-agent by its id.
    Agent(Arc<str>),
}

/// How sure the cost is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Certainty {
    /// Every price stands in the table.
    Priced,
    /// Some price was derived, or that of fast output is not known.
    Estimated,
    /// The model has no price: the tokens count and the cost is nothing.
    Unpriced,
}

/// What is said of a file whose responses are counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageSource {
    /// The session that the file belongs to; that of its own name where none is known.
    pub session: Arc<str>,
    /// The folder of the project.
    pub slug: Arc<str>,
    /// The working directory of the project, where it is known.
    pub project: Option<Arc<str>>,
    /// Whose file it is.
    pub thread: Thread,
}

impl UsageSource {
    /// The project as people know it: its working directory, else its folder.
    pub fn project_name(&self) -> &str {
        self.project.as_deref().unwrap_or(&self.slug)
    }
}

/// What the responses of an item share.
type Key = (FileIndex, Option<i64>, Thread, Option<Arc<str>>, Certainty);

/// Sums of one or more responses of one file, one thread, one model and one quarter of an hour, all equally sure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageItem {
    /// The file that they are attributed to.
    pub file: FileIndex,
    /// Who asked; what the lines say, where the file is a session's.
    pub thread: Thread,
    /// The model; none where the lines name none.
    pub model: Option<Arc<str>>,
    /// The quarter of an hour, counted from 1970 in UTC; none where the lines name no time.
    pub quarter: Option<i64>,
    /// How sure the cost is.
    pub certainty: Certainty,
    /// How many responses; calls beside a response are none.
    pub responses: u64,
    /// Their tokens.
    pub tokens: Tokens,
    /// Their cost.
    pub cost: Usd,
    /// What they would have cost if nothing had been read from a cache or written to one.
    pub without_cache: Usd,
    /// When the first of them came, in milliseconds since 1970.
    pub first: Option<i64>,
    /// When the last of them came.
    pub last: Option<i64>,
}

impl UsageItem {
    /// One model call; `prices` are those of its model.
    pub fn of(file: FileIndex, charge: &Charge<'_>, prices: Option<&ModelPrices>) -> Self {
        let reading = &charge.response.reading;
        let price = |tokens: &Tokens| {
            prices.map_or(Cost::Unpriced, |prices| prices.cost(tokens, reading.tier, reading.speed))
        };
        let cost = price(charge.tokens);
        let certainty = match cost {
            Cost::Priced { basis: Basis::Table, .. } => Certainty::Priced,
            Cost::Priced { .. } => Certainty::Estimated,
            // A response that used nothing lacks no price.
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
            responses: u64::from(charge.aside.is_none()),
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

    fn key(&self) -> Key {
        (self.file, self.quarter, self.thread.clone(), self.model.clone(), self.certainty)
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

/// The items of an account, by file, quarter, thread, model and certainty.
///
/// `sources` are the files of the account, by their index: what stands in a sub-agent's file is the sub-agent's, whatever its
/// lines say.
pub fn items(ledger: &Ledger, sources: &[UsageSource], prices: &Prices) -> Vec<UsageItem> {
    let mut known: HashMap<Arc<str>, Option<&ModelPrices>> = HashMap::new();
    let mut places: HashMap<Key, usize> = HashMap::new();
    let mut items: Vec<UsageItem> = Vec::new();
    for (file, charge) in ledger.charges() {
        let priced = charge.model.and_then(|model| match known.get(model) {
            Some(found) => *found,
            None => *known.entry(Arc::clone(model)).or_insert(prices.find(model)),
        });
        let mut item = UsageItem::of(file, &charge, priced);
        if let Some(source) = sources.get(file as usize)
            && source.thread != Thread::Main
        {
            item.thread = source.thread.clone();
        }
        let place = *places.entry(item.key()).or_insert(items.len());
        match items.get_mut(place) {
            Some(known) => known.absorb(&item),
            None => items.push(item),
        }
    }
    items.sort_by_cached_key(UsageItem::key);
    items
}
