//! One pass over a store: what is new is read, redacted and put into the spool; what is in the spool is sent.

use std::path::PathBuf;

use annals_index::cursor::{Cursor, Look};
use annals_store::digest::short;
use annals_store::lock::FileLock;
use annals_store::read::ReadError;
use annals_store::source::Source;
use annals_store::{DataDir, Store};
use annals_transcript::redact::Rules;

use crate::choice::{Choice, Target};
use crate::delivery::Delivery;
use crate::error::CollectError;
use crate::item::Batch;
use crate::machine::{known_machine, machine};
use crate::pending::{Current, Pending};
use crate::reader::{Reading, Start, start};
use crate::retry::Retry;
use crate::sink::Sink;
use crate::spool::{Added, Spool};
use crate::spooled::{Spooled, Taken};
use crate::state::{Entry, State};

/// A file that is gone is remembered for so long: it may come back.
const REMEMBERED: i64 = 30 * 24 * 60 * 60 * 1000;

/// How large things may become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Items of a batch.
    pub items: usize,
    /// Bytes of the files that go into a batch. One line more than that is never cut.
    pub bytes: u64,
    /// Bytes on the disk that wait for the sink. One batch is always taken.
    pub spool: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { items: 2000, bytes: 4 * 1024 * 1024, spool: 256_000_000 }
    }
}

/// What a pass did.
#[derive(Debug, Default)]
pub struct Passed {
    /// Lines and files that were acknowledged.
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
    /// Files that are known and start anew: cut, rewritten or replaced.
    pub restarted: u64,
    /// Items that could not be made safe; they went without their text.
    pub withheld: u64,
    /// Files that are too large to be sent as a whole.
    pub too_large: Vec<PathBuf>,
    /// Files that could not be read.
    pub unread: Vec<ReadError>,
    /// What the sink does not take even alone; it is kept, and the rest goes on.
    pub set_aside: Vec<SetAside>,
}

/// An item that is too large for its sink.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetAside {
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
enum Read {
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
    pub(crate) state: State,
    pub(crate) spool: Spool,
    /// What is collected.
    pub choice: Choice,
    /// What is a secret.
    pub rules: Rules,
    /// How large things become.
    pub limits: Limits,
    /// How patient a pass is.
    pub retry: Retry,
    _lock: Option<FileLock>,
}

impl<'c> Collector<'c> {
    /// Takes up the work for the sink of this name; nobody else does until this is dropped.
    pub fn open(
        store: &'c Store,
        data: &DataDir,
        sink: &str,
        rules: Rules,
        source: &'c dyn Source,
    ) -> Result<Self, CollectError> {
        let path = data.collection(sink);
        let lock = FileLock::try_take(data, &path)?.ok_or(CollectError::Busy { path: path.clone() })?;
        let machine = machine(&data.machine(), source)?;
        let state = State::load(&path, &name_of(store))?;
        let spool = Spool::open(data.spool(sink))?;
        Ok(Self { _lock: Some(lock), ..Self::with(store, machine, state, spool, rules, source)? })
    }

    /// The same for a look at what would be sent: nothing is written.
    pub fn look(
        store: &'c Store,
        data: &DataDir,
        sink: &str,
        rules: Rules,
        source: &'c dyn Source,
    ) -> Result<Self, CollectError> {
        let machine = known_machine(&data.machine())?.unwrap_or_default();
        let state = State::load(&data.collection(sink), &name_of(store))?.detached();
        Self::with(store, machine, state, Spool::look(data.spool(sink))?, rules, source)
    }

    fn with(
        store: &'c Store,
        machine: String,
        mut state: State,
        spool: Spool,
        rules: Rules,
        source: &'c dyn Source,
    ) -> Result<Self, CollectError> {
        // Batches that were taken after the state was last written: a crash came between.
        for number in spool.numbers().filter(|number| *number > state.sequence).collect::<Vec<_>>() {
            state.take(&spool.read(number)?);
        }
        let root = store.config_dir().path();
        state.claim(|name, entry| {
            let there = std::fs::metadata(root.join(name));
            there.is_ok_and(|there| Look::at(&there).identity == entry.taken.look.identity)
        });
        let (choice, limits, retry) = (Choice::default(), Limits::default(), Retry::default());
        Ok(Self { store, source, machine, state, spool, choice, rules, limits, retry, _lock: None })
    }

    /// Sends what waits, then everything that is new. As soon as the sink fails, everything that is new goes to the spool
    /// first, and only then is the sink waited for: the store may change meanwhile. An error ends the pass; what was
    /// acknowledged before is kept.
    pub fn pass(&mut self, sink: &mut dyn Sink) -> Result<Passed, CollectError> {
        let rules = self.rules.clone();
        let mut delivery = Delivery::new(sink, self.spool.numbers().last());
        let done = self.pass_on(&rules, &mut delivery);
        let saved = self.state.save();
        done?;
        saved?;
        Ok(delivery.passed())
    }

    fn pass_on(&mut self, rules: &Rules, delivery: &mut Delivery<'_>) -> Result<(), CollectError> {
        self.send_waiting(delivery)?;
        loop {
            let read = self.take_all(rules, delivery)?;
            delivery.is_full = read == Read::UntilFull;
            self.insist(delivery)?;
            if read == Read::All {
                break;
            }
        }
        self.note_gone();
        Ok(())
    }

    /// Reads everything that is new, batch by batch.
    fn take_all(&mut self, rules: &Rules, delivery: &mut Delivery<'_>) -> Result<Read, CollectError> {
        let targets = self.choice.targets(&self.store.discover());
        let mut pending = Pending::default();
        delivery.passed.too_large.clear();
        delivery.passed.unread.clear();
        for target in &targets {
            let (mut reading, generation) = match self.begin(target, &mut delivery.passed) {
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
            let mut current = Current::new(target, generation, rules);
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
                    pending.settle(&mut current, reading.mark());
                    if self.take(std::mem::take(&mut pending), delivery)? == Added::Full {
                        return Ok(Read::UntilFull);
                    }
                }
            }
            pending.settle(&mut current, reading.mark());
        }
        if !pending.items.is_empty() && self.take(pending, delivery)? == Added::Full {
            return Ok(Read::UntilFull);
        }
        Ok(Read::All)
    }

    /// Opens a file where something is new, and gives it a generation where it has none that holds.
    fn begin(&mut self, target: &Target, passed: &mut Passed) -> std::io::Result<Option<(Reading, i64)>> {
        let entry = self.state.files.get(&target.name);
        match start(target, entry)? {
            Start::Nothing => Ok(None),
            Start::TooLarge => {
                passed.too_large.push(target.path.clone());
                Ok(None)
            }
            Start::Further(reading) => {
                let generation = entry.map_or(0, |entry| entry.generation);
                Ok(Some((reading, generation)))
            }
            Start::Anew(reading) => {
                passed.restarted += u64::from(entry.is_some());
                let generation = self.state.new_generation(self.source.now());
                let taken = Cursor::start(reading.cursor.look);
                let entry = Entry { generation, taken, gone: None };
                self.state.files.insert(target.name.clone(), entry);
                Ok(Some((reading, generation)))
            }
        }
    }

    /// Takes a batch: it is in the spool when this returns, and sent if the sink is well.
    fn take(&mut self, pending: Pending, delivery: &mut Delivery<'_>) -> Result<Added, CollectError> {
        let sequence = self.state.sequence + 1;
        let batch = Batch { machine: self.machine.clone(), sequence, items: pending.items };
        let generation_of = |name: &str| self.state.files.get(name).map_or(0, |entry| entry.generation);
        let taken = |(name, cursor): (String, Cursor)| {
            let generation = generation_of(&name);
            (name, Taken { generation, cursor })
        };
        let files = pending.cursors.into_iter().map(taken).collect();
        let store = self.state.store.clone();
        let spooled = Spooled { batch, generation: self.state.generation, store, files };
        let added = self.spool.add(&spooled, self.limits.spool)?;
        if added == Added::Kept {
            self.state.take(&spooled);
            self.send_waiting(delivery)?;
        }
        Ok(added)
    }

    /// Notes which files are gone, and forgets those that have been for long.
    fn note_gone(&mut self) {
        let now = self.source.now();
        let root = self.store.config_dir().path();
        self.state.files.retain(|name, entry| {
            if root.join(name).exists() {
                entry.gone = None;
                return true;
            }
            now.saturating_sub(*entry.gone.get_or_insert(now)) < REMEMBERED
        });
    }
}

/// By what name the state knows a store, whatever path leads to it.
fn name_of(store: &Store) -> String {
    let config = store.config_dir().path();
    let whole = config.canonicalize().unwrap_or_else(|_| config.to_path_buf());
    short(whole.as_os_str().as_encoded_bytes())
}
