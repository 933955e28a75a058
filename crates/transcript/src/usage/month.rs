//! Projects the cost of a month from the last seven days.

use super::item::UsageItem;
use crate::price::Usd;

const DAY_MILLIS: i64 = 86_400_000;

/// The number of days that the mean is taken from.
const DAYS: i64 = 7;

/// The projected cost of a month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MonthProjection {
    /// The cost so far.
    pub so_far: Usd,
    /// The mean cost per day over the last seven times 24 hours.
    pub per_day: Usd,
    /// The cost so far, plus the mean for each remaining day, including the rest of today.
    pub projected: Usd,
}

/// Projects the month from `start` to `end` (milliseconds since 1970) as of `now`. Items after `now` in the month count as
/// spent.
pub fn project_month<'a>(
    items: impl IntoIterator<Item = &'a UsageItem>,
    start: i64,
    end: i64,
    now: i64,
) -> MonthProjection {
    let (mut so_far, mut lately) = (Usd::ZERO, Usd::ZERO);
    for item in items {
        let Some(millis) = item.millis() else { continue };
        if (start..end).contains(&millis) {
            so_far += item.cost;
        }
        if millis > now - DAYS * DAY_MILLIS && millis <= now {
            lately += item.cost;
        }
    }
    let per_day = lately.scaled(1.0 / DAYS as f64);
    let left = (end - now).max(0) as f64 / DAY_MILLIS as f64;
    MonthProjection { so_far, per_day, projected: so_far + per_day.scaled(left) }
}
