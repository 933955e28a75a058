//! Sends the spool to the sink, in order: at once while the sink works, with waits when it fails.

use std::collections::BTreeSet;

use crate::collector::Collector;
use crate::error::CollectError;
use crate::item::{Batch, ItemForm};
use crate::refused::PartialDelivery;
use crate::report::PassReport;
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
        self.passed.batches += 1;
        let is_spooled = self.before.is_some_and(|before| batch.sequence <= before);
        for item in batch.items {
            match item.form {
                ItemForm::Gone => self.passed.gone += 1,
                ItemForm::Moved => self.passed.moved += 1,
                ItemForm::Back => self.passed.back += 1,
                ItemForm::Line | ItemForm::Torn | ItemForm::File => {
                    self.passed.items += 1;
                    self.passed.spooled += u64::from(is_spooled);
                    self.passed.bytes += item.length;
                    self.passed.withheld += u64::from(item.is_withheld());
                    self.passed.torn += u64::from(item.form == ItemForm::Torn);
                    if !self.files.contains(&item.file) {
                        self.files.insert(item.file);
                    }
                }
            }
        }
    }
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

    /// Sends a batch that was just put into the spool: if nothing is before it, without reading it again.
    pub(crate) fn send_added(
        &mut self,
        added: SpooledBatch,
        delivery: &mut Delivery<'_>,
    ) -> Result<(), CollectError> {
        if delivery.failure.is_none() && self.spool.first_number() == Some(added.batch.sequence) {
            self.attempt(added, 1, delivery)?;
        } else {
            // It may be long, and is on the disk.
            drop(added);
        }
        self.send_waiting(delivery)
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
        let batch = first.batch;
        let mut parts = PartialDelivery::new(delivery.sink);
        let done = parts.deliver(&batch).and_then(|()| parts.outcome(self.state.has_acknowledged));
        let Err(source) = done else {
            let refused = parts.into_refusals();
            let time = self.source.now();
            delivery.passed.set_aside.extend(self.spool.set_aside(&batch, &refused, time)?);
            let is_refused = |index: usize| refused.iter().any(|refusal| refusal.index == index);
            let (mut accepted, mut places) = (batch, 0..);
            accepted.items.retain(|_| places.next().is_none_or(|index| !is_refused(index)));
            self.state.has_acknowledged |= !accepted.items.is_empty();
            // Only the spool and the state know how far the files are read.
            self.state.save()?;
            self.spool.remove_first()?;
            delivery.note(accepted);
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
