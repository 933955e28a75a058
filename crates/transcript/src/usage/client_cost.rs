//! The cost that the client recorded itself, in `cost-state` records. Shown beside the computed cost.

use std::collections::BTreeMap;

use memchr::memmem::Finder;

use super::tokens::Tokens;
use crate::line::Line;
use crate::objects::find_objects;
use crate::record::{CostState, Record};
use crate::record_lines::stands_alone;
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

/// What the byte search for `cost-state` records found.
#[derive(Clone, Debug, PartialEq)]
pub enum CostSearch {
    /// The last one of these lines, if any; each has the sums so far.
    Last(Option<ClientCost>),
    /// One may span several lines: the records of the file must be read one after the other.
    Unclear,
}

/// Finds the last `cost-state` record of whole lines of a file, of which the first is at `offset`; `before` is the last byte
/// before them that is no white space.
pub(super) fn last_client_cost(offset: usize, bytes: &[u8], before: u8) -> CostSearch {
    let mut last = None;
    let mut from = 0;
    let search = Finder::new(b"cost-state\"");
    while let Some(found) = search.find(&bytes[from..]) {
        let at = from + found;
        let start = memchr::memrchr(b'\n', &bytes[from..at]).map_or(from, |newline| from + newline + 1);
        let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |newline| at + newline + 1);
        if !stands_alone(bytes, start..end, before) {
            return CostSearch::Unclear;
        }
        last = client_cost(&Line::uncounted(offset + start, &bytes[start..end])).or(last);
        from = end;
    }
    CostSearch::Last(last)
}

/// The last `cost-state` record of a line.
pub fn client_cost(line: &Line<'_>) -> Option<ClientCost> {
    let mut last = None;
    find_objects(line, |fields, _| {
        if let Record::CostState(state) = Record::new(fields) {
            last = Some(ClientCost::of(line.offset, &state));
        }
    });
    last
}
