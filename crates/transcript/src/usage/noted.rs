//! What the client itself has noted of a session's cost: `cost-state` records. To be shown beside our account.

use std::collections::BTreeMap;

use memchr::memmem::Finder;

use super::tokens::Tokens;
use crate::line::Line;
use crate::objects::find_objects;
use crate::record::{CostState, Record};
use annals_json::Fields;

/// What a `cost-state` record says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NotedCost {
    /// Where its line starts in the file.
    pub offset: usize,
    /// Dollars.
    pub usd: f64,
    /// Tokens and dollars by model; writes to the cache are not split there, and stand as five minutes.
    pub models: BTreeMap<String, (Tokens, f64)>,
    /// Whether a model without a price took part.
    pub has_unknown_model: bool,
}

impl NotedCost {
    fn of(offset: usize, state: &CostState<'_>) -> Self {
        let model = |fields: Fields<'_>| {
            let count = |key: &str| fields.count(key).unwrap_or(0);
            let tokens = Tokens {
                input: count("inputTokens"),
                output: count("outputTokens"),
                cache_read: count("cacheReadInputTokens"),
                cache_write_5m: count("cacheCreationInputTokens"),
                web_searches: count("webSearchRequests"),
                ..Tokens::default()
            };
            (tokens, fields.number("costUSD").unwrap_or(0.0))
        };
        let models = state.model_usage();
        let models = models.iter().flat_map(|models| models.iter());
        Self {
            offset,
            usd: state.total_cost_usd().unwrap_or(0.0),
            models: models
                .filter_map(|field| Some((field.key.to_string(), model(field.value.fields()?))))
                .collect(),
            has_unknown_model: state.has_unknown_model_cost() == Some(true),
        }
    }
}

/// The last `cost-state` record of whole lines of a file, of which the first stands at `offset`: each record has the
/// sums so far.
pub fn last_noted_cost(offset: usize, bytes: &[u8]) -> Option<NotedCost> {
    let mut last = None;
    let mut from = 0;
    let search = Finder::new(b"cost-state\"");
    while let Some(found) = search.find(&bytes[from..]) {
        let at = from + found;
        let start = memchr::memrchr(b'\n', &bytes[from..at]).map_or(from, |newline| from + newline + 1);
        let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |newline| at + newline + 1);
        find_objects(&Line::uncounted(offset + start, &bytes[start..end]), |fields, _| {
            if let Record::CostState(state) = Record::new(fields) {
                last = Some(NotedCost::of(offset + start, &state));
            }
        });
        from = end;
    }
    last
}
