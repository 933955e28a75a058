//! Sums of tokens and cost by any key: what `usage --by` and `show --as usage` print.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::response::Charge;
use super::tokens::Tokens;
use crate::price::{Basis, Cost, Prices, Usd};

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
        let model = || charge.model.map_or_else(|| Arc::from(NO_MODEL), Arc::clone);
        self.responses += u64::from(charge.aside.is_none());
        self.tokens += *charge.tokens;
        // A response that used nothing says nothing about its model either, unless it names one.
        if !self.models.contains::<str>(charge.model.map_or(NO_MODEL, |name| name)) {
            self.models.insert(model());
        }
        match prices.cost_of(charge) {
            Cost::Priced { usd, basis } => {
                self.cost += usd;
                if basis != Basis::Table {
                    self.estimated.insert(model());
                }
            }
            Cost::Unpriced if charge.tokens.is_zero() => {}
            Cost::Unpriced => {
                self.unpriced.insert(model());
            }
        }
    }

    /// Adds the sums of another row.
    pub fn absorb(&mut self, other: &Self) {
        self.responses += other.responses;
        self.tokens += other.tokens;
        self.cost += other.cost;
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
    let mut report = Report { rows: Vec::with_capacity(rows.len()), total: UsageRow::new("total") };
    for (key, row) in rows {
        report.total.absorb(&row);
        report.rows.push(UsageRow { key, ..row });
    }
    report
}
