//! Scores messages: what people wrote before what tools printed, new before old.

use crate::extract::MessageKind;

/// After this many days half of the bonus for recency is gone.
const HALF_LIFE_DAYS: f64 = 30.0;

/// The most that finding all words of the query in a snippet adds.
pub(super) const MAX_COVERAGE: f64 = 1.0;

/// The score of a message; higher is better. `coverage` is the share of the query's words in its snippet.
pub fn score(kind: MessageKind, millis: Option<i64>, now: i64, coverage: f64) -> f64 {
    weight(kind) + freshness(millis, now) + coverage
}

/// The score of a session: that of its best message, and a little for each time that their number doubles.
pub fn session_score(best: f64, count: u64) -> f64 {
    best + 0.1 * (count.max(1) as f64).log2()
}

fn weight(kind: MessageKind) -> f64 {
    match kind {
        MessageKind::Title => 3.0,
        MessageKind::Prompt => 2.5,
        MessageKind::Plan | MessageKind::Memory => 1.8,
        MessageKind::Response => 1.5,
        MessageKind::Thinking | MessageKind::Error => 1.0,
        MessageKind::ToolCall => 0.8,
        MessageKind::ToolResult => 0.6,
        MessageKind::Context => 0.3,
    }
}

fn freshness(millis: Option<i64>, now: i64) -> f64 {
    let Some(millis) = millis else { return 0.0 };
    let days = now.saturating_sub(millis).max(0) as f64 / 86_400_000.0;
    0.5_f64.powf(days / HALF_LIFE_DAYS)
}
