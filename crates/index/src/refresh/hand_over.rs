//! From those who read to those who write: words and rows of a batch go to two threads, in the same order, and both are told
//! where a transaction ends. Words go ahead: while rows are committed, and while they wait for words that are, the others go on.

use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};

use annals_store::read::ReadError;

use crate::extract::Batch;
use crate::words::{Gatherer, Numbered, Pieces, Ticket};

/// So many steps may wait: more than words may, so that these are never kept waiting by rows.
const WAITING: usize = 16;

/// What the one who writes rows is to do next.
pub(super) enum Step {
    Write(Box<Numbered>),
    /// Ends the transaction, when the words are written that this stands for.
    Commit(Ticket),
    /// A file could not be read.
    Unread(ReadError),
}

/// Where batches change hands.
pub(super) struct HandOver<'g>(Mutex<State<'g>>);

struct State<'g> {
    gatherer: &'g mut Gatherer,
    /// To the one who writes rows, until all is read.
    steps: Option<SyncSender<Step>>,
    readers: usize,
    /// A transaction ends when it stands for so many bytes of files.
    commit_every: u64,
    taken: u64,
}

impl<'g> HandOver<'g> {
    /// For so many readers.
    pub(super) fn new(
        gatherer: &'g mut Gatherer,
        readers: usize,
        commit_every: u64,
    ) -> (Self, Receiver<Step>) {
        let (sender, steps) = sync_channel(WAITING);
        let sender = (readers > 0).then_some(sender);
        let state = State { gatherer, steps: sender, readers, commit_every, taken: 0 };
        (Self(Mutex::new(state)), steps)
    }

    /// One of the readers.
    pub(super) fn reader(&self) -> Reader<'_, 'g> {
        Reader(self)
    }

    /// The one who writes rows, and takes the steps.
    pub(super) fn steps(&self, steps: Receiver<Step>) -> Steps<'_, 'g> {
        Steps { steps, hand_over: self }
    }

    fn state(&self) -> MutexGuard<'_, State<'g>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Gives what it reads; when it is dropped it has read all, and with the last one the last transaction ends.
pub(super) struct Reader<'h, 'g>(&'h HandOver<'g>);

impl Reader<'_, '_> {
    /// Gives a batch; breaks when nobody wants more.
    pub(super) fn give(&self, batch: Batch) -> ControlFlow<()> {
        let mut state = self.0.state();
        if state.steps.is_none() {
            return ControlFlow::Break(());
        }
        state.taken += batch.bytes();
        let numbered = state.gatherer.take(batch);
        state.tell(Step::Write(Box::new(numbered)))?;
        if state.taken >= state.commit_every {
            state.commit(Pieces::LetBe)
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Tells of a file that cannot be read.
    pub(super) fn give_up(&self, error: ReadError) -> ControlFlow<()> {
        self.0.state().tell(Step::Unread(error))
    }
}

impl Drop for Reader<'_, '_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.readers -= 1;
        if state.readers == 0 && state.steps.is_some() {
            let _ = state.commit(Pieces::SetApart);
            state.steps = None;
        }
    }
}

/// What is to be done with rows.
pub(super) struct Steps<'h, 'g> {
    steps: Receiver<Step>,
    hand_over: &'h HandOver<'g>,
}

impl Iterator for Steps<'_, '_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        self.steps.recv().ok()
    }
}

impl Steps<'_, '_> {
    /// Takes nothing any more; the ticket stands for all words that were taken.
    pub(super) fn stop(self) -> Ticket {
        // Whoever still gives must not wait for us to take it.
        drop(self.steps);
        let mut state = self.hand_over.state();
        state.steps = None;
        state.gatherer.finish(Pieces::SetApart)
    }
}

impl State<'_> {
    fn commit(&mut self, pieces: Pieces) -> ControlFlow<()> {
        self.taken = 0;
        let ticket = self.gatherer.finish(pieces);
        self.tell(Step::Commit(ticket))
    }

    fn tell(&self, step: Step) -> ControlFlow<()> {
        match self.steps.as_ref().map(|steps| steps.send(step)) {
            Some(Ok(())) => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    }
}
