//! Passes batches from reading threads to writing threads: words and rows of a batch go to two threads in the same order,
//! with the same commits. Words run ahead, so that neither thread waits while the other commits.

use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};

use annals_store::read::ReadError;

use crate::extract::Batch;
use crate::words::{CommitId, NumberedBatch, SegmentPolicy, WordWriter};

/// How many steps may be queued: more than batches of words, so that words never wait for rows.
const MAX_QUEUED: usize = 16;

/// The next step for the thread that writes rows.
pub(super) enum WriteStep {
    Write(Box<NumberedBatch>),
    /// Ends the transaction after this commit of words.
    Commit(CommitId),
    Unread(ReadError),
}

/// Numbers batches and passes them on.
pub(super) struct BatchQueue<'g>(Mutex<QueueState<'g>>);

struct QueueState<'g> {
    writer: &'g mut WordWriter,
    /// `None` after everything was read.
    steps: Option<SyncSender<WriteStep>>,
    readers: usize,
    /// A transaction is committed after this many bytes of files.
    commit_every: u64,
    taken: u64,
}

impl<'g> BatchQueue<'g> {
    pub(super) fn new(
        writer: &'g mut WordWriter,
        readers: usize,
        commit_every: u64,
    ) -> (Self, Receiver<WriteStep>) {
        let (sender, steps) = sync_channel(MAX_QUEUED);
        let sender = (readers > 0).then_some(sender);
        let state = QueueState { writer, steps: sender, readers, commit_every, taken: 0 };
        (Self(Mutex::new(state)), steps)
    }

    pub(super) fn sender(&self) -> BatchSender<'_, 'g> {
        BatchSender(self)
    }

    pub(super) fn steps(&self, steps: Receiver<WriteStep>) -> WriteSteps<'_, 'g> {
        WriteSteps { steps, batch_queue: self }
    }

    fn state(&self) -> MutexGuard<'_, QueueState<'g>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sends the batches of one reading thread; dropping the last one commits.
pub(super) struct BatchSender<'h, 'g>(&'h BatchQueue<'g>);

impl BatchSender<'_, '_> {
    /// Sends a batch; breaks if reading is to stop.
    pub(super) fn send(&self, batch: Batch) -> ControlFlow<()> {
        let mut state = self.0.state();
        if state.steps.is_none() {
            return ControlFlow::Break(());
        }
        state.taken += batch.bytes();
        let numbered = state.writer.take(batch);
        state.tell(WriteStep::Write(Box::new(numbered)))?;
        if state.taken >= state.commit_every {
            state.commit(SegmentPolicy::Accumulate)
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Reports a file that cannot be read.
    pub(super) fn report_unread(&self, error: ReadError) -> ControlFlow<()> {
        self.0.state().tell(WriteStep::Unread(error))
    }
}

impl Drop for BatchSender<'_, '_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.readers -= 1;
        if state.readers == 0 && state.steps.is_some() {
            let _ = state.commit(SegmentPolicy::Isolate);
            state.steps = None;
        }
    }
}

/// The steps for the thread that writes rows.
pub(super) struct WriteSteps<'h, 'g> {
    steps: Receiver<WriteStep>,
    batch_queue: &'h BatchQueue<'g>,
}

impl Iterator for WriteSteps<'_, '_> {
    type Item = WriteStep;

    fn next(&mut self) -> Option<WriteStep> {
        self.steps.recv().ok()
    }
}

impl WriteSteps<'_, '_> {
    /// Stops reading and commits the words that were taken.
    pub(super) fn stop(self) -> CommitId {
        // Senders must not wait for a full queue.
        drop(self.steps);
        let mut state = self.batch_queue.state();
        state.steps = None;
        state.writer.finish(SegmentPolicy::Isolate)
    }
}

impl QueueState<'_> {
    fn commit(&mut self, segments: SegmentPolicy) -> ControlFlow<()> {
        self.taken = 0;
        let commit = self.writer.finish(segments);
        self.tell(WriteStep::Commit(commit))
    }

    fn tell(&self, step: WriteStep) -> ControlFlow<()> {
        match self.steps.as_ref().map(|steps| steps.send(step)) {
            Some(Ok(())) => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    }
}
