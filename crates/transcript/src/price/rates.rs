//! The prices of one model, complete: what the table leaves out is filled in by rule, and marked.

use super::usd::Usd;

/// The price of one token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rate {
    /// The price.
    pub usd: Usd,
    /// Whether it follows from the price of input instead of standing in the table.
    pub derived: bool,
}

/// The prices of a token of each class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rates {
    /// Fresh input.
    pub input: Rate,
    /// Output.
    pub output: Rate,
    /// Input read from the cache.
    pub cache_read: Rate,
    /// Input written to the cache for five minutes.
    pub cache_write_5m: Rate,
    /// Input written to the cache for an hour.
    pub cache_write_1h: Rate,
}

/// Prices that hold for a whole request once its input is long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LongContext {
    /// The request's input tokens of all classes must be more than this.
    pub above: u64,
    /// As usual.
    pub standard: Rates,
    /// In a batch.
    pub batch: Rates,
}

/// All prices of one model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelPrices {
    /// As usual.
    pub standard: Rates,
    /// In a batch.
    pub batch: Rates,
    /// Prices of long contexts, by rising threshold.
    pub long_context: Vec<LongContext>,
    /// One web search.
    pub web_search: Usd,
    /// What fast output multiplies every class with, where it is known.
    pub fast_multiplier: Option<f64>,
}

impl ModelPrices {
    /// Whether some price of a standard request is derived.
    pub fn is_derived(&self) -> bool {
        let Rates { input, output, cache_read, cache_write_5m, cache_write_1h } = self.standard;
        [input, output, cache_read, cache_write_5m, cache_write_1h].iter().any(|rate| rate.derived)
    }
}

/// What the table says of one set of rates; a class that it leaves out is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Given {
    pub(super) input: Option<Usd>,
    pub(super) output: Option<Usd>,
    pub(super) cache_read: Option<Usd>,
    pub(super) cache_write_5m: Option<Usd>,
    pub(super) cache_write_1h: Option<Usd>,
}

impl Given {
    /// Fills in the usual multiples of input. Without a price of its own, input and output cost what they cost in
    /// `usual`.
    pub(super) fn complete(self, usual: &Rates) -> Rates {
        let given = |usd| Rate { usd, derived: false };
        let derived = |usd| Rate { usd, derived: true };
        let input = self.input.map_or(derived(usual.input.usd), given);
        let of_input = |price: Option<Usd>, factor| price.map_or(derived(input.usd.scaled(factor)), given);
        Rates {
            input,
            output: self.output.map_or(derived(usual.output.usd), given),
            cache_read: of_input(self.cache_read, 0.1),
            cache_write_5m: of_input(self.cache_write_5m, 1.25),
            cache_write_1h: of_input(self.cache_write_1h, 2.0),
        }
    }

    /// Fills in half of the usual price: that is what a batch costs, so it is no less certain than the usual price.
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
