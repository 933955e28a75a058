//! What is in the spool goes to the sink, in order: at once while the sink is well, with waits when it is not.

use std::collections::BTreeSet;

use crate::collector::{Collector, Passed, SetAside};
use crate::error::CollectError;
use crate::item::{Batch, Item};
use crate::sink::{Sink, SinkError};
use crate::spool::Waiting;
use crate::spooled::Spooled;

/// The sink of a pass, and how it goes.
pub(crate) struct Delivery<'s> {
    sink: &'s mut dyn Sink,
    pub(crate) passed: Passed,
    /// The files of what was acknowledged.
    files: BTreeSet<String>,
    /// Up to this number, an earlier pass had read it.
    before: Option<u64>,
    /// What the last attempt ended with, where it failed.
    trouble: Option<Trouble>,
    /// Whether reading stopped for want of room.
    pub(crate) is_full: bool,
}

/// A batch that was not acknowledged.
struct Trouble {
    batch: u64,
    attempts: u32,
    source: SinkError,
}

impl<'s> Delivery<'s> {
    /// Begins a pass; up to the number `before`, batches wait from earlier.
    pub(crate) fn new(sink: &'s mut dyn Sink, before: Option<u64>) -> Self {
        let (passed, files) = (Passed::default(), BTreeSet::new());
        Self { sink, passed, files, before, trouble: None, is_full: false }
    }

    /// What the pass did.
    pub(crate) fn passed(self) -> Passed {
        Passed { files: self.files.len() as u64, ..self.passed }
    }

    fn note(&mut self, batch: Batch) {
        let items = batch.items.len() as u64;
        self.passed.batches += 1;
        self.passed.items += items;
        self.passed.spooled +=
            if self.before.is_some_and(|before| batch.sequence <= before) { items } else { 0 };
        self.passed.bytes += batch.items.iter().map(|item| item.length).sum::<u64>();
        self.passed.withheld += batch.items.iter().filter(|item| item.text.is_none()).count() as u64;
        for item in batch.items {
            if !self.files.contains(&item.file) {
                self.files.insert(item.file);
            }
        }
    }
}

/// Delivers a batch, in halves of halves where it is too large. Parts keep its number: where one of them is not acknowledged,
/// all of it is sent again. What is too large even alone is told, and the rest goes on.
fn deliver_parts(sink: &mut dyn Sink, batch: &Batch, too_large: &mut Vec<Item>) -> Result<(), SinkError> {
    let delivered = sink.deliver(batch);
    let (Err(SinkError::TooLarge { .. }), [_, ..]) = (&delivered, &batch.items[..]) else { return delivered };
    if let [item] = &batch.items[..] {
        too_large.push(item.clone());
        return Ok(());
    }
    let (first, second) = batch.items.split_at(batch.items.len() / 2);
    for items in [first, second] {
        let part = Batch { machine: batch.machine.clone(), sequence: batch.sequence, items: items.to_vec() };
        deliver_parts(sink, &part, too_large)?;
    }
    Ok(())
}

impl Collector<'_> {
    /// Sends what waits, each batch once, until the sink fails.
    pub(crate) fn send_waiting(&mut self, delivery: &mut Delivery<'_>) -> Result<(), CollectError> {
        while delivery.trouble.is_none() {
            let Some(first) = self.spool.first()? else { break };
            self.attempt(first, 1, delivery)?;
        }
        Ok(())
    }

    /// Sends what the sink did not take, with waits between, until it has everything or the patience is at its end.
    pub(crate) fn insist(&mut self, delivery: &mut Delivery<'_>) -> Result<(), CollectError> {
        while let Some(trouble) = delivery.trouble.take() {
            let asked = match &trouble.source {
                SinkError::Away { retry_after, .. } if trouble.attempts < self.retry.attempts => *retry_after,
                _ => return Err(self.not_delivered(trouble, delivery)),
            };
            delivery.passed.retries += 1;
            self.source.pause(self.retry.wait(trouble.attempts, asked, self.source));
            if let Some(first) = self.spool.first()? {
                self.attempt(first, trouble.attempts + 1, delivery)?;
            }
            self.send_waiting(delivery)?;
        }
        Ok(())
    }

    fn attempt(
        &mut self,
        first: Spooled,
        attempts: u32,
        delivery: &mut Delivery<'_>,
    ) -> Result<(), CollectError> {
        let mut batch = first.batch;
        let mut too_large = Vec::new();
        let Err(source) = deliver_parts(delivery.sink, &batch, &mut too_large) else {
            for item in too_large {
                let path = self.spool.set_aside(&batch.machine, batch.sequence, &item)?;
                batch.items.retain(|other| *other != item);
                let Item { file, number: line, length: bytes, .. } = item;
                delivery.passed.set_aside.push(SetAside { file, line, bytes, path });
            }
            // The spool is the only other place that knows how far the files are read.
            self.state.save()?;
            self.spool.forget_first()?;
            delivery.note(batch);
            return Ok(());
        };
        let is_local = matches!(source, SinkError::Write(_) | SinkError::Output { .. });
        let trouble = Trouble { batch: batch.sequence, attempts, source };
        if is_local {
            // Where this disk or this terminal fails, reading on would only fill it more.
            return Err(self.not_delivered(trouble, delivery));
        }
        delivery.trouble = Some(trouble);
        Ok(())
    }

    fn not_delivered(&self, trouble: Trouble, delivery: &Delivery<'_>) -> CollectError {
        let waiting = Waiting { is_full: delivery.is_full, ..self.spool.waiting() };
        let Trouble { batch, attempts, source } = trouble;
        CollectError::NotDelivered { batch, attempts, waiting, source }
    }
}
