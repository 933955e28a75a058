//! Tokens times rates: which rates hold for a request, and how sure they are.

use super::rates::{ModelPrices, Rate, Rates};
use super::usd::Usd;
use crate::usage::{ServiceTier, Speed, Tokens};

/// What a request costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// It has a price.
    Priced {
        /// The price.
        usd: Usd,
        /// What it rests on.
        basis: Basis,
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

/// What a price rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// Every class that the request used stands in the table.
    Table,
    /// A class that the request used is a usual multiple of input, because the table lacks it.
    Derived,
    /// The output was fast and the table does not say what that costs: the standard price, which is less.
    StandardSpeed,
}

impl ModelPrices {
    /// What one request costs.
    ///
    /// Where all input together exceeds the threshold of a long context, its prices hold for every class of the whole
    /// request. A batch has the batch's prices. Priority and unknown tiers have no price of their own in the table
    /// and cost what standard costs.
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
        let basis = if is_derived { Basis::Derived } else { Basis::Table };
        let (sum, basis) = match (speed, self.fast_multiplier) {
            (Speed::Standard, _) => (sum, basis),
            (Speed::Fast, Some(factor)) => (sum.scaled(factor), basis),
            (Speed::Fast | Speed::Other, _) => (sum, Basis::StandardSpeed),
        };
        Cost::Priced { usd: sum + self.web_search.times(tokens.web_searches), basis }
    }

    /// The rates for a request with so much input.
    pub fn rates(&self, context: u64, tier: ServiceTier) -> &Rates {
        let long = self.long_context.iter().rev().find(|long| context > long.above);
        let (standard, batch) =
            long.map_or((&self.standard, &self.batch), |long| (&long.standard, &long.batch));
        if tier == ServiceTier::Batch { batch } else { standard }
    }
}
