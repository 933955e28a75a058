//! Reports: tokens and cost, summed by any key.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::item::{Certainty, UsageItem};
use super::ledger::FileIndex;
use super::response::Charge;
use super::tokens::Tokens;
use crate::price::{Prices, Usd};

/// The name for responses without a model.
pub const NO_MODEL: &str = "(no model)";

/// Tokens and cost of one key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UsageRow {
    /// The day, session, model, …
    pub key: String,
    /// The number of responses, without side calls.
    pub responses: u64,
    /// What the responses were billed for, by class.
    pub tokens: Tokens,
    /// The cost of those with a price.
    pub cost: Usd,
    /// The cost without a cache.
    pub without_cache: Usd,
    /// The time of the first, in milliseconds since 1970.
    pub first: Option<i64>,
    /// The time of the last.
    pub last: Option<i64>,
    /// All models that answered, as the API names them.
    pub models: BTreeSet<Arc<str>>,
    /// The models without a price: their tokens count, their cost does not.
    pub unpriced: BTreeSet<Arc<str>>,
    /// The models with a derived price, or without a price of fast output.
    pub estimated: BTreeSet<Arc<str>>,
}

impl UsageRow {
    /// Makes an empty row.
    pub fn new(key: impl Into<String>) -> Self {
        Self { key: key.into(), ..Self::default() }
    }

    /// Adds a model call.
    pub fn add(&mut self, charge: &Charge<'_>, prices: &Prices) {
        let priced = charge.model.and_then(|model| prices.find(model));
        self.add_item(&UsageItem::of(FileIndex::default(), charge, priced));
    }

    /// Adds tokens, cost and times of responses of one file.
    pub fn add_item(&mut self, item: &UsageItem) {
        self.responses += item.responses;
        self.tokens += item.tokens;
        self.cost += item.cost;
        self.without_cache += item.without_cache;
        self.note_span(item.first, item.last);
        let name = item.model.as_deref().unwrap_or(NO_MODEL);
        let sure = match item.certainty {
            Certainty::Priced => None,
            Certainty::Estimated => Some(&mut self.estimated),
            Certainty::Unpriced => Some(&mut self.unpriced),
        };
        for names in [Some(&mut self.models), sure].into_iter().flatten() {
            if !names.contains(name) {
                names.insert(item.model.clone().unwrap_or_else(|| name.into()));
            }
        }
    }

    fn note_span(&mut self, first: Option<i64>, last: Option<i64>) {
        // `None` is less than any time, which is right for the last and not for the first.
        self.first = self.first.into_iter().chain(first).min();
        self.last = self.last.max(last);
    }

    /// Adds the sums of another row.
    pub fn absorb(&mut self, other: &Self) {
        self.responses += other.responses;
        self.tokens += other.tokens;
        self.cost += other.cost;
        self.without_cache += other.without_cache;
        self.note_span(other.first, other.last);
        self.models.extend(other.models.iter().cloned());
        self.unpriced.extend(other.unpriced.iter().cloned());
        self.estimated.extend(other.estimated.iter().cloned());
    }
}

/// Rows in the order of their keys, and their sum.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// One row per key.
    pub rows: Vec<UsageRow>,
    /// The sum of all rows; its key is `total`.
    pub total: UsageRow,
}

/// Sums model calls by a key; `None` skips a call.
///
/// Sums are exact, so they do not depend on the order of the calls.
pub fn group<'a, T>(
    charges: impl IntoIterator<Item = (T, Charge<'a>)>,
    prices: &Prices,
    mut key: impl FnMut(&T, &Charge<'a>) -> Option<String>,
) -> Report {
    let mut rows: BTreeMap<String, UsageRow> = BTreeMap::new();
    for (about, charge) in charges {
        if let Some(key) = key(&about, &charge) {
            rows.entry(key).or_default().add(&charge, prices);
        }
    }
    Report::of(rows)
}

/// Sums items by a key; `None` skips an item.
pub fn group_items<'a>(
    items: impl IntoIterator<Item = &'a UsageItem>,
    mut key: impl FnMut(&UsageItem) -> Option<String>,
) -> Report {
    let mut rows: BTreeMap<String, UsageRow> = BTreeMap::new();
    for item in items {
        if let Some(key) = key(item) {
            rows.entry(key).or_default().add_item(item);
        }
    }
    Report::of(rows)
}

impl Report {
    /// Makes a report of rows by key.
    pub fn of(rows: BTreeMap<String, UsageRow>) -> Self {
        let mut report = Self { rows: Vec::with_capacity(rows.len()), total: UsageRow::new("total") };
        for (key, row) in rows {
            report.total.absorb(&row);
            report.rows.push(UsageRow { key, ..row });
        }
        report
    }
}
