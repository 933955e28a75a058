//! Blocks of five hours, by which subscriptions are limited: a block starts at the full hour (UTC) of its first response and
//! ends five hours later; the next starts with the first response after that.

use super::item::UsageItem;
use super::report::UsageRow;
use crate::price::Usd;
use crate::time::format_millis;

const HOUR_MILLIS: i64 = 3_600_000;

/// How long a block is.
pub const BLOCK_MILLIS: i64 = 5 * HOUR_MILLIS;

/// A burn rate over less time than this says nothing.
const LEAST_MILLIS: i64 = 60_000;

/// A block with what was used in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BillingBlock {
    /// When it starts, in milliseconds since 1970.
    pub start: i64,
    /// When it ends.
    pub end: i64,
    /// What was used.
    pub row: UsageRow,
}

/// How fast a block that is not over is being used up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Burn {
    /// Milliseconds until the block ends.
    pub left: i64,
    /// Tokens of all classes a minute, since the first response.
    pub tokens_a_minute: f64,
    /// Dollars an hour, since the first response.
    pub usd_an_hour: f64,
    /// What the block will have cost if it goes on like this.
    pub projected: Usd,
}

impl BillingBlock {
    /// Whether it is not over.
    pub fn is_active(&self, now: i64) -> bool {
        (self.start..self.end).contains(&now)
    }

    /// How fast it is being used up; `None` once it is over.
    pub fn burn(&self, now: i64) -> Option<Burn> {
        let first = self.row.first?;
        if !self.is_active(now) {
            return None;
        }
        let elapsed = now.saturating_sub(first).max(LEAST_MILLIS) as f64;
        let left = self.end - now;
        Some(Burn {
            left,
            tokens_a_minute: self.row.tokens.total() as f64 * 60_000.0 / elapsed,
            usd_an_hour: self.row.cost.dollars() * HOUR_MILLIS as f64 / elapsed,
            projected: self.row.cost + self.row.cost.scaled(left as f64 / elapsed),
        })
    }
}

/// The blocks of these items, by time. What names no time belongs to none.
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
