//! Demo time: moments as milliseconds since 1970, written as JavaScript writes them. No real clock is read.

/// The first day of the store.
pub(crate) const FIRST_DAY: i64 = at(2026, 1, 5, 0, 0);
/// The day after its last.
pub(crate) const LAST_DAY: i64 = at(2026, 11, 11, 0, 0);
pub(crate) const DAY: i64 = 86_400_000;

/// A moment by the calendar, in UTC.
pub(crate) const fn at(year: i64, month: i64, day: i64, hour: i64, minute: i64) -> i64 {
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let era = y / 400;
    let of_era = y - era * 400;
    let day_of_year = (153 * m + 2) / 5 + day - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + day_of_year - 719_468;
    days * DAY + hour * 3_600_000 + minute * 60_000
}

/// `2026-01-05T09:30:00.000Z` as text that can be copied.
#[derive(Clone, Copy)]
pub(crate) struct Timestamp([u8; 24]);

impl Timestamp {
    pub(crate) fn of(ms: i64) -> Self {
        let (days, of_day) = (ms.div_euclid(DAY), ms.rem_euclid(DAY));
        let z = days + 719_468;
        let era = z.div_euclid(146_097);
        let doe = z.rem_euclid(146_097);
        let yoe = (doe - doe / 1_460 + doe / 36_524 - doe / 146_096) / 365;
        let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
        let mp = (5 * doy + 2) / 153;
        let day = doy - (153 * mp + 2) / 5 + 1;
        let month = if mp < 10 { mp + 3 } else { mp - 9 };
        let year = yoe + era * 400 + i64::from(month <= 2);
        let mut text = *b"0000-00-00T00:00:00.000Z";
        let mut put = |at: usize, width: usize, mut value: i64| {
            for place in (at..at + width).rev() {
                text[place] = b'0' + (value % 10) as u8;
                value /= 10;
            }
        };
        put(0, 4, year);
        put(5, 2, month);
        put(8, 2, day);
        put(11, 2, of_day / 3_600_000);
        put(14, 2, of_day / 60_000 % 60);
        put(17, 2, of_day / 1_000 % 60);
        put(20, 3, of_day % 1_000);
        Self(text)
    }

    pub(crate) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// The day alone.
    pub(crate) fn date(&self) -> &str {
        &self.as_str()[..10]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_moments() {
        assert_eq!(Timestamp::of(0).as_str(), "1970-01-01T00:00:00.000Z");
        assert_eq!(Timestamp::of(at(2026, 11, 10, 23, 59) + 59_007).as_str(), "2026-11-10T23:59:59.007Z");
        assert_eq!(Timestamp::of(at(2024, 2, 29, 12, 0)).as_str(), "2024-02-29T12:00:00.000Z");
    }
}
