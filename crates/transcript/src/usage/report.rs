//! Sums of tokens and cost by any key: what `usage --by` and `show --as usage` print.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::item::{Certainty, UsageItem};
use super::response::Charge;
use super::tokens::Tokens;
use crate::price::{Prices, Usd};

/// Stands for the model of a response that names none.
pub const NO_MODEL: &str = "(no model)";

/// Tokens and cost of everything that shares a key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UsageRow {
    /// The day, session, model, …
    pub key: String,
    /// How many responses; calls beside a response are not counted here.
    pub responses: u64,
    /// Their tokens.
    pub tokens: Tokens,
    /// What those of them that have a price cost.
    pub cost: Usd,
    /// What the same would have cost without a cache.
    pub without_cache: Usd,
    /// When the first of them came, in milliseconds since 1970.
    pub first: Option<i64>,
    /// When the last of them came.
    pub last: Option<i64>,
    /// The models.
    pub models: BTreeSet<Arc<str>>,
    /// The models that have no price: their tokens are counted and their cost is not.
    pub unpriced: BTreeSet<Arc<str>>,
    /// The models for which some price was derived or the price of fast output is not known.
    pub estimated: BTreeSet<Arc<str>>,
}

impl UsageRow {
    /// An empty row.
    pub fn new(key: impl Into<String>) -> Self {
        Self { key: key.into(), ..Self::default() }
    }

    /// Adds a model call.
    pub fn add(&mut self, charge: &Charge<'_>, prices: &Prices) {
        let priced = charge.model.and_then(|model| prices.find(model));
        self.add_item(&UsageItem::of(0, charge, priced));
    }

    /// Adds an item.
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
pub struct Report {
    /// One row a key.
    pub rows: Vec<UsageRow>,
    /// All of them together; its key is `total`.
    pub total: UsageRow,
}

/// Sums model calls by a key. `None` leaves a call out.
///
/// Sums are of whole numbers: neither the order of the calls nor the way they were split over threads shows in them.
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

/// Sums items by a key. `None` leaves an item out.
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
    /// Rows by their keys, and their sum.
    pub fn of(rows: BTreeMap<String, UsageRow>) -> Self {
        let mut report = Self { rows: Vec::with_capacity(rows.len()), total: UsageRow::new("total") };
        for (key, row) in rows {
            report.total.absorb(&row);
            report.rows.push(UsageRow { key, ..row });
        }
        report
    }
}
