//! How long to wait before a batch is tried again: twice as long each time, with chance in it, so that many machines do not
//! come back at one instant; and what a sink asks for, in both forms of `RetryPolicy-After`.

use annals_store::source::Source;
use annals_transcript::time::parse_millis;

/// The longest wait that a sink can ask for, in milliseconds.
const MAX_RETRY_AFTER: u64 = 3_600_000;

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// When a batch is sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The first wait, in milliseconds.
    pub first: u64,
    pub longest: u64,
    /// How often a batch is tried before the pass ends.
    pub attempts: u32,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { first: 500, longest: 60_000, attempts: 8 }
    }
}

impl RetryPolicy {
    /// The wait after this many failed attempts: at least what the sink asks for, up to an hour.
    pub fn wait(&self, failed: u32, asked: Option<RetryAfter>, source: &dyn Source) -> u64 {
        let doubled =
            self.first.saturating_mul(1_u64.checked_shl(failed.saturating_sub(1)).unwrap_or(u64::MAX));
        let most = doubled.min(self.longest);
        let random = source.random();
        let chance = u64::from(u16::from_le_bytes([random[0], random[1]]));
        // Between a half and all of it.
        let wait = most / 2 + most.saturating_sub(most / 2) * chance / u64::from(u16::MAX);
        wait.max(asked.map_or(0, |asked| asked.millis(source.now())).min(MAX_RETRY_AFTER))
    }
}

/// How long a sink asks to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryAfter {
    /// For this many seconds.
    Seconds(u64),
    /// Until then, in milliseconds since 1970.
    At(i64),
}

impl RetryAfter {
    /// Reads the value of the header: digits, or a date in any of the three forms that HTTP knows. Anything else asks for
    /// nothing.
    pub fn parse(value: &str) -> Option<Self> {
        let value = value.trim();
        if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
            // More digits than fit are more seconds than anybody waits.
            return Some(Self::Seconds(value.parse().unwrap_or(u64::MAX)));
        }
        date(value).map(Self::At)
    }

    /// How long that is from now.
    fn millis(self, now: i64) -> u64 {
        match self {
            Self::Seconds(seconds) => seconds.saturating_mul(1000),
            Self::At(then) => u64::try_from(then.saturating_sub(now)).unwrap_or(0),
        }
    }
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or `Sun Nov  6 08:49:37 1994`.
fn date(text: &str) -> Option<i64> {
    let words: Vec<&str> = text.split([' ', '-']).filter(|word| !word.is_empty()).collect();
    let (day, month, year, time) = match words[..] {
        [name, day, month, year, time, "GMT"] if name.ends_with(',') => (day, month, year, time),
        [_, month, day, time, year] => (day, month, year, time),
        _ => return None,
    };
    let month = MONTHS.iter().position(|name| *name == month)? + 1;
    let day: u32 = day.parse().ok()?;
    let year: u32 = match (year.len(), year.parse().ok()?) {
        // Two digits: no date of a header lies in the last century.
        (2, year) => 2000_u32.checked_add(year)?,
        (_, year) => year,
    };
    parse_millis(&format!("{year:04}-{month:02}-{day:02}T{time}Z"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use annals_store::source::Clock;
    use annals_testkit::source::CountingSource;

    #[test]
    fn waits_double_up_to_the_longest_and_heed_the_sink() {
        let (retry, chance) =
            (RetryPolicy { first: 100, longest: 1000, attempts: 9 }, CountingSource::default());
        for (failed, most) in [(1, 100), (2, 200), (3, 400), (4, 800), (5, 1000), (64, 1000), (65, 1000)] {
            let wait = retry.wait(failed, None, &chance);
            assert!((most / 2..=most).contains(&wait), "{failed}: {wait}");
        }
        assert_eq!(retry.wait(1, Some(RetryAfter::Seconds(7)), &chance), 7000);
        assert_eq!(retry.wait(1, Some(RetryAfter::Seconds(u64::MAX)), &chance), MAX_RETRY_AFTER);
    }

    #[test]
    fn a_date_is_a_wait_until_then_and_an_absurd_one_is_capped() {
        let (retry, clock) = (RetryPolicy { first: 0, longest: 0, attempts: 9 }, CountingSource::default());
        let until = |then: i64| retry.wait(1, Some(RetryAfter::At(then)), &clock);
        // The clock goes on by a second each time it is asked.
        let now = clock.now();
        assert_eq!(until(now + 31_000), 30_000);
        assert_eq!([until(now), until(0), until(i64::MIN)], [0, 0, 0]);
        assert_eq!([until(now + 90_000_000), until(i64::MAX)], [MAX_RETRY_AFTER, MAX_RETRY_AFTER]);
    }

    #[test]
    fn both_forms_of_the_header_are_read() {
        let at = Some(RetryAfter::At(784_111_777_000));
        assert_eq!(RetryAfter::parse("Sun, 06 Nov 1994 08:49:37 GMT"), at);
        assert_eq!(RetryAfter::parse("Sun Nov  6 08:49:37 1994"), at);
        let later = Some(RetryAfter::At(3_939_871_777_000));
        assert_eq!(RetryAfter::parse("Saturday, 06-Nov-94 08:49:37 GMT"), later);
        assert_eq!(RetryAfter::parse(" 120 "), Some(RetryAfter::Seconds(120)));
        assert_eq!(RetryAfter::parse("99999999999999999999999"), Some(RetryAfter::Seconds(u64::MAX)));
        let bad = ["", "-1", "1.5", "soon", "Sun, 06 Nov 1994", "Sun, 32 Nov 1994 08:49:37 GMT"];
        for value in bad.into_iter().chain(["Sun, 06 Nuv 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT"]) {
            assert_eq!(RetryAfter::parse(value), None, "{value}");
        }
    }
}
