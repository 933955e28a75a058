//! Timestamps as written, and as milliseconds since 1970.

use std::borrow::Cow;
use std::fmt;

use annals_json::Text;

/// A timestamp that keeps its text.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Timestamp<'a>(Text<'a>);

impl<'a> Timestamp<'a> {
    /// Wraps the text of a timestamp field.
    pub fn new(text: Text<'a>) -> Self {
        Self(text)
    }

    /// The timestamp as written.
    pub fn text(self) -> Text<'a> {
        self.0
    }

    /// Decodes the timestamp.
    pub fn decode(self) -> Cow<'a, str> {
        self.0.decode()
    }

    /// Milliseconds since 1970 in UTC, if the text is an ISO 8601 date and time.
    pub fn millis(self) -> Option<i64> {
        parse_millis(&self.0.decode())
    }
}

impl fmt::Display for Timestamp<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, formatter)
    }
}

impl fmt::Debug for Timestamp<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, formatter)
    }
}

/// Parses `2026-01-03T15:44:58.325Z`, with or without fraction, with `Z`, an offset or nothing (UTC), or a bare date.
pub fn parse_millis(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let part = |range: std::ops::Range<usize>| -> Option<i64> {
        let digits = bytes.get(range)?;
        digits
            .iter()
            .all(u8::is_ascii_digit)
            .then(|| digits.iter().fold(0, |n, d| n * 10 + i64::from(d - b'0')))
    };
    let mark = |at: usize, allowed: &[u8]| bytes.get(at).is_some_and(|byte| allowed.contains(byte));
    let (year, month, day) = (part(0..4)?, part(5..7)?, part(8..10)?);
    if !mark(4, b"-") || !mark(7, b"-") || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let midnight = days_from_civil(year, month, day) * 86_400_000;
    if bytes.len() == 10 {
        return Some(midnight);
    }
    let (hour, minute, second) = (part(11..13)?, part(14..16)?, part(17..19)?);
    if !mark(10, b"Tt ") || !mark(13, b":") || !mark(16, b":") || hour > 24 || minute > 59 || second > 60 {
        return None;
    }
    let mut rest = &bytes[19..];
    let mut fraction = 0;
    if let Some(digits) = rest.strip_prefix(b".") {
        let count = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let digit = |n: usize| digits[..count].get(n).map_or(0, |byte| i64::from(byte - b'0'));
        fraction = digit(0) * 100 + digit(1) * 10 + digit(2);
        rest = &digits[count..];
    }
    let offset_minutes = match rest {
        [] | [b'Z' | b'z'] => 0,
        [sign @ (b'+' | b'-'), zone @ ..] => {
            let digits: Vec<i64> = zone.iter().filter(|b| **b != b':').map(|b| i64::from(*b) - 48).collect();
            let &[h1, h2, m1, m2] = digits.as_slice() else { return None };
            let minutes = (h1 * 10 + h2) * 60 + m1 * 10 + m2;
            if *sign == b'-' { -minutes } else { minutes }
        }
        _ => return None,
    };
    Some(midnight + ((hour * 60 + minute - offset_minutes) * 60 + second) * 1000 + fraction)
}

/// Days since 1970-01-01 in the proleptic Gregorian calendar.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// Year, month and day of a number of days since 1970-01-01.
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day_of_year - (153 * shifted + 2) / 5 + 1)
}

/// Writes an instant as the client does: `2026-01-03T15:44:58.325Z`.
pub fn format_millis(millis: i64) -> String {
    let (year, month, day) = civil_from_days(millis.div_euclid(86_400_000));
    let in_day = millis.rem_euclid(86_400_000);
    let (hour, minute, second) = (in_day / 3_600_000, in_day / 60_000 % 60, in_day / 1000 % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", in_day % 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_spellings_of_iso_8601() {
        assert_eq!(parse_millis("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(parse_millis("2026-01-03T15:44:58.325Z"), Some(1_767_455_098_325));
        assert_eq!(parse_millis("2026-01-03T16:44:58.325111+01:00"), Some(1_767_455_098_325));
        assert_eq!(parse_millis("2024-02-29"), Some(1_709_164_800_000));
        for bad in ["", "yesterday", "2026-13-01T00:00:00Z", "2026-01-01T00:00", "2026-01-01T00:00:00+1"] {
            assert_eq!(parse_millis(bad), None, "{bad}");
        }
    }

    #[test]
    fn writes_what_it_reads() {
        for millis in [0, 1, 1_767_455_098_325, 951_782_400_000, -86_400_001] {
            assert_eq!(parse_millis(&format_millis(millis)), Some(millis));
        }
    }
}
