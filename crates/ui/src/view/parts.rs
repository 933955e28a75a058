//! Where a long conversation can be divided: at prompts, which name their speaker and their whole time, whatever came before.

use super::item::{Item, ItemBody};

/// The fewest items of a part: one that is drawn in an instant is not worth a thread.
const MIN_ITEMS: usize = 64;

/// Returns where parts of these items begin, except for the first.
pub(crate) fn part_starts(items: &[Item]) -> Vec<usize> {
    let mut starts = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let is_start = matches!(item.body, ItemBody::Prompt(_)) && item.position.millis.is_some();
        if is_start && at - starts.last().unwrap_or(&0) >= MIN_ITEMS {
            starts.push(at);
        }
    }
    starts
}
