//! Collects for one sink: opens its state and its spool, and runs passes.

use std::path::PathBuf;

use annals_store::lock::FileLock;
use annals_store::source::Source;
use annals_store::{DataDir, Store};
use annals_transcript::redact::SecretRules;

use crate::delivery::Delivery;
use crate::error::CollectError;
use crate::machine::{machine, stored_machine};
use crate::report::PassReport;
use crate::retry::RetryPolicy;
use crate::same_file::stamps_if_moved;
use crate::selection::Selection;
use crate::sink::Sink;
use crate::spool::Spool;
use crate::state::SinkState;

/// Missing files are forgotten after this time, in milliseconds: they may come back.
const FORGET_AFTER: i64 = 30 * 24 * 60 * 60 * 1000;

/// How large things may become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Items of a batch.
    pub items: usize,
    /// Bytes of the files that go into a batch. A longer line is not cut.
    pub bytes: u64,
    /// Bytes on the disk that wait for the sink. An empty spool takes a batch of any size.
    pub spool: u64,
    /// Milliseconds without a change after which the last line of a file is sent even without a line break.
    pub idle: i64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { items: 2000, bytes: 4 * 1024 * 1024, spool: 256_000_000, idle: 10 * 60 * 1000 }
    }
}

/// Collects for one sink.
#[derive(Debug)]
pub struct Collector<'c> {
    pub(crate) store: &'c Store,
    pub(crate) source: &'c dyn Source,
    pub(crate) machine: String,
    pub(crate) state: SinkState,
    pub(crate) spool: Spool,
    /// What is collected.
    pub selection: Selection,
    /// What is a secret.
    pub rules: SecretRules,
    /// How large things become.
    pub limits: Limits,
    /// When a batch is sent again.
    pub retry: RetryPolicy,
    _lock: Option<FileLock>,
}

impl<'c> Collector<'c> {
    /// Opens the state and the spool of the sink of this name, and locks them until this is dropped.
    pub fn open(
        store: &'c Store,
        data: &DataDir,
        sink: &str,
        rules: SecretRules,
        source: &'c dyn Source,
    ) -> Result<Self, CollectError> {
        let path = data.collection(sink);
        let lock = FileLock::try_take(data, &path)?.ok_or(CollectError::Busy { path: path.clone() })?;
        let machine = machine(&data.machine(), source)?;
        let state = SinkState::load(&path)?;
        let spool = Spool::open(data.spool(sink))?;
        Ok(Self { _lock: Some(lock), ..Self::with(store, machine, state, spool, rules, source)? })
    }

    /// Opens them for a dry run: nothing is written.
    pub fn look(
        store: &'c Store,
        data: &DataDir,
        sink: &str,
        rules: SecretRules,
        source: &'c dyn Source,
    ) -> Result<Self, CollectError> {
        let machine = stored_machine(&data.machine())?.unwrap_or_default();
        let state = SinkState::load(&data.collection(sink))?.detached();
        let spool = Spool::look(data.spool(sink))?;
        Self::with(store, machine, state, spool, rules, source)
    }

    fn with(
        store: &'c Store,
        machine: String,
        mut state: SinkState,
        mut spool: Spool,
        rules: SecretRules,
        source: &'c dyn Source,
    ) -> Result<Self, CollectError> {
        // Batches that were taken after the state was last written: a crash came between.
        for number in spool.numbers().filter(|number| *number > state.sequence).collect::<Vec<_>>() {
            state.take(&spool.read(number)?);
        }
        let root = root_of(store);
        state.choose_store(&root, |known| stamps_if_moved(known, &root));
        spool.choose_store(state.store());
        let (selection, limits, retry) = (Selection::default(), Limits::default(), RetryPolicy::default());
        Ok(Self { store, source, machine, state, spool, selection, rules, limits, retry, _lock: None })
    }

    /// Sends the spool, then everything that is new. If the sink fails, everything that is new goes to the spool first, and
    /// only then is the sink tried again: the store may change meanwhile. An error ends the pass; what was acknowledged
    /// before stays acknowledged.
    pub fn pass(&mut self, sink: &mut dyn Sink) -> Result<PassReport, CollectError> {
        let mut delivery = Delivery::new(sink, self.spool.numbers().last());
        let done = self.run_pass(&mut delivery);
        let saved = self.state.save();
        done?;
        saved?;
        Ok(PassReport { unclaimed: self.spool.unclaimed(), ..delivery.passed() })
    }

    /// Sends what waits of other stores, too: that of a store which was moved or deleted is sent by nobody else.
    pub fn claim_all_stores(&mut self) {
        self.spool.claim_all();
    }

    /// The id of the store, as the sink knows it.
    pub fn store_id(&self) -> &str {
        self.state.store()
    }

    /// Forgets files that are missing for long; the sink knows of them.
    pub(crate) fn forget_missing_files(&mut self) {
        let now = self.source.now();
        let is_recent = |gone: i64| now.saturating_sub(gone) < FORGET_AFTER;
        self.state.files_mut().retain(|_, entry| entry.gone.is_none_or(is_recent));
    }
}

/// The path of a store without links.
pub(crate) fn root_of(store: &Store) -> PathBuf {
    let config = store.config_dir().path();
    config.canonicalize().unwrap_or_else(|_| config.to_path_buf())
}
