//! The price of tokens: a dated price table, model name matching, and exact sums.
//!
//! A model that is not in the table is unpriced, never guessed. Nothing is fetched: newer prices come from a file of the same
//! format, which the caller reads and applies with [`Prices::overridden_by`].

mod cost;
mod name;
mod parse;
mod rates;
mod usd;

use std::collections::BTreeMap;

pub use cost::{Cost, PriceBasis};
pub use parse::{PriceProblem, PriceProblemKind};
pub use rates::{LongContext, ModelPrices, Rate, Rates};
pub use usd::Usd;

use crate::usage::{Charge, ServiceTier, Speed, Tokens};

/// A table of model prices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prices {
    as_of: String,
    models: BTreeMap<String, ModelPrices>,
}

impl Prices {
    /// Returns the built-in table.
    pub fn embedded() -> Self {
        // A test checks that it has no problems.
        Self::parse(include_bytes!("prices.json")).0
    }

    /// Overrides prices: for a model in both tables, all prices of `other` apply.
    #[must_use]
    pub fn overridden_by(mut self, other: Self) -> Self {
        self.models.extend(other.models);
        if !other.as_of.is_empty() {
            self.as_of = format!("{}, overridden {}", self.as_of, other.as_of);
        }
        self
    }

    /// The date of the table.
    pub fn as_of(&self) -> &str {
        &self.as_of
    }

    /// Iterates over the models with their prices, by name.
    pub fn models(&self) -> impl Iterator<Item = (&str, &ModelPrices)> {
        self.models.iter().map(|(name, prices)| (name.as_str(), prices))
    }

    /// Finds the prices of a model by any of its names; `None` if it is not in the table.
    pub fn find(&self, model: &str) -> Option<&ModelPrices> {
        name::find(&self.models, model)
    }

    /// Computes the cost of **one** request. Sums of several requests have no price: each may have a long context or not.
    pub fn cost(&self, tokens: &Tokens, model: &str, tier: ServiceTier, speed: Speed) -> Cost {
        self.find(model).map_or(Cost::Unpriced, |prices| prices.cost(tokens, tier, speed))
    }

    /// Computes the cost of a model call.
    pub fn cost_of(&self, charge: &Charge<'_>) -> Cost {
        let reading = &charge.response.reading;
        charge
            .model
            .map_or(Cost::Unpriced, |model| self.cost(charge.tokens, model, reading.tier, reading.speed))
    }
}
