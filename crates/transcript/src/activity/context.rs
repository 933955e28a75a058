//! How contexts grow: what goes into the first request of a conversation, into its largest, and by how much each adds.

use std::collections::HashMap;
use std::sync::Arc;

use super::quantile::Quantiles;
use crate::usage::{Ledger, ResponseUsage, Thread, UsageSource};

/// The growth of contexts over many sessions; sub-agents are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContextGrowth {
    /// Tokens of the first request of a session.
    pub first: Option<Quantiles>,
    /// Tokens of the largest.
    pub peak: Option<Quantiles>,
    /// Tokens that a request adds, in the mean of a session with at least two.
    pub per_response: Option<Quantiles>,
}

/// When and where a request was, and the tokens that went into it.
type Request = ((Option<i64>, usize), u64);

/// The growth of the contexts of these files, as far as `keeps` wants their responses.
pub fn context_growth(
    ledger: &Ledger,
    sources: &[UsageSource],
    keeps: impl Fn(&UsageSource, &ResponseUsage) -> bool,
) -> ContextGrowth {
    let mut sessions: HashMap<&Arc<str>, Vec<Request>> = HashMap::new();
    for entry in ledger.entries() {
        let Some(source) = sources.get(entry.file as usize) else { continue };
        if source.thread == Thread::Main && !entry.usage.is_sidechain && keeps(source, &entry.usage) {
            let place = (entry.usage.millis, entry.usage.node);
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
