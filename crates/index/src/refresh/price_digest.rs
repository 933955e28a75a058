//! A digest of a price table, stored in the index to notice that costs must be computed again.
//!
//! The text that is hashed looks like what `Debug` printed for the types of the first release and is written out here:
//! renaming a type or a field must not make every index compute its costs again.

use std::fmt::{self, Write as _};

use annals_store::digest::sha256;
use annals_transcript::price::{LongContext, ModelPrices, Prices, Rate, Rates, Usd};

/// The sha256 of all prices, as hex digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PriceDigest(String);

impl PriceDigest {
    pub fn of(prices: &Prices) -> Self {
        Self(sha256(price_text(prices).as_bytes()))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

fn price_text(prices: &Prices) -> String {
    let mut models: Vec<_> = prices.models().collect();
    // As the lines sort: a space follows the name.
    models.sort_unstable_by(|(left, _), (right, _)| {
        left.bytes().chain([b' ']).cmp(right.bytes().chain([b' ']))
    });
    let mut text = String::with_capacity(32 * 1024);
    for (name, prices) in models {
        if !text.is_empty() {
            text.push('\n');
        }
        // Writing to a string does not fail.
        let _ = write!(text, "{name} ").and_then(|()| write_model(&mut text, prices));
    }
    text
}

fn write_model(out: &mut String, prices: &ModelPrices) -> fmt::Result {
    let ModelPrices { standard, batch, long_context, web_search, fast_multiplier, .. } = prices;
    out.push_str("ModelPrices { standard: ");
    write_rates(out, standard)?;
    out.push_str(", batch: ");
    write_rates(out, batch)?;
    out.push_str(", long_context: [");
    for (at, prices) in long_context.iter().enumerate() {
        let LongContext { above, standard, batch, .. } = prices;
        let comma = if at == 0 { "" } else { ", " };
        write!(out, "{comma}LongContext {{ above: {above}, standard: ")?;
        write_rates(out, standard)?;
        out.push_str(", batch: ");
        write_rates(out, batch)?;
        out.push_str(" }");
    }
    out.push_str("], web_search: ");
    write_usd(out, *web_search)?;
    // As `Debug` of a float: the shortest digits that parse to it, with at least one decimal.
    match fast_multiplier {
        Some(factor) => write!(out, ", fast_multiplier: Some({factor:?}) }}"),
        None => write!(out, ", fast_multiplier: None }}"),
    }
}

fn write_rates(out: &mut String, rates: &Rates) -> fmt::Result {
    let Rates { input, output, cache_read, cache_write_5m, cache_write_1h, .. } = rates;
    let named = [
        ("Rates { input: ", input),
        (", output: ", output),
        (", cache_read: ", cache_read),
        (", cache_write_5m: ", cache_write_5m),
        (", cache_write_1h: ", cache_write_1h),
    ];
    for (name, Rate { usd, derived, .. }) in named {
        out.push_str(name);
        out.push_str("Rate { usd: ");
        write_usd(out, *usd)?;
        out.push_str(if *derived { ", derived: true }" } else { ", derived: false }" });
    }
    out.push_str(" }");
    Ok(())
}

fn write_usd(out: &mut String, usd: Usd) -> fmt::Result {
    let (nanos, femtos) = usd.nanos_and_femtos();
    write!(out, "Usd({})", u128::from(nanos) * 1_000_000 + u128::from(femtos))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &[u8] = br#"{"as_of": "2026-11", "models": {
        "plain": {"input": 0.8, "output": 4, "cache_read": 0.08, "cache_write_5m": 1, "cache_write_1h": 6},
        "odd \"name\" \\ \n \u00e9'": {"input": 3, "output": 15, "fast_multiplier": 6},
        "long": {"input": 0.1, "output": 0.5, "web_search": 0.01, "fast_multiplier": 2.5,
            "batch": {"input": 0.05, "output": 0.25},
            "above": [{"tokens": 100000, "input": 0.5, "output": 2.5}, {"tokens": 200000, "input": 0.7}]}}}"#;

    /// The digests were made by the first release.
    #[test]
    fn digests_are_those_of_the_first_release() {
        let (prices, problems) = Prices::parse(TABLE);
        assert!(problems.is_empty(), "{problems:?}");
        assert_eq!(
            PriceDigest::of(&prices).as_str(),
            "d40cc2482407d7c47afaef5ba1960c6491f03b406c538bd8385ab5a76961cf9d"
        );
        assert_eq!(
            PriceDigest::of(&Prices::default()).as_str(),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
    }
}
