//! What tokens cost: a table of prices with its date, the names that models go by, and exact sums.
//!
//! A model that the table does not have is unpriced, never guessed. Nothing here fetches anything: newer prices come
//! as a file of the same form (`docs/usage.md` describes it), which the caller reads and lays over the table.

mod cost;
mod name;
mod parse;
mod rates;
mod usd;

use std::collections::BTreeMap;

pub use cost::{Basis, Cost};
pub use parse::{PriceProblem, PriceProblemKind};
pub use rates::{LongContext, ModelPrices, Rate, Rates};
pub use usd::Usd;

use crate::usage::{Charge, ServiceTier, Speed, Tokens};

/// The prices of models.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prices {
    as_of: String,
    models: BTreeMap<String, ModelPrices>,
}

impl Prices {
    /// The table that comes with annals.
    pub fn embedded() -> Self {
        // A test holds that it has no problems.
        Self::parse(include_bytes!("prices.json")).0
    }

    /// Lays other prices over these: a model that both have gets the other's prices, all of them.
    #[must_use]
    pub fn overridden_by(mut self, other: Self) -> Self {
        self.models.extend(other.models);
        if !other.as_of.is_empty() {
            self.as_of = format!("{}, overridden {}", self.as_of, other.as_of);
        }
        self
    }

    /// The date of the table, as it says it.
    pub fn as_of(&self) -> &str {
        &self.as_of
    }

    /// Every model with its prices, by name.
    pub fn models(&self) -> impl Iterator<Item = (&str, &ModelPrices)> {
        self.models.iter().map(|(name, prices)| (name.as_str(), prices))
    }

    /// The prices of a model by any of the names that it goes by; `None` where the table does not have it.
    pub fn find(&self, model: &str) -> Option<&ModelPrices> {
        name::find(&self.models, model)
    }

    /// What **one** request costs. Sums of several requests have no price: each may be of a long context or not.
    pub fn cost(&self, tokens: &Tokens, model: &str, tier: ServiceTier, speed: Speed) -> Cost {
        self.find(model).map_or(Cost::Unpriced, |prices| prices.cost(tokens, tier, speed))
    }

    /// What a model call costs.
    pub fn cost_of(&self, charge: &Charge<'_>) -> Cost {
        let reading = &charge.response.reading;
        charge
            .model
            .map_or(Cost::Unpriced, |model| self.cost(charge.tokens, model, reading.tier, reading.speed))
    }
}
