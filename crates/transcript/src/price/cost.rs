//! The cost of a request: which rates apply, and how certain they are.

use super::rates::{ModelPrices, Rate, Rates};
use super::usd::Usd;
use crate::usage::{ServiceTier, Speed, Tokens};

/// The cost of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// The model has a price.
    Priced {
        /// The cost.
        usd: Usd,
        /// The basis of the price.
        basis: PriceBasis,
    },
    /// The model is not in the table.
    Unpriced,
}

impl Cost {
    /// The price, if there is one.
    pub fn usd(self) -> Option<Usd> {
        match self {
            Self::Priced { usd, .. } => Some(usd),
            Self::Unpriced => None,
        }
    }
}

/// How certain a price is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PriceBasis {
    /// Every token class that the request used is in the table.
    Table,
    /// A token class that the request used is missing in the table and derived from the input price.
    Derived,
    /// The output was fast, and the table has no price for that: the lower standard price.
    StandardSpeed,
}

impl ModelPrices {
    /// Computes the cost of one request.
    ///
    /// If all input together exceeds a long-context threshold, its prices apply to every class of the whole request. A batch
    /// has batch prices. Priority and unknown tiers are not in the table and cost the standard price.
    pub fn cost(&self, tokens: &Tokens, tier: ServiceTier, speed: Speed) -> Cost {
        let rates = self.rates(tokens.context(), tier);
        let classes = [
            (tokens.input, rates.input),
            (tokens.output, rates.output),
            (tokens.cache_read, rates.cache_read),
            (tokens.cache_write_5m, rates.cache_write_5m),
            (tokens.cache_write_1h, rates.cache_write_1h),
        ];
        let sum: Usd = classes.iter().map(|(count, Rate { usd, .. })| usd.times(*count)).sum();
        let is_derived = classes.iter().any(|(count, rate)| *count > 0 && rate.derived);
        let basis = if is_derived { PriceBasis::Derived } else { PriceBasis::Table };
        let (sum, basis) = match (speed, self.fast_multiplier) {
            (Speed::Standard, _) => (sum, basis),
            (Speed::Fast, Some(factor)) => (sum.scaled(factor), basis),
            (Speed::Fast | Speed::Other, _) => (sum, PriceBasis::StandardSpeed),
        };
        Cost::Priced { usd: sum + self.web_search.times(tokens.web_searches), basis }
    }

    /// Returns the rates for a request with this many input tokens.
    pub fn rates(&self, context: u64, tier: ServiceTier) -> &Rates {
        let long = self.long_context.iter().rev().find(|long| context > long.above);
        let (standard, batch) =
            long.map_or((&self.standard, &self.batch), |long| (&long.standard, &long.batch));
        if tier == ServiceTier::Batch { batch } else { standard }
    }
}
