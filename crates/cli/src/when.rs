//! Parses days: `2026-01-03`, `today`, `yesterday`, `7d`.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use crate::error::Fault;

/// Today in a time zone.
pub(crate) fn today(zone: &TimeZone) -> Date {
    Timestamp::now().to_zoned(zone.clone()).date()
}

/// Parses a day.
pub(crate) fn parse_day(text: &str, today: Date) -> Result<Date, Fault> {
    let back = |days: i64| today.checked_sub(days.days()).ok();
    let day = match text {
        "today" => Some(today),
        "yesterday" => back(1),
        _ => match text.strip_suffix('d').and_then(|days| days.parse().ok()) {
            Some(days) => back(days),
            None => text.get(..10).filter(|head| head.len() == text.len()).and_then(|head| head.parse().ok()),
        },
    };
    day.ok_or_else(|| {
        Fault::usage(format!("{text:?} is not a date"))
            .hint("use 2026-01-03, today, yesterday or 7d (seven days ago)")
    })
}

/// The first millisecond of a day.
pub(crate) fn start_of(day: Date, zone: &TimeZone) -> i64 {
    day.to_zoned(zone.clone()).map_or(0, |zoned| zoned.timestamp().as_millisecond())
}

/// The first millisecond after a day.
pub(crate) fn end_of(day: Date, zone: &TimeZone) -> i64 {
    start_of(day.tomorrow().unwrap_or(day), zone)
}

/// The first millisecond of the month of an instant, and of the next month.
pub(crate) fn month_of(now: i64, zone: &TimeZone) -> (i64, i64) {
    let date = Timestamp::from_millisecond(now).unwrap_or_default().to_zoned(zone.clone()).date();
    (start_of(date.first_of_month(), zone), end_of(date.last_of_month(), zone))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_days() {
        let today: Date = "2026-03-01".parse().unwrap();
        let day = |text: &str| parse_day(text, today).ok().map(|day| day.to_string());
        assert_eq!(day("2026-01-03").as_deref(), Some("2026-01-03"));
        assert_eq!(day("yesterday").as_deref(), Some("2026-02-28"));
        assert_eq!(day("7d").as_deref(), Some("2026-02-22"));
        assert_eq!(day("soon"), None);
        assert_eq!(end_of(today, &TimeZone::UTC) - start_of(today, &TimeZone::UTC), 86_400_000);
    }
}
