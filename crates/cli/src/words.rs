//! Numbers, times and amounts as people say them.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// `1.2 MB`
pub(crate) fn bytes(count: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if count < 1000 {
        return format!("{count} B");
    }
    let mut value = count as f64;
    let mut unit = "B";
    for next in UNITS {
        if value < 999.95 {
            break;
        }
        value /= 1000.0;
        unit = next;
    }
    if value < 10.0 { format!("{value:.1} {unit}") } else { format!("{value:.0} {unit}") }
}

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

/// `1.2M`: for tokens, where the order of magnitude is what counts.
pub(crate) fn short_count(number: u64) -> String {
    let value = number as f64;
    match number {
        0..1_000 => number.to_string(),
        1_000..10_000 => format!("{:.1}k", value / 1e3),
        10_000..1_000_000 => format!("{:.0}k", value / 1e3),
        1_000_000..10_000_000 => format!("{:.1}M", value / 1e6),
        10_000_000..1_000_000_000 => format!("{:.0}M", value / 1e6),
        _ => format!("{:.1}G", value / 1e9),
    }
}

/// `$1.23`, with more digits where there is less than a cent.
pub(crate) fn dollars(amount: f64) -> String {
    if amount > 0.0 && amount < 0.01 { format!("${amount:.4}") } else { format!("${amount:.2}") }
}

/// `2m 05s`
pub(crate) fn duration(millis: u64) -> String {
    let seconds = millis / 1000;
    match seconds {
        0 if millis > 0 => format!("{millis}ms"),
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h {:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

/// `2026-01-03 16:44`, in the reader's time zone.
pub(crate) fn moment(millis: i64, zone: &TimeZone) -> String {
    match Timestamp::from_millisecond(millis) {
        Ok(instant) => instant.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M").to_string(),
        Err(_) => String::new(),
    }
}

/// How far the reader's clocks are from UTC at an instant.
pub(crate) fn minutes_from_utc(millis: i64, zone: &TimeZone) -> i32 {
    Timestamp::from_millisecond(millis).map_or(0, |instant| zone.to_offset(instant).seconds() / 60)
}

/// The day in the reader's time zone: `2026-01-03`.
pub(crate) fn day(millis: i64, zone: &TimeZone) -> String {
    moment(millis, zone).chars().take(10).collect()
}

/// `1 session`, `2 sessions`.
pub(crate) fn plural(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speaks_plainly() {
        assert_eq!([bytes(999), bytes(1500), bytes(56_000_000)], ["999 B", "1.5 kB", "56 MB"]);
        assert_eq!([count(1), count(1234), count(1_234_567)], ["1", "1,234", "1,234,567"]);
        assert_eq!([short_count(950), short_count(45_300), short_count(1_250_000)], ["950", "45k", "1.2M"]);
        assert_eq!([dollars(0.0), dollars(0.0042), dollars(12.5)], ["$0.00", "$0.0042", "$12.50"]);
        assert_eq!([duration(40), duration(5_000), duration(125_000)], ["40ms", "5s", "2m 05s"]);
        assert_eq!(moment(1_767_455_098_325, &TimeZone::UTC), "2026-01-03 15:44");
        assert_eq!(plural(1, "session", "sessions"), "1 session");
    }
}
