//! Formats numbers, times and amounts, as `annals_ui` does.

use jiff::Timestamp;
use jiff::tz::TimeZone;

pub(crate) use annals_ui::figures::{amount as short_count, cost, dollars, duration, size as bytes};

/// `12,345`
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `2026-01-03 16:44`, in a time zone.
pub(crate) fn moment(millis: i64, zone: &TimeZone) -> String {
    match Timestamp::from_millisecond(millis) {
        Ok(instant) => instant.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M").to_string(),
        Err(_) => String::new(),
    }
}

/// The offset of a time zone from UTC at an instant.
pub(crate) fn minutes_from_utc(millis: i64, zone: &TimeZone) -> i32 {
    Timestamp::from_millisecond(millis).map_or(0, |instant| zone.to_offset(instant).seconds() / 60)
}

/// `2026-01-03`, in a time zone.
pub(crate) fn day(millis: i64, zone: &TimeZone) -> String {
    moment(millis, zone).chars().take(10).collect()
}

pub(crate) use annals_ui::figures::age;

/// `1 session`, `2 sessions`.
pub(crate) fn plural(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_counts_amounts_and_times() {
        assert_eq!([count(1), count(1234), count(1_234_567)], ["1", "1,234", "1,234,567"]);
        assert_eq!([dollars(0.0), dollars(0.0042), dollars(12.5)], ["$0.00", "$0.0042", "$12.50"]);
        assert_eq!(moment(1_767_455_098_325, &TimeZone::UTC), "2026-01-03 15:44");
        assert_eq!(plural(1, "session", "sessions"), "1 session");
        let minutes =
            [0, 59, 60, 24 * 60, 60 * 24 * 60, 730 * 24 * 60].map(|minutes| age(0, minutes * 60_000));
        assert_eq!(minutes, ["now", "59m", "1h", "1d", "1mo", "2y"]);
        assert_eq!([age(5, 0), age(i64::MIN, i64::MAX)], ["", ""]);
    }
}
