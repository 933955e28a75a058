//! The cost that the client recorded itself, in `cost-state` records. Shown beside the computed cost.

use std::collections::BTreeMap;

use memchr::memmem::Finder;

use super::tokens::Tokens;
use crate::line::Line;
use crate::objects::find_objects;
use crate::record::{CostState, Record};
use annals_json::Fields;

/// The content of a `cost-state` record.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ClientCost {
    /// The byte offset of its line.
    pub offset: usize,
    /// Dollars.
    pub usd: f64,
    /// Tokens and dollars by model; all cache writes count as five-minute ones, because the record does not split them.
    pub models: BTreeMap<String, (Tokens, f64)>,
    /// Whether a model without a price was used.
    pub has_unknown_model: bool,
}

impl ClientCost {
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

/// Returns the last `cost-state` record of whole lines of a file, of which the first is at `offset`; each has the sums so
/// far.
pub fn last_client_cost(offset: usize, bytes: &[u8]) -> Option<ClientCost> {
    let mut last = None;
    let mut from = 0;
    let search = Finder::new(b"cost-state\"");
    while let Some(found) = search.find(&bytes[from..]) {
        let at = from + found;
        let start = memchr::memrchr(b'\n', &bytes[from..at]).map_or(from, |newline| from + newline + 1);
        let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |newline| at + newline + 1);
        find_objects(&Line::uncounted(offset + start, &bytes[start..end]), |fields, _| {
            if let Record::CostState(state) = Record::new(fields) {
                last = Some(ClientCost::of(offset + start, &state));
            }
        });
        from = end;
    }
    last
}
