//! What a month will have cost if it goes on as in the last seven days.

use super::item::UsageItem;
use crate::price::Usd;

const DAY_MILLIS: i64 = 86_400_000;

/// How many days back the pace is taken from.
const DAYS: i64 = 7;

/// A month that is not over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Projection {
    /// What it has cost so far.
    pub so_far: Usd,
    /// What a day cost, in the mean of the last seven times 24 hours.
    pub a_day: Usd,
    /// What it will have cost: so far, and the mean day for each day that is left, the rest of today included.
    pub projected: Usd,
}

/// Projects the month from `start` to `end` (milliseconds since 1970) as of `now`. Items count by their quarters of an
/// hour, and those behind `now` count as if they had come.
pub fn project_month<'a>(
    items: impl IntoIterator<Item = &'a UsageItem>,
    start: i64,
    end: i64,
    now: i64,
) -> Projection {
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
    let a_day = lately.scaled(1.0 / DAYS as f64);
    let left = (end - now).max(0) as f64 / DAY_MILLIS as f64;
    Projection { so_far, a_day, projected: so_far + a_day.scaled(left) }
}
