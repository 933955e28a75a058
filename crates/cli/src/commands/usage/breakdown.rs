//! The models under each row of a report by time.

use std::collections::{BTreeMap, HashMap};

use annals_transcript::usage::{NO_MODEL, UsageItem, UsageRow};

use super::rows::ReportRow;

/// Gives each row the sums of its models, the dearest first. `place` names the row of an item.
pub(super) fn add_models<'a>(
    rows: &mut [ReportRow],
    items: impl Iterator<Item = &'a UsageItem>,
    mut place: impl FnMut(&UsageItem) -> Option<String>,
) {
    let mut sums: BTreeMap<(String, String), UsageRow> = BTreeMap::new();
    for item in items {
        let Some(row) = place(item) else { continue };
        let model = item.model.as_deref().unwrap_or(NO_MODEL).to_owned();
        sums.entry((row, model)).or_default().add_item(item);
    }
    let places: HashMap<String, usize> =
        rows.iter().enumerate().map(|(at, row)| (row.usage.key.clone(), at)).collect();
    for ((key, model), mut sum) in sums {
        if let Some(&at) = places.get(&key) {
            sum.key = model;
            rows[at].models.push(sum);
        }
    }
    for row in rows {
        row.models.sort_by(|left, right| {
            let order = |row: &UsageRow| (row.cost, row.tokens.total());
            order(right).cmp(&order(left)).then_with(|| left.key.cmp(&right.key))
        });
    }
}
