//! Token counts by price class.

use std::cmp::Ordering;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

use super::view::Usage;
use crate::pack_fields;

/// Tokens by class, and uses of server tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tokens {
    /// Fresh input.
    pub input: u64,
    /// Output, thinking included.
    pub output: u64,
    /// Input read from the cache.
    pub cache_read: u64,
    /// Input written to the cache for five minutes.
    pub cache_write_5m: u64,
    /// Input written to the cache for an hour.
    pub cache_write_1h: u64,
    /// Searches that the API ran on its own servers.
    pub web_searches: u64,
    /// Web fetches; they cost only their tokens.
    pub web_fetches: u64,
}

pack_fields! {
    Tokens { input, output, cache_read, cache_write_5m, cache_write_1h, web_searches, web_fetches }
}

/// Maximum of any count, a thousand times the largest context. Larger numbers are clamped, so that sums fit a database
/// integer.
const MAX_COUNT: u64 = 1_000_000_000;

impl Tokens {
    /// Converts `message.usage`; counts are clamped to a billion.
    ///
    /// Without the split of cache writes all are of five minutes, as they were before there was a choice. Where split
    /// and total disagree, the larger of the two counts: a split above the total is taken as it is, and what a total has
    /// above its split is of five minutes. In the corpus the two agree on all 5,442 lines that have both, so this is for
    /// writers that fill in one of them only: a zeroed split beside a real total is how a missing split looks, and a
    /// zeroed total beside a real split is a count that somebody forgot.
    pub fn of(usage: &Usage<'_>) -> Self {
        let count = |count: Option<u64>| count.unwrap_or(0).min(MAX_COUNT);
        let total = count(usage.cache_creation());
        let (five_minutes, one_hour) = usage
            .cache_creation_split()
            .map_or((0, 0), |split| (count(split.five_minutes()), count(split.one_hour())));
        let unnamed = total.saturating_sub(five_minutes.saturating_add(one_hour));
        let tools = usage.server_tool_use();
        Self {
            input: count(usage.input()),
            output: count(usage.output()),
            cache_read: count(usage.cache_read()),
            cache_write_5m: five_minutes.saturating_add(unnamed),
            cache_write_1h: one_hour,
            web_searches: count(tools.as_ref().and_then(|tools| tools.web_search_requests())),
            web_fetches: count(tools.and_then(|tools| tools.web_fetch_requests())),
        }
    }

    /// Writes to the cache, both classes.
    pub fn cache_write(&self) -> u64 {
        self.cache_write_5m.saturating_add(self.cache_write_1h)
    }

    /// All input tokens; decides whether long-context prices apply.
    pub fn context(&self) -> u64 {
        self.input.saturating_add(self.cache_read).saturating_add(self.cache_write())
    }

    /// The same request without a cache: all input is fresh.
    #[must_use]
    pub fn without_cache(&self) -> Self {
        Self { input: self.context(), cache_read: 0, cache_write_5m: 0, cache_write_1h: 0, ..*self }
    }

    /// All tokens of all classes.
    pub fn total(&self) -> u64 {
        self.context().saturating_add(self.output)
    }

    /// Whether all counts are zero.
    pub fn is_zero(&self) -> bool {
        *self == Self::default()
    }
}

impl Add for Tokens {
    type Output = Self;

    // Saturating: a file may say any number, and a sum must never stop the reading.
    fn add(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            cache_read: self.cache_read.saturating_add(other.cache_read),
            cache_write_5m: self.cache_write_5m.saturating_add(other.cache_write_5m),
            cache_write_1h: self.cache_write_1h.saturating_add(other.cache_write_1h),
            web_searches: self.web_searches.saturating_add(other.web_searches),
            web_fetches: self.web_fetches.saturating_add(other.web_fetches),
        }
    }
}

impl AddAssign for Tokens {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Tokens {
    fn sum<I: Iterator<Item = Self>>(tokens: I) -> Self {
        tokens.fold(Self::default(), Add::add)
    }
}

impl<'a> Sum<&'a Self> for Tokens {
    fn sum<I: Iterator<Item = &'a Self>>(tokens: I) -> Self {
        tokens.copied().sum()
    }
}

impl Ord for Tokens {
    /// By output first: of two readings of one response, the one with more output is the later one.
    fn cmp(&self, other: &Self) -> Ordering {
        let by = |tokens: &Self| {
            let inputs = (tokens.input, tokens.cache_read, tokens.cache_write_1h, tokens.cache_write_5m);
            (tokens.output, inputs, tokens.web_searches, tokens.web_fetches)
        };
        by(self).cmp(&by(other))
    }
}

impl PartialOrd for Tokens {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use annals_json::Value;

    fn check(usage: &str, expected: (u64, u64, u64, u64, u64)) {
        let value = Value::parse(usage.as_bytes()).unwrap();
        let tokens = Tokens::of(&Usage::new(value.fields().unwrap()));
        let found =
            (tokens.input, tokens.output, tokens.cache_read, tokens.cache_write_5m, tokens.cache_write_1h);
        assert_eq!(found, expected, "{usage}");
    }

    #[test]
    fn cache_writes_are_split_where_the_line_splits_them() {
        let split = |five: u64, hour: u64, total: u64| {
            format!(
                r#"{{"cache_creation_input_tokens":{total},"cache_creation":{{"ephemeral_5m_input_tokens":{five},"ephemeral_1h_input_tokens":{hour}}}}}"#
            )
        };
        check(r#"{"input_tokens":1,"output_tokens":2,"cache_read_input_tokens":3}"#, (1, 2, 3, 0, 0));
        check(r#"{"cache_creation_input_tokens":9}"#, (0, 0, 0, 9, 0));
        check(r#"{"cache_creation_input_tokens":9,"cache_creation":null}"#, (0, 0, 0, 9, 0));
        check(&split(4, 5, 9), (0, 0, 0, 4, 5));
        check(&split(0, 0, 9), (0, 0, 0, 9, 0));
        check(&split(0, 5, 9), (0, 0, 0, 4, 5));
        check(&split(4, 5, 0), (0, 0, 0, 4, 5));
    }

    #[test]
    fn wrong_values_read_as_nothing_and_huge_ones_do_not_overflow() {
        check(
            r#"{"input_tokens":9223372036854775807,"output_tokens":1000000001,"cache_read_input_tokens":1000000000,
                "cache_creation_input_tokens":18446744073709551615,"cache_creation":{"ephemeral_5m_input_tokens":7}}"#,
            (MAX_COUNT, MAX_COUNT, MAX_COUNT, MAX_COUNT, 0),
        );
        check(
            r#"{"input_tokens":"many","output_tokens":-3,"cache_read_input_tokens":null}"#,
            (0, 0, 0, 0, 0),
        );
        let huge = Tokens { input: u64::MAX, cache_write_5m: u64::MAX, ..Tokens::default() };
        assert_eq!([huge, huge].iter().sum::<Tokens>().total(), u64::MAX);
    }
}
