//! A digest of a price table, stored in the index to notice that costs must be computed again.
//!
//! The text that is hashed looks like what `Debug` printed for the types of the first release and is written out here:
//! renaming a type or a field must not make every index compute its costs again.

use annals_store::digest::sha256;
use annals_transcript::price::{LongContext, ModelPrices, Prices, Rate, Rates, Usd};

/// The sha256 of all prices, as hex digits.
pub(super) fn price_digest(prices: &Prices) -> String {
    let mut lines: Vec<String> =
        prices.models().map(|(name, prices)| format!("{name} {}", model_text(prices))).collect();
    lines.sort_unstable();
    sha256(lines.join("\n").as_bytes())
}

fn model_text(prices: &ModelPrices) -> String {
    let ModelPrices { standard, batch, long_context, web_search, fast_multiplier, .. } = prices;
    let long_context: Vec<String> = long_context.iter().map(long_context_text).collect();
    // As `Debug` of a float: the shortest digits that parse to it, with at least one decimal.
    let fast = fast_multiplier.map_or_else(|| "None".to_owned(), |factor| format!("Some({factor:?})"));
    format!(
        "ModelPrices {{ standard: {}, batch: {}, long_context: [{}], web_search: {}, fast_multiplier: {fast} }}",
        rates_text(standard),
        rates_text(batch),
        long_context.join(", "),
        usd_text(*web_search),
    )
}

fn long_context_text(prices: &LongContext) -> String {
    let LongContext { above, standard, batch, .. } = prices;
    format!(
        "LongContext {{ above: {above}, standard: {}, batch: {} }}",
        rates_text(standard),
        rates_text(batch)
    )
}

fn rates_text(rates: &Rates) -> String {
    let Rates { input, output, cache_read, cache_write_5m, cache_write_1h, .. } = rates;
    format!(
        "Rates {{ input: {}, output: {}, cache_read: {}, cache_write_5m: {}, cache_write_1h: {} }}",
        rate_text(input),
        rate_text(output),
        rate_text(cache_read),
        rate_text(cache_write_5m),
        rate_text(cache_write_1h),
    )
}

fn rate_text(rate: &Rate) -> String {
    let Rate { usd, derived, .. } = rate;
    format!("Rate {{ usd: {}, derived: {derived} }}", usd_text(*usd))
}

fn usd_text(usd: Usd) -> String {
    let (nanos, femtos) = usd.nanos_and_femtos();
    format!("Usd({})", u128::from(nanos) * 1_000_000 + u128::from(femtos))
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
        assert_eq!(price_digest(&prices), "d40cc2482407d7c47afaef5ba1960c6491f03b406c538bd8385ab5a76961cf9d");
        assert_eq!(
            price_digest(&Prices::default()),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
    }
}
