//! The columns of a response, with its cost.

use annals_json::ObjectWriter;
use annals_transcript::price::Prices;
use annals_transcript::usage::{
    Certainty, Charge, FileIndex, ResponseUsage, ServiceTier, Speed, Tokens, UsageItem,
};

use super::item::number_or_null;

/// The positions are the stored numbers.
pub(crate) const CERTAINTIES: [Certainty; 3] = [Certainty::Priced, Certainty::Estimated, Certainty::Unpriced];
const TIERS: [ServiceTier; 4] =
    [ServiceTier::Standard, ServiceTier::Batch, ServiceTier::Priority, ServiceTier::Other];
const SPEEDS: [Speed; 3] = [Speed::Standard, Speed::Fast, Speed::Other];

pub(super) fn write_response(response: &ResponseUsage, prices: &Prices, object: &mut ObjectWriter<'_>) {
    let key = u128::from_be_bytes(response.key.to_bytes());
    object.raw("key", key.to_string().as_bytes());
    number_or_null(object, "millis", response.millis);
    object.boolean("is_copy", response.is_copy).boolean("is_sidechain", response.is_sidechain);
    object.string("agent", response.agent.as_deref().unwrap_or_default());
    let reading = &response.reading;
    object.number("tier", position(&TIERS, reading.tier)).number("speed", position(&SPEEDS, reading.speed));
    object.string("prices", prices.as_of());
    let mut charges = response.charges().map(|charge| item(&charge, prices));
    if let Some(main) = charges.next() {
        for (name, value) in numbers(&main) {
            object.raw(name, value.as_bytes());
        }
        object.string("model", main.model.as_deref().unwrap_or_default());
    }
    object.array("side_calls", |list| {
        for side in charges {
            list.object(|object| {
                object.string("model", side.model.as_deref().unwrap_or_default());
                for (name, value) in numbers(&side) {
                    object.raw(name, value.as_bytes());
                }
            });
        }
    });
}

fn item(charge: &Charge<'_>, prices: &Prices) -> UsageItem {
    UsageItem::of(FileIndex::default(), charge, charge.model.and_then(|model| prices.find(model)))
}

fn numbers(item: &UsageItem) -> [(&'static str, String); 10] {
    let Tokens { input, output, cache_read, cache_write_5m, cache_write_1h, web_searches, web_fetches } =
        item.tokens;
    [
        ("certainty", position(&CERTAINTIES, item.certainty).to_string()),
        ("input", input.to_string()),
        ("output", output.to_string()),
        ("cache_read", cache_read.to_string()),
        ("write_5m", cache_write_5m.to_string()),
        ("write_1h", cache_write_1h.to_string()),
        ("searches", web_searches.to_string()),
        ("fetches", web_fetches.to_string()),
        ("cost", item.cost.femtodollars().to_string()),
        ("bare_cost", item.without_cache.femtodollars().to_string()),
    ]
}

fn position<T: PartialEq>(all: &[T], one: T) -> u64 {
    all.iter().position(|other| *other == one).unwrap_or(0) as u64
}
