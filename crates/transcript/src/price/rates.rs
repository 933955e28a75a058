//! The prices of one model; missing ones are derived by rule, and marked.

use super::usd::Usd;

/// The price of one token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rate {
    /// The price.
    pub usd: Usd,
    /// Whether it was derived from the input price.
    pub derived: bool,
}

/// The price of a token of each class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rates {
    /// Fresh input.
    pub input: Rate,
    /// Tokens that the model writes, thinking included.
    pub output: Rate,
    /// Input read from the cache.
    pub cache_read: Rate,
    /// Input written to the cache for five minutes.
    pub cache_write_5m: Rate,
    /// Input written to the cache for an hour.
    pub cache_write_1h: Rate,
}

/// Prices of a whole request with a long input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LongContext {
    /// Applies if the input tokens of all classes are more than this.
    pub above: u64,
    /// Standard prices.
    pub standard: Rates,
    /// Batch prices.
    pub batch: Rates,
}

/// What a model costs, by how it is used.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ModelPrices {
    /// Standard prices.
    pub standard: Rates,
    /// Batch prices.
    pub batch: Rates,
    /// Prices of long contexts, by rising threshold.
    pub long_context: Vec<LongContext>,
    /// The price of one web search.
    pub web_search: Usd,
    /// The factor of fast output for every class, if known.
    pub fast_multiplier: Option<f64>,
}

impl ModelPrices {
    /// Whether some price of a standard request is derived.
    pub fn is_derived(&self) -> bool {
        let Rates { input, output, cache_read, cache_write_5m, cache_write_1h } = self.standard;
        [input, output, cache_read, cache_write_5m, cache_write_1h].iter().any(|rate| rate.derived)
    }
}

/// Rates as listed in the table; a missing class is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ListedRates {
    pub(super) input: Option<Usd>,
    pub(super) output: Option<Usd>,
    pub(super) cache_read: Option<Usd>,
    pub(super) cache_write_5m: Option<Usd>,
    pub(super) cache_write_1h: Option<Usd>,
}

impl ListedRates {
    /// Fills in the usual multiples of the input price. Missing input and output prices come from `usual`.
    pub(super) fn complete(self, usual: &Rates) -> Rates {
        let listed = |usd| Rate { usd, derived: false };
        let derived = |usd| Rate { usd, derived: true };
        let input = self.input.map_or(derived(usual.input.usd), listed);
        let of_input = |price: Option<Usd>, factor| price.map_or(derived(input.usd.scaled(factor)), listed);
        Rates {
            input,
            output: self.output.map_or(derived(usual.output.usd), listed),
            cache_read: of_input(self.cache_read, 0.1),
            cache_write_5m: of_input(self.cache_write_5m, 1.25),
            cache_write_1h: of_input(self.cache_write_1h, 2.0),
        }
    }

    /// Fills in half of the usual price, which is the published batch discount and so not less certain.
    pub(super) fn complete_batch(self, usual: &Rates) -> Rates {
        let half = |price: Option<Usd>, usual: Rate| match price {
            Some(usd) => Rate { usd, derived: false },
            None => Rate { usd: usual.usd.scaled(0.5), ..usual },
        };
        Rates {
            input: half(self.input, usual.input),
            output: half(self.output, usual.output),
            cache_read: half(self.cache_read, usual.cache_read),
            cache_write_5m: half(self.cache_write_5m, usual.cache_write_5m),
            cache_write_1h: half(self.cache_write_1h, usual.cache_write_1h),
        }
    }
}
