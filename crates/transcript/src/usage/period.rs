//! Calendar periods for reports, and their names.

use crate::time::format_millis;

const DAY_MILLIS: i64 = 86_400_000;

/// A calendar period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Period {
    /// From a full hour to the next.
    Hour,
    /// From midnight to midnight.
    Day,
    /// A week, from Monday to Sunday.
    Week,
    /// From the first of a month to the first of the next.
    Month,
}

impl Period {
    /// The name of the period of an instant. `local` is local time: milliseconds since 1970 plus the offset of the time zone.
    ///
    /// Names sort by time: `2026-01-03 15:00`, `2026-01-03`, the Monday of a week, `2026-01`.
    pub fn name(self, local: i64) -> String {
        let begin = |text: String, length: usize| text.chars().take(length).collect::<String>();
        match self {
            Self::Hour => begin(format_millis(local), 13).replace('T', " ") + ":00",
            Self::Day => begin(format_millis(local), 10),
            Self::Week => {
                // Day 0 of 1970 was a Thursday.
                let day = local.div_euclid(DAY_MILLIS);
                let monday = day - (day + 3).rem_euclid(7);
                begin(format_millis(monday * DAY_MILLIS), 10)
            }
            Self::Month => begin(format_millis(local), 7),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::parse_millis;

    #[test]
    fn names_of_spans() {
        let name = |period: Period, text: &str| period.name(parse_millis(text).unwrap());
        assert_eq!(name(Period::Hour, "2026-01-03T15:44:58Z"), "2026-01-03 15:00");
        assert_eq!(name(Period::Day, "2026-01-03T23:59:59Z"), "2026-01-03");
        assert_eq!(name(Period::Month, "2026-01-03T15:44:58Z"), "2026-01");
        // The third of January 2026 is a Saturday; its week began in the year before.
        assert_eq!(name(Period::Week, "2026-01-03T15:44:58Z"), "2025-12-29");
        assert_eq!(name(Period::Week, "2026-01-05T00:00:00Z"), "2026-01-05");
        assert_eq!(name(Period::Week, "1970-01-01T00:00:00Z"), "1969-12-29");
    }
}
