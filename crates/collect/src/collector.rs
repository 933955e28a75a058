//! One pass over a store: what is new is read, redacted, sent, and noted when the sink has it.

use std::path::PathBuf;

use annals_index::cursor::Cursor;
use annals_store::lock::FileLock;
use annals_store::read::ReadError;
use annals_store::source::Source;
use annals_store::{DataDir, Store};
use annals_transcript::redact::Rules;

use crate::choice::{Choice, Target};
use crate::error::CollectError;
use crate::item::Batch;
use crate::machine::{known_machine, machine};
use crate::pending::{Current, Pending};
use crate::reader::{Reading, Start, start};
use crate::retry::Retry;
use crate::sink::{Sink, SinkError};
use crate::state::{Entry, State};

/// A file that is gone is remembered for so long: it may come back.
const REMEMBERED: i64 = 30 * 24 * 60 * 60 * 1000;

/// How large a batch may become. One line more than that is never cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Items.
    pub items: usize,
    /// Bytes of the files.
    pub bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { items: 2000, bytes: 4 * 1024 * 1024 }
    }
}

/// What a pass did.
#[derive(Debug, Default)]
pub struct Passed {
    /// Lines and files that were acknowledged.
    pub items: u64,
    /// Their bytes in the store.
    pub bytes: u64,
    /// Files in which something was new.
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
}

/// Collects for one sink.
#[derive(Debug)]
pub struct Collector<'c> {
    store: &'c Store,
    source: &'c dyn Source,
    machine: String,
    state: State,
    /// What is collected.
    pub choice: Choice,
    /// What is a secret.
    pub rules: Rules,
    /// How large batches become.
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
        let state = State::load(&path)?;
        Ok(Self { _lock: Some(lock), ..Self::with(store, machine, state, rules, source) })
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
        let state = State::load(&data.collection(sink))?.detached();
        Ok(Self::with(store, machine, state, rules, source))
    }

    fn with(store: &'c Store, machine: String, state: State, rules: Rules, source: &'c dyn Source) -> Self {
        let (choice, limits, retry) = (Choice::default(), Limits::default(), Retry::default());
        Self { store, source, machine, state, choice, rules, limits, retry, _lock: None }
    }

    /// Sends everything that is new. An error ends the pass; what was acknowledged before is kept.
    pub fn pass(&mut self, sink: &mut dyn Sink) -> Result<Passed, CollectError> {
        let rules = self.rules.clone();
        let mut passed = Passed::default();
        let done = self.send_all(&rules, sink, &mut passed);
        // What was acknowledged before a failure is not to be sent again.
        let saved = self.state.save();
        done?;
        saved?;
        Ok(passed)
    }

    fn send_all(
        &mut self,
        rules: &Rules,
        sink: &mut dyn Sink,
        passed: &mut Passed,
    ) -> Result<(), CollectError> {
        let targets = self.choice.targets(&self.store.discover());
        let mut pending = Pending::default();
        for target in &targets {
            let (mut reading, generation) = match self.begin(target, passed) {
                Ok(Some(begun)) => begun,
                Ok(None) => continue,
                Err(error) => {
                    // Gone since it was listed: the next pass notes it.
                    let error = ReadError::new(&target.path, error);
                    if !matches!(error, ReadError::NotFound { .. }) {
                        passed.unread.push(error);
                    }
                    continue;
                }
            };
            let mut current = Current::new(target, generation, rules);
            let mut is_new = false;
            loop {
                let piece = match reading.next() {
                    Ok(Some(piece)) => piece,
                    Ok(None) => break,
                    Err(error) => {
                        passed.unread.push(ReadError::new(&target.path, error));
                        break;
                    }
                };
                pending.taken += 1;
                pending.bytes += piece.length;
                current.push(piece);
                is_new = true;
                if pending.taken >= self.limits.items || pending.bytes >= self.limits.bytes {
                    pending.settle(&mut current, reading.mark());
                    self.send(std::mem::take(&mut pending), sink, passed)?;
                }
            }
            pending.settle(&mut current, reading.mark());
            passed.files += u64::from(is_new);
        }
        if !pending.items.is_empty() {
            self.send(pending, sink, passed)?;
        }
        self.note_gone();
        Ok(())
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
                let acknowledged = Cursor::start(reading.cursor.look);
                let entry = Entry { generation, acknowledged, sent: None, gone: None };
                self.state.files.insert(target.name.clone(), entry);
                Ok(Some((reading, generation)))
            }
        }
    }

    /// Sends a batch until the sink has it. That it may have it is on the disk before it is sent.
    fn send(
        &mut self,
        pending: Pending,
        sink: &mut dyn Sink,
        passed: &mut Passed,
    ) -> Result<(), CollectError> {
        self.state.sequence += 1;
        for (name, cursor) in &pending.cursors {
            if let Some(entry) = self.state.files.get_mut(name) {
                // A longer one that was sent before stays: the sink may have that much.
                let longest = entry.sent.as_ref().map_or(0, |sent| sent.offset);
                if cursor.offset >= longest {
                    entry.sent = Some(cursor.clone());
                }
            }
        }
        self.state.save()?;
        let batch =
            Batch { machine: self.machine.clone(), sequence: self.state.sequence, items: pending.items };
        self.deliver(&batch, sink, passed)?;
        for (name, cursor) in pending.cursors {
            if let Some(entry) = self.state.files.get_mut(&name) {
                if entry.sent.as_ref().is_some_and(|sent| sent.offset <= cursor.offset) {
                    entry.sent = None;
                }
                entry.acknowledged = cursor;
            }
        }
        passed.batches += 1;
        passed.items += batch.items.len() as u64;
        passed.bytes += pending.bytes;
        passed.withheld += batch.items.iter().filter(|item| item.text.is_none()).count() as u64;
        Ok(())
    }

    fn deliver(&self, batch: &Batch, sink: &mut dyn Sink, passed: &mut Passed) -> Result<(), CollectError> {
        let mut attempts = 0;
        loop {
            attempts += 1;
            let source = match sink.deliver(batch) {
                Ok(()) => return Ok(()),
                Err(source) => source,
            };
            let asked = match &source {
                SinkError::Refused { .. }
                | SinkError::Distrusted { .. }
                | SinkError::Write(_)
                | SinkError::Output { .. } => None,
                SinkError::Away { retry_after, .. } if attempts < self.retry.attempts => Some(*retry_after),
                SinkError::Away { .. } => None,
            };
            let Some(asked) = asked else {
                return Err(CollectError::NotDelivered { batch: batch.sequence, attempts, source });
            };
            passed.retries += 1;
            self.source.pause(self.retry.wait(attempts, asked, self.source));
        }
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
