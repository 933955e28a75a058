//! The models under each row of a report by time.

use annals_transcript::usage::{NO_MODEL, UsageItem, UsageRow};

/// Sums of each model in each row. Rows have numbers.
#[derive(Default)]
pub(super) struct ModelSums(Vec<Vec<UsageRow>>);

impl ModelSums {
    pub(super) fn add(&mut self, row: usize, item: &UsageItem) {
        if row >= self.0.len() {
            self.0.resize_with(row + 1, Vec::new);
        }
        let (models, name) = (&mut self.0[row], item.model.as_deref().unwrap_or(NO_MODEL));
        let at = models.iter().position(|sum| sum.key == name).unwrap_or_else(|| {
            models.push(UsageRow::new(name));
            models.len() - 1
        });
        models[at].add_item(item);
    }

    /// The models of a row, the dearest first.
    pub(super) fn take(&mut self, row: usize) -> Vec<UsageRow> {
        let mut models = self.0.get_mut(row).map(std::mem::take).unwrap_or_default();
        models.sort_by(|left, right| {
            let order = |row: &UsageRow| (row.cost, row.tokens.total());
            order(right).cmp(&order(left)).then_with(|| left.key.cmp(&right.key))
        });
        models
    }
}
