//! Delivers a batch in parts if the sink does not take it as a whole, and finds the items that it will never take.

use crate::item::Batch;
use crate::sink::{ItemRefusal, Sink, SinkError};

/// How many single items a sink may refuse, and accept none, until the rest of the batch counts as refused, too.
const MAX_REFUSALS: usize = 8;

/// The delivery of one batch. Parts keep its number: if one of them is not acknowledged, the whole batch is sent again.
pub(crate) struct PartialDelivery<'s> {
    sink: &'s mut dyn Sink,
    accepted: usize,
    refused: Vec<ItemRefusal>,
    /// Single items that were refused for what they are, not for their size.
    judged: usize,
    /// Whether the sink has named what it refuses.
    has_named: bool,
}

impl<'s> PartialDelivery<'s> {
    pub(crate) fn new(sink: &'s mut dyn Sink) -> Self {
        Self { sink, accepted: 0, refused: Vec::new(), judged: 0, has_named: false }
    }

    /// Delivers a batch, in halves if it is too large or refused.
    pub(crate) fn deliver(&mut self, batch: &Batch) -> Result<(), SinkError> {
        self.deliver_part(batch, 0)
    }

    fn deliver_part(&mut self, part: &Batch, first: usize) -> Result<(), SinkError> {
        let count = part.items.len();
        let refusal = |index: usize, error: &SinkError| match error {
            SinkError::Refused { what } => ItemRefusal { index, reason: what.clone() },
            other => ItemRefusal { index, reason: other.to_string() },
        };
        match self.sink.deliver(part) {
            Ok(()) => self.accepted += count,
            Err(SinkError::RefusedItems { items }) => {
                self.has_named = true;
                let within = items.into_iter().filter(|item| item.index < count);
                let before = self.refused.len();
                self.refused.extend(within.map(|item| ItemRefusal { index: first + item.index, ..item }));
                self.accepted += count.saturating_sub(self.refused.len() - before);
            }
            Err(error @ (SinkError::TooLarge { .. } | SinkError::Refused { .. })) if count == 1 => {
                self.judged += usize::from(matches!(error, SinkError::Refused { .. }));
                self.refused.push(refusal(first, &error));
            }
            Err(error @ SinkError::Refused { .. }) if self.accepted == 0 && self.judged >= MAX_REFUSALS => {
                self.judged += count;
                self.refused.extend((first..first + count).map(|index| refusal(index, &error)));
            }
            Err(SinkError::TooLarge { .. } | SinkError::Refused { .. }) if count > 1 => {
                let (left, right) = part.items.split_at(count / 2);
                self.deliver_part(&part.with_items(left.to_vec()), first)?;
                self.deliver_part(&part.with_items(right.to_vec()), first + left.len())?;
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Fails if the sink accepted nothing, and has never accepted anything: then it is the address or the token that is wrong,
    /// not the items.
    pub(crate) fn outcome(&self, has_acknowledged: bool) -> Result<(), SinkError> {
        let is_sink_at_fault = self.judged > 0 && self.accepted == 0 && !self.has_named && !has_acknowledged;
        match self.refused.first().filter(|_| is_sink_at_fault) {
            Some(first) => Err(SinkError::Denied { what: first.reason.clone() }),
            None => Ok(()),
        }
    }

    /// The items that were refused, by their indexes.
    pub(crate) fn into_refusals(self) -> Vec<ItemRefusal> {
        self.refused
    }
}
