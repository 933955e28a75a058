//! Context growth: the size of the first and of the largest request of a session, and the growth per request.

use std::collections::HashMap;
use std::sync::Arc;

use super::quantile::Quantiles;
use crate::usage::{ResponseUsage, Thread, UsageLedger, UsageSource};

/// The growth of contexts over many sessions; sub-agents are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContextGrowth {
    /// Tokens of the first request of a session.
    pub first: Option<Quantiles>,
    /// Tokens of the largest request of a session.
    pub peak: Option<Quantiles>,
    /// Mean tokens added per request, for sessions with at least two.
    pub per_response: Option<Quantiles>,
}

/// The time and position of a request, and its input tokens.
type RequestContext = ((Option<i64>, usize), u64);

/// Computes the context growth over these files, for the responses that pass `keeps`.
pub fn context_growth(
    ledger: &UsageLedger,
    sources: &[UsageSource],
    keeps: impl Fn(&UsageSource, &ResponseUsage) -> bool,
) -> ContextGrowth {
    let mut sessions: HashMap<&Arc<str>, Vec<RequestContext>> = HashMap::new();
    for entry in ledger.entries() {
        let Some(source) = sources.get(entry.file.get()) else { continue };
        if source.thread == Thread::Main && !entry.usage.is_sidechain && keeps(source, &entry.usage) {
            let place = (entry.usage.millis, entry.usage.position);
            sessions.entry(&source.session).or_default().push((place, entry.usage.reading.tokens.context()));
        }
    }
    let (mut first, mut peak, mut per_response) = (Vec::new(), Vec::new(), Vec::new());
    for contexts in sessions.values() {
        let opening = contexts.iter().min().map_or(0, |(_, tokens)| *tokens);
        let largest = contexts.iter().map(|(_, tokens)| *tokens).max().unwrap_or(0);
        first.push(opening);
        peak.push(largest);
        if contexts.len() > 1 {
            per_response.push((largest - opening) / (contexts.len() as u64 - 1));
        }
    }
    ContextGrowth {
        first: Quantiles::of(first),
        peak: Quantiles::of(peak),
        per_response: Quantiles::of(per_response),
    }
}
