//! Days as the cells of a calendar: a column a week, a row a weekday.

use std::collections::BTreeMap;

/// Days in a week.
const WEEK: i64 = 7;
/// How many shades a cell has, besides none.
const LEVELS: f64 = 4.0;

/// One day.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CalendarCell {
    /// The day, counted from 1970-01-01.
    pub day: i64,
    /// The column: 0 is the first week.
    pub week: usize,
    /// The row: 0 is Monday.
    pub weekday: usize,
    /// The value of the day.
    pub value: f64,
    /// How dark it is, from 0 for nothing to 4.
    pub level: u8,
}

/// The cells of the weeks until a day, that day's week included.
///
/// ```
/// let days = std::collections::BTreeMap::from([(20_000, 3.0)]);
/// let cells = annals_ui::chart::calendar(&days, 20_001, 2);
/// assert!(cells.iter().any(|cell| cell.day == 20_000 && cell.level == 4));
/// assert_eq!(cells.last().map(|cell| cell.day), Some(20_001));
/// ```
pub fn calendar(days: &BTreeMap<i64, f64>, last: i64, weeks: usize) -> Vec<CalendarCell> {
    // 1970-01-01 was a Thursday.
    let weekday = |day: i64| (day + 3).rem_euclid(WEEK);
    let first = last - weekday(last) - WEEK * (weeks.max(1) as i64 - 1);
    let largest = days.range(first..=last).map(|(_, value)| *value).fold(0.0, f64::max);
    let cell = |day: i64| {
        let value = days.get(&day).copied().unwrap_or_default();
        let level = if value > 0.0 && largest > 0.0 { (value / largest * LEVELS).ceil() } else { 0.0 };
        CalendarCell {
            day,
            week: usize::try_from((day - first) / WEEK).unwrap_or_default(),
            weekday: usize::try_from(weekday(day)).unwrap_or_default(),
            value,
            level: level as u8,
        }
    };
    (first..=last).map(cell).collect()
}
