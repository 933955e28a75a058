//! The differences between two statistics, key by key.

use std::collections::BTreeMap;

use annals_json::{Value, ValueKind};

use super::StatsCache;

/// Keys about the computation, not about sessions.
const NO_STATISTICS: [&str; 3] = ["version", "lastComputedDate", "dailyModelTokensVersion"];

/// One number, text or absence that is not the same in both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatsDifference {
    /// Where, such as `modelUsage.opus.inputTokens` or `dailyActivity.2026-01-31.messageCount`.
    pub key: String,
    /// What we say, as JSON; `None` where we say nothing.
    pub ours: Option<String>,
    /// The client's value.
    pub theirs: Option<String>,
}

/// Returns all differences, by key. Lists of days are compared day by day, in any order.
pub fn differences(ours: &StatsCache<'_>, theirs: &StatsCache<'_>) -> Vec<StatsDifference> {
    let (ours, theirs) = (leaves(ours), leaves(theirs));
    let mut keys: Vec<&String> = ours.keys().chain(theirs.keys()).collect();
    keys.sort_unstable();
    keys.dedup();
    let text = |value: &Value<'_>| String::from_utf8_lossy(value.raw()).into_owned();
    let mut found = Vec::new();
    for key in keys {
        let (ours, theirs) = (ours.get(key), theirs.get(key));
        if !is_same(ours, theirs) {
            found.push(StatsDifference { key: key.clone(), ours: ours.map(text), theirs: theirs.map(text) });
        }
    }
    found
}

/// An absent number is zero, and an absent text is none: both forms leave such things out.
fn is_same(ours: Option<&Value<'_>>, theirs: Option<&Value<'_>>) -> bool {
    let is_nothing = |value: &Value<'_>| value.is_null() || value.number() == Some(0.0);
    match (ours, theirs) {
        (Some(one), None) | (None, Some(one)) => is_nothing(one),
        (Some(ours), Some(theirs)) => match (ours.kind(), theirs.kind()) {
            (ValueKind::Number, ValueKind::Number) => ours.number() == theirs.number(),
            (ValueKind::String, ValueKind::String) => {
                ours.text().map(|text| text.decode()) == theirs.text().map(|text| text.decode())
            }
            _ => ours.raw() == theirs.raw(),
        },
        (None, None) => true,
    }
}

fn leaves<'a>(statistics: &StatsCache<'a>) -> BTreeMap<String, Value<'a>> {
    let mut found = BTreeMap::new();
    for field in statistics.fields().iter() {
        let key = field.key.decode();
        if !NO_STATISTICS.contains(&&*key) {
            collect(key.into_owned(), field.value, &mut found);
        }
    }
    found
}

fn collect<'a>(key: String, value: Value<'a>, found: &mut BTreeMap<String, Value<'a>>) {
    match value.kind() {
        ValueKind::Object => {
            for field in value.fields().iter().flat_map(|fields| fields.iter()) {
                collect(format!("{key}.{}", field.key), field.value, found);
            }
        }
        ValueKind::Array => {
            for (at, item) in value.items().enumerate() {
                // A day is identified by its date, anything else by its index.
                let date = item.get("date").and_then(Value::text);
                let name = date.map_or_else(|| at.to_string(), |date| date.to_string());
                collect(format!("{key}.{name}"), item, found);
            }
        }
        _ => {
            found.insert(key, value);
        }
    }
}
