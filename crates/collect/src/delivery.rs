//! Sends the spool to the sink, in order: at once while the sink works, with waits when it fails.

use std::collections::BTreeSet;

use crate::collector::{Collector, OversizedItem, PassReport};
use crate::error::CollectError;
use crate::item::{Batch, Item};
use crate::sink::{Sink, SinkError};
use crate::spool::Backlog;
use crate::spooled_batch::SpooledBatch;

/// The sink of a pass, with what was delivered so far.
pub(crate) struct Delivery<'s> {
    sink: &'s mut dyn Sink,
    pub(crate) passed: PassReport,
    /// The files of what was acknowledged.
    files: BTreeSet<String>,
    /// The last batch that an earlier pass had read.
    before: Option<u64>,
    /// The last attempt, if it failed.
    failure: Option<FailedAttempt>,
    /// Whether reading stopped because the spool is full.
    pub(crate) is_full: bool,
}

/// A batch that was not acknowledged.
struct FailedAttempt {
    batch: u64,
    attempts: u32,
    source: SinkError,
}

impl<'s> Delivery<'s> {
    /// Begins a pass; batches up to `before` are of earlier passes.
    pub(crate) fn new(sink: &'s mut dyn Sink, before: Option<u64>) -> Self {
        let (passed, files) = (PassReport::default(), BTreeSet::new());
        Self { sink, passed, files, before, failure: None, is_full: false }
    }

    /// What the pass did.
    pub(crate) fn passed(self) -> PassReport {
        PassReport { files: self.files.len() as u64, ..self.passed }
    }

    fn note(&mut self, batch: Batch) {
        let items = batch.items.len() as u64;
        self.passed.batches += 1;
        self.passed.items += items;
        self.passed.spooled +=
            if self.before.is_some_and(|before| batch.sequence <= before) { items } else { 0 };
        self.passed.bytes += batch.items.iter().map(|item| item.length).sum::<u64>();
        self.passed.withheld += batch.items.iter().filter(|item| item.is_withheld()).count() as u64;
        for item in batch.items {
            if !self.files.contains(&item.file) {
                self.files.insert(item.file);
            }
        }
    }
}

/// Delivers a batch, in halves if it is too large. Parts keep its number: if one of them is not acknowledged, the whole batch
/// is sent again. Items that are too large alone are returned in `too_large`.
fn deliver_parts(sink: &mut dyn Sink, batch: &Batch, too_large: &mut Vec<Item>) -> Result<(), SinkError> {
    let delivered = sink.deliver(batch);
    let (Err(SinkError::TooLarge { .. }), [_, ..]) = (&delivered, &batch.items[..]) else { return delivered };
    if let [item] = &batch.items[..] {
        too_large.push(item.clone());
        return Ok(());
    }
    let (first, second) = batch.items.split_at(batch.items.len() / 2);
    for items in [first, second] {
        deliver_parts(sink, &batch.with_items(items.to_vec()), too_large)?;
    }
    Ok(())
}

impl Collector<'_> {
    /// Sends the batches of the spool, each once, until the sink fails.
    pub(crate) fn send_waiting(&mut self, delivery: &mut Delivery<'_>) -> Result<(), CollectError> {
        while delivery.failure.is_none() {
            let Some(first) = self.spool.first()? else { break };
            self.attempt(first, 1, delivery)?;
        }
        Ok(())
    }

    /// Sends the spool again, with waits between, until it is empty or the attempts are used up.
    pub(crate) fn retry_waiting(&mut self, delivery: &mut Delivery<'_>) -> Result<(), CollectError> {
        while let Some(failure) = delivery.failure.take() {
            let asked = match &failure.source {
                SinkError::Unavailable { retry_after, .. } if failure.attempts < self.retry.attempts => {
                    *retry_after
                }
                _ => return Err(self.not_delivered(failure, delivery)),
            };
            delivery.passed.retries += 1;
            self.source.pause(self.retry.wait(failure.attempts, asked, self.source));
            if let Some(first) = self.spool.first()? {
                self.attempt(first, failure.attempts + 1, delivery)?;
            }
            self.send_waiting(delivery)?;
        }
        Ok(())
    }

    fn attempt(
        &mut self,
        first: SpooledBatch,
        attempts: u32,
        delivery: &mut Delivery<'_>,
    ) -> Result<(), CollectError> {
        let mut batch = first.batch;
        let mut too_large = Vec::new();
        let Err(source) = deliver_parts(delivery.sink, &batch, &mut too_large) else {
            for item in too_large {
                let path = self.spool.set_aside(&batch, &item)?;
                batch.items.retain(|other| *other != item);
                let Item { file, number: line, length: bytes, .. } = item;
                delivery.passed.set_aside.push(OversizedItem { file, line, bytes, path });
            }
            // Only the spool and the state know how far the files are read.
            self.state.save()?;
            self.spool.remove_first()?;
            delivery.note(batch);
            return Ok(());
        };
        let is_local = matches!(source, SinkError::Write(_) | SinkError::Output { .. });
        let failure = FailedAttempt { batch: batch.sequence, attempts, source };
        if is_local {
            // If this disk or this terminal fails, reading on would only fill it more.
            return Err(self.not_delivered(failure, delivery));
        }
        delivery.failure = Some(failure);
        Ok(())
    }

    fn not_delivered(&self, failure: FailedAttempt, delivery: &Delivery<'_>) -> CollectError {
        let waiting = Backlog { is_full: delivery.is_full, ..self.spool.waiting() };
        let FailedAttempt { batch, attempts, source } = failure;
        CollectError::NotDelivered { batch, attempts, waiting, source }
    }
}
