//! Five-hour blocks, by which subscriptions are limited. A block starts at the full hour (UTC) of its first response; the
//! next starts with the first response after its end.

use super::item::UsageItem;
use super::report::UsageRow;
use crate::price::Usd;
use crate::time::format_millis;

const HOUR_MILLIS: i64 = 3_600_000;

/// The length of a block.
pub const BLOCK_MILLIS: i64 = 5 * HOUR_MILLIS;

/// Minimum time for a burn rate.
const MIN_MILLIS: i64 = 60_000;

/// A block and its usage.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BillingBlock {
    /// The start, in milliseconds since 1970.
    pub start: i64,
    /// When it ends, in milliseconds since 1970.
    pub end: i64,
    /// The usage.
    pub row: UsageRow,
}

/// The burn rate of an active block.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BurnRate {
    /// Milliseconds until the block ends.
    pub left: i64,
    /// Tokens of all classes per minute, since the first response.
    pub tokens_per_minute: f64,
    /// Dollars per hour, since the first response.
    pub usd_per_hour: f64,
    /// The projected cost of the block.
    pub projected: Usd,
}

impl BillingBlock {
    /// Whether `now` is in the block.
    pub fn is_active(&self, now: i64) -> bool {
        (self.start..self.end).contains(&now)
    }

    /// Returns the burn rate; `None` if the block is over.
    pub fn burn(&self, now: i64) -> Option<BurnRate> {
        let first = self.row.first?;
        if !self.is_active(now) {
            return None;
        }
        let elapsed = now.saturating_sub(first).max(MIN_MILLIS) as f64;
        let left = self.end - now;
        Some(BurnRate {
            left,
            tokens_per_minute: self.row.tokens.total() as f64 * 60_000.0 / elapsed,
            usd_per_hour: self.row.cost.dollars() * HOUR_MILLIS as f64 / elapsed,
            projected: self.row.cost + self.row.cost.scaled(left as f64 / elapsed),
        })
    }
}

/// Groups items into blocks, by time. Items without a time are skipped.
pub fn blocks<'a>(items: impl IntoIterator<Item = &'a UsageItem>) -> Vec<BillingBlock> {
    let mut dated: Vec<(i64, &UsageItem)> =
        items.into_iter().filter_map(|item| Some((item.millis()?, item))).collect();
    dated.sort_by_key(|(millis, _)| *millis);
    let mut found: Vec<BillingBlock> = Vec::new();
    for (millis, item) in dated {
        if found.last().is_none_or(|block| millis >= block.end) {
            let start = millis.div_euclid(HOUR_MILLIS) * HOUR_MILLIS;
            let row = UsageRow::new(format_millis(start));
            found.push(BillingBlock { start, end: start + BLOCK_MILLIS, row });
        }
        if let Some(block) = found.last_mut() {
            block.row.add_item(item);
        }
    }
    found
}
