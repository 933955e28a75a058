//! One pass over a store: reads what is new, redacts it, puts it into the spool, and sends the spool.

use std::path::PathBuf;

use annals_index::cursor::{Cursor, FileStamp};
use annals_store::digest::short;
use annals_store::lock::FileLock;
use annals_store::read::ReadError;
use annals_store::source::Source;
use annals_store::{DataDir, FileProblem, Store};
use annals_transcript::redact::SecretRules;

use crate::delivery::Delivery;
use crate::error::CollectError;
use crate::item::Batch;
use crate::machine::{machine, stored_machine};
use crate::pending::{OpenFile, Pending};
use crate::reader::{FileReader, ReadStart, start};
use crate::redact::rules_id;
use crate::retry::RetryPolicy;
use crate::selection::{Selection, TargetFile};
use crate::sink::Sink;
use crate::spool::{AddOutcome, Spool, UnclaimedBacklog};
use crate::spooled_batch::{FilePosition, SpooledBatch};
use crate::state::{FileEntry, SinkState};

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
}

impl Default for Limits {
    fn default() -> Self {
        Self { items: 2000, bytes: 4 * 1024 * 1024, spool: 256_000_000 }
    }
}

/// The result of a pass.
#[derive(Debug, Default)]
pub struct PassReport {
    /// Lines and files that were delivered.
    pub items: u64,
    /// Those of them that an earlier pass had read.
    pub spooled: u64,
    /// Their bytes in the store.
    pub bytes: u64,
    /// The files that they are of.
    pub files: u64,
    /// Batches that were acknowledged.
    pub batches: u64,
    /// Attempts that failed.
    pub retries: u64,
    /// Known files that are read from the start again: cut, rewritten or replaced.
    pub restarted: u64,
    /// Items sent without their text, because secrets could not be removed.
    pub withheld: u64,
    /// Files that are too large to be sent as a whole.
    pub too_large: Vec<PathBuf>,
    /// Files that could not be read.
    pub unread: Vec<ReadError>,
    /// Folders that could not be listed, and links that are not followed.
    pub unlisted: Vec<FileProblem>,
    /// Items that are too large for the sink even alone; they are stored, and the rest is sent.
    pub set_aside: Vec<OversizedItem>,
    /// What waits in the spool of a store that is gone, or that is not known.
    pub unclaimed: Option<UnclaimedBacklog>,
}

/// An item that is too large for its sink.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OversizedItem {
    /// The file that it is of, relative to the config dir.
    pub file: String,
    /// Which line of it, counted from 1; 0 for a whole file.
    pub line: u64,
    /// Its bytes in the store.
    pub bytes: u64,
    /// Where it is kept.
    pub path: PathBuf,
}

/// How far the store was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadOutcome {
    /// To its end.
    All,
    /// Until the spool was full.
    UntilFull,
}

/// Collects for one sink.
#[derive(Debug)]
pub struct Collector<'c> {
    store: &'c Store,
    pub(crate) source: &'c dyn Source,
    machine: String,
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
        let state = SinkState::load(&path, &name_of(store))?;
        let spool = Spool::open(data.spool(sink), &name_of(store))?;
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
        let state = SinkState::load(&data.collection(sink), &name_of(store))?.detached();
        let spool = Spool::look(data.spool(sink), &name_of(store))?;
        Self::with(store, machine, state, spool, rules, source)
    }

    fn with(
        store: &'c Store,
        machine: String,
        mut state: SinkState,
        spool: Spool,
        rules: SecretRules,
        source: &'c dyn Source,
    ) -> Result<Self, CollectError> {
        // Batches that were taken after the state was last written: a crash came between.
        for number in spool.numbers().filter(|number| *number > state.sequence).collect::<Vec<_>>() {
            state.take(&spool.read(number)?);
        }
        let root = store.config_dir().path();
        state.adopt_unknown_store(|name, entry| {
            let there = std::fs::metadata(root.join(name));
            there.is_ok_and(|there| FileStamp::at(&there).identity == entry.taken.stamp.identity)
        });
        let (selection, limits, retry) = (Selection::default(), Limits::default(), RetryPolicy::default());
        Ok(Self { store, source, machine, state, spool, selection, rules, limits, retry, _lock: None })
    }

    /// Sends the spool, then everything that is new. If the sink fails, everything that is new goes to the spool first, and
    /// only then is the sink tried again: the store may change meanwhile. An error ends the pass; what was acknowledged
    /// before stays acknowledged.
    pub fn pass(&mut self, sink: &mut dyn Sink) -> Result<PassReport, CollectError> {
        let rules = self.rules.clone();
        let mut delivery = Delivery::new(sink, self.spool.numbers().last());
        let done = self.run_pass(&rules, &mut delivery);
        let saved = self.state.save();
        done?;
        saved?;
        Ok(PassReport { unclaimed: self.spool.unclaimed(), ..delivery.passed() })
    }

    /// Sends what waits of other stores, too: that of a store which was moved or deleted is sent by nobody else.
    pub fn claim_all_stores(&mut self) {
        self.spool.claim_all();
    }

    fn run_pass(&mut self, rules: &SecretRules, delivery: &mut Delivery<'_>) -> Result<(), CollectError> {
        self.send_waiting(delivery)?;
        loop {
            let read = self.read_new_items(rules, delivery)?;
            delivery.is_full = read == ReadOutcome::UntilFull;
            self.retry_waiting(delivery)?;
            if read == ReadOutcome::All {
                break;
            }
        }
        self.update_missing_files();
        Ok(())
    }

    /// Reads everything that is new, batch by batch.
    fn read_new_items(
        &mut self,
        rules: &SecretRules,
        delivery: &mut Delivery<'_>,
    ) -> Result<ReadOutcome, CollectError> {
        let discovery = self.store.discover();
        let targets = self.selection.targets(&discovery);
        delivery.passed.unlisted = discovery.problems;
        let mut pending = Pending::default();
        delivery.passed.too_large.clear();
        delivery.passed.unread.clear();
        for target in &targets {
            let (mut reading, generation) = match self.open_file(target, &mut delivery.passed) {
                Ok(Some(begun)) => begun,
                Ok(None) => continue,
                Err(error) => {
                    // Gone since it was listed: the next pass notes it.
                    let error = ReadError::new(&target.path, error);
                    if !matches!(error, ReadError::NotFound { .. }) {
                        delivery.passed.unread.push(error);
                    }
                    continue;
                }
            };
            let mut current = OpenFile::new(target, generation, rules);
            loop {
                let piece = match reading.next() {
                    Ok(Some(piece)) => piece,
                    Ok(None) => break,
                    Err(error) => {
                        delivery.passed.unread.push(ReadError::new(&target.path, error));
                        break;
                    }
                };
                pending.taken += 1;
                pending.bytes += piece.length;
                current.push(piece);
                if pending.taken >= self.limits.items || pending.bytes >= self.limits.bytes {
                    pending.add_items(&mut current, reading.mark());
                    if self.take(std::mem::take(&mut pending), delivery)? == AddOutcome::Full {
                        return Ok(ReadOutcome::UntilFull);
                    }
                }
            }
            pending.add_items(&mut current, reading.mark());
        }
        if !pending.items.is_empty() && self.take(pending, delivery)? == AddOutcome::Full {
            return Ok(ReadOutcome::UntilFull);
        }
        Ok(ReadOutcome::All)
    }

    /// Opens a file if it holds something new; a file that is read from the start gets a new generation.
    fn open_file(
        &mut self,
        target: &TargetFile,
        passed: &mut PassReport,
    ) -> std::io::Result<Option<(FileReader, i64)>> {
        let entry = self.state.files.get(&target.name);
        match start(target, entry)? {
            ReadStart::Nothing => Ok(None),
            ReadStart::TooLarge => {
                passed.too_large.push(target.path.clone());
                Ok(None)
            }
            ReadStart::Resume(reading) => {
                let generation = entry.map_or(0, |entry| entry.generation);
                Ok(Some((reading, generation)))
            }
            ReadStart::Restart(reading) => {
                passed.restarted += u64::from(entry.is_some());
                let generation = self.state.new_generation(self.source.now());
                let taken = Cursor::start(reading.cursor.stamp);
                let entry = FileEntry { generation, taken, gone: None };
                self.state.files.insert(target.name.clone(), entry);
                Ok(Some((reading, generation)))
            }
        }
    }

    /// Puts a batch into the spool, and sends it if the sink works.
    fn take(&mut self, pending: Pending, delivery: &mut Delivery<'_>) -> Result<AddOutcome, CollectError> {
        let sequence = self.state.sequence + 1;
        let batch = Batch {
            machine: self.machine.clone(),
            store: self.state.store.clone(),
            sequence,
            rules: rules_id(&self.rules),
            items: pending.items,
        };
        let generation_of = |name: &str| self.state.files.get(name).map_or(0, |entry| entry.generation);
        let taken = |(name, cursor): (String, Cursor)| {
            let generation = generation_of(&name);
            (name, FilePosition { generation, cursor })
        };
        let files = pending.cursors.into_iter().map(taken).collect();
        let store = self.state.store.clone();
        let root = root_of(self.store).to_str().unwrap_or_default().to_owned();
        let spooled = SpooledBatch { batch, generation: self.state.generation, store, root, files };
        let added = self.spool.add(&spooled, self.limits.spool)?;
        if added == AddOutcome::Stored {
            self.state.take(&spooled);
            self.send_waiting(delivery)?;
        }
        Ok(added)
    }

    /// Marks missing files, and forgets those that are missing for long.
    fn update_missing_files(&mut self) {
        let now = self.source.now();
        let root = self.store.config_dir().path();
        self.state.files.retain(|name, entry| {
            if root.join(name).exists() {
                entry.gone = None;
                return true;
            }
            now.saturating_sub(*entry.gone.get_or_insert(now)) < FORGET_AFTER
        });
    }
}

/// The name of a store in the state, the same for all paths that lead to it.
fn name_of(store: &Store) -> String {
    short(root_of(store).as_os_str().as_encoded_bytes())
}

/// The path of a store without links.
fn root_of(store: &Store) -> PathBuf {
    let config = store.config_dir().path();
    config.canonicalize().unwrap_or_else(|_| config.to_path_buf())
}
