//! How well a message answers a query: what people said comes before what tools printed, and new before old.

use crate::extract::Kind;

/// Half of the bonus for being new is gone after so many days.
const HALF_LIFE_DAYS: f64 = 30.0;

/// The score of a message; larger is better. `coverage` says which share of the query's words its snippet shows.
pub(super) fn score(kind: Kind, millis: Option<i64>, now: i64, coverage: f64) -> f64 {
    weight(kind) + freshness(millis, now) + coverage
}

fn weight(kind: Kind) -> f64 {
    match kind {
        Kind::Title => 3.0,
        Kind::Prompt => 2.5,
        Kind::Plan => 1.8,
        Kind::Response => 1.5,
        Kind::Thinking | Kind::Error => 1.0,
        Kind::ToolCall => 0.8,
        Kind::ToolResult => 0.6,
        Kind::Context => 0.3,
    }
}

fn freshness(millis: Option<i64>, now: i64) -> f64 {
    let Some(millis) = millis else { return 0.0 };
    let days = now.saturating_sub(millis).max(0) as f64 / 86_400_000.0;
    0.5_f64.powf(days / HALF_LIFE_DAYS)
}
