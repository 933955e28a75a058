//! Parses dates and times as people type them: `2026-01-03`, `2026-10`, `yesterday 14:00`, `7d`, `12h`.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan, Zoned};

use crate::error::Fault;

/// What is accepted, for errors and help.
const FORMS: &str = "use 2026-01-03, 2026-10, today, \"yesterday 14:00\", 12h, 7d or 2w: annals help dates";

/// A day, a month or a moment, in milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TimeRange {
    /// Its first millisecond.
    pub(crate) start: i64,
    /// The first millisecond after it; a moment ends where it starts.
    pub(crate) end: i64,
}

impl TimeRange {
    /// Parses a date or a time. `now` gives the time zone, too.
    pub(crate) fn parse(text: &str, now: &Zoned) -> Option<Self> {
        let zone = now.time_zone();
        let text = text.trim();
        if let Some(days) = days(text, now) {
            let (first, after) = days?;
            return Some(Self { start: start_of(first, zone), end: start_of(after, zone) });
        }
        let at = moment(text, now)?.as_millisecond();
        Some(Self { start: at, end: at })
    }
}

/// The first day and the day after the last one of a text that names whole days; `None` if it names none, `Some(None)` if
/// they are outside the calendar.
fn days(text: &str, now: &Zoned) -> Option<Option<(Date, Date)>> {
    let today = now.date();
    let days = |first: Option<Date>| first.and_then(|first| Some((first, first.tomorrow().ok()?)));
    match text {
        "today" => return Some(days(Some(today))),
        "yesterday" => return Some(days(today.yesterday().ok())),
        _ => {}
    }
    if let Some((count, unit)) = ago(text) {
        let back = match unit {
            "d" => count.days(),
            "w" => count.checked_mul(7)?.days(),
            "mo" => count.months(),
            _ => return None,
        };
        return Some(days(today.checked_sub(back).ok()));
    }
    let digits: String = text.chars().filter(|letter| *letter != '-').collect();
    let is_date = digits.len() >= 4 && digits.chars().all(|letter| letter.is_ascii_digit());
    let number = |from: usize, to: usize| digits.get(from..to).and_then(|part| part.parse::<i8>().ok());
    let year: i16 = digits.get(..4).filter(|_| is_date)?.parse().ok()?;
    match (digits.len(), text.len() - digits.len()) {
        (4, 0) => {
            Some(Date::new(year, 1, 1).ok().and_then(|day| Some((day, day.checked_add(1.year()).ok()?))))
        }
        (6, 1) => Some(
            Date::new(year, number(4, 6)?, 1)
                .ok()
                .and_then(|day| Some((day, day.checked_add(1.month()).ok()?))),
        ),
        (8, 0 | 2) => Some(days(Date::new(year, number(4, 6)?, number(6, 8)?).ok())),
        _ => None,
    }
}

/// The moment of a text with a time of day, or of hours or minutes ago.
fn moment(text: &str, now: &Zoned) -> Option<Timestamp> {
    if let Some((count, unit)) = ago(text) {
        let back = match unit {
            "h" => count.hours(),
            "min" => count.minutes(),
            _ => return None,
        };
        return now.timestamp().checked_sub(back).ok();
    }
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Some(moment);
    }
    let (day, time) = match text.split_once([' ', 'T']) {
        Some((day, time)) => (days(day, now)??.0, time.trim()),
        None => (now.date(), text),
    };
    let local = DateTime::from_parts(day, time_of_day(time)?);
    Some(local.to_zoned(now.time_zone().clone()).ok()?.timestamp())
}

/// `14:00` or `14:00:30`.
fn time_of_day(text: &str) -> Option<Time> {
    let mut parts = text.split(':');
    let mut part = || parts.next().map(|part| part.parse::<i8>().ok().filter(|_| part.len() == 2));
    let (hour, minute) = (part()??, part()??);
    let second = part().unwrap_or(Some(0))?;
    Time::new(hour, minute, second, 0).ok().filter(|_| parts.next().is_none())
}

/// A number and its unit: `7d`.
fn ago(text: &str) -> Option<(i64, &str)> {
    let unit = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    // More than that is no number of anything, and more than a calendar has.
    let count = text[..text.len() - unit.len()].parse().ok().filter(|count| *count <= 1_000_000)?;
    ["min", "h", "d", "w", "mo"].contains(&unit).then_some((count, unit))
}

/// Parses an option.
pub(crate) fn parse(text: &str, zone: &TimeZone) -> Result<TimeRange, Fault> {
    let now = Timestamp::now().to_zoned(zone.clone());
    TimeRange::parse(text, &now)
        .ok_or_else(|| Fault::usage(format!("{text:?} is not a date or time")).hint(FORMS))
}

/// The milliseconds from and before which `--since` and `--until` select.
pub(crate) fn parse_bounds(
    since: Option<&str>,
    until: Option<&str>,
    zone: &TimeZone,
) -> Result<(Option<i64>, Option<i64>), Fault> {
    let since_range = since.map(|text| parse(text, zone)).transpose()?;
    let until_range = until.map(|text| parse(text, zone)).transpose()?;
    let bounds = (since_range.map(|range| range.start), until_range.map(|range| range.end));
    match (bounds, since, until) {
        ((Some(from), Some(to)), Some(since), Some(until)) if from >= to => {
            Err(Fault::usage(format!("nothing is between --since {since} and --until {until}"))
                .hint("--since must be earlier than --until"))
        }
        _ => Ok(bounds),
    }
}

/// Today in a time zone.
pub(crate) fn today(zone: &TimeZone) -> Date {
    Timestamp::now().to_zoned(zone.clone()).date()
}

/// The first millisecond of a day.
pub(crate) fn start_of(day: Date, zone: &TimeZone) -> i64 {
    day.to_zoned(zone.clone()).map_or(0, |zoned| zoned.timestamp().as_millisecond())
}

/// The first millisecond of the month of an instant, and of the next month.
pub(crate) fn month_of(now: i64, zone: &TimeZone) -> (i64, i64) {
    let date = Timestamp::from_millisecond(now).unwrap_or_default().to_zoned(zone.clone()).date();
    let next = date.last_of_month().tomorrow().unwrap_or(date);
    (start_of(date.first_of_month(), zone), start_of(next, zone))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(text: &str) -> Option<(String, String)> {
        let now: Zoned = "2026-03-01T10:20:30+01:00[Europe/Berlin]".parse().unwrap();
        let range = TimeRange::parse(text, &now)?;
        let local = |millis: i64| {
            let moment = Timestamp::from_millisecond(millis).unwrap().to_zoned(now.time_zone().clone());
            moment.datetime().to_string()
        };
        Some((local(range.start), local(range.end)))
    }

    #[test]
    fn whole_days_and_months() {
        for (text, start, end) in [
            ("today", "2026-03-01", "2026-03-02"),
            ("yesterday", "2026-02-28", "2026-03-01"),
            ("2026-01-03", "2026-01-03", "2026-01-04"),
            ("20260103", "2026-01-03", "2026-01-04"),
            ("2026-02", "2026-02-01", "2026-03-01"),
            ("2025", "2025-01-01", "2026-01-01"),
            ("7d", "2026-02-22", "2026-02-23"),
            ("0d", "2026-03-01", "2026-03-02"),
            ("2w", "2026-02-15", "2026-02-16"),
            ("3mo", "2025-12-01", "2025-12-02"),
        ] {
            assert_eq!(range(text), Some((format!("{start}T00:00:00"), format!("{end}T00:00:00"))), "{text}");
        }
    }

    #[test]
    fn moments() {
        for (text, at) in [
            ("14:05", "2026-03-01T14:05:00"),
            ("yesterday 14:00", "2026-02-28T14:00:00"),
            ("2026-01-03 07:00", "2026-01-03T07:00:00"),
            ("2026-01-03T07:00:09", "2026-01-03T07:00:09"),
            ("2026-01-03T07:00:00Z", "2026-01-03T08:00:00"),
            ("7d 09:00", "2026-02-22T09:00:00"),
            ("12h", "2026-02-28T22:20:30"),
            ("90min", "2026-03-01T08:50:30"),
        ] {
            assert_eq!(range(text), Some((at.to_owned(), at.to_owned())), "{text}");
        }
    }

    #[test]
    fn what_is_no_date() {
        for text in [
            "",
            "soon",
            "2026-02-30",
            "2026-13",
            "202613",
            "12",
            "20",
            "1x",
            "99999999999999999999d",
            "25:00",
            "1:00",
            "14:00:00:00",
            "2026-01-03 x",
            "d",
            "-7d",
            "2026-1-3",
            "١d",
            "2026-01-0٣",
            "9999999d",
            "26-01-03",
        ] {
            assert_eq!(range(text), None, "{text}");
        }
        let zone = TimeZone::UTC;
        assert!(parse_bounds(Some("2026-02"), Some("2026-01"), &zone).is_err());
        assert!(parse_bounds(Some("2026-01"), Some("2026-01"), &zone).is_ok());
    }
}
