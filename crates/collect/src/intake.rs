//! One pass over a store: marks what happened to known files, reads what is new, redacts it, and puts it into the spool.

use annals_index::cursor::Cursor;
use annals_store::read::ReadError;

use crate::collector::{Collector, root_of};
use crate::delivery::Delivery;
use crate::error::CollectError;
use crate::item::Batch;
use crate::marks::{find_marks, is_store_away};
use crate::pending::{OpenFile, Pending};
use crate::reader::{FileReader, ReadStart, start};
use crate::redact::rules_id;
use crate::report::PassReport;
use crate::selection::TargetFile;
use crate::spool::AddOutcome;
use crate::spooled_batch::SpooledBatch;
use crate::state::FileEntry;

/// How far the store was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadOutcome {
    /// To its end.
    All,
    /// Until the spool was full.
    UntilFull,
}

impl Collector<'_> {
    /// Sends the spool, then everything that is new.
    pub(crate) fn run_pass(&mut self, delivery: &mut Delivery<'_>) -> Result<(), CollectError> {
        self.send_waiting(delivery)?;
        loop {
            let read = self.read_new_items(delivery)?;
            delivery.is_full = read == ReadOutcome::UntilFull;
            self.retry_waiting(delivery)?;
            if read == ReadOutcome::All {
                break;
            }
        }
        self.forget_missing_files();
        Ok(())
    }

    /// Reads everything that is new, batch by batch.
    fn read_new_items(&mut self, delivery: &mut Delivery<'_>) -> Result<ReadOutcome, CollectError> {
        let discovery = self.store.discover();
        let targets = self.selection.targets(self.store, &discovery);
        delivery.passed.unlisted = discovery.problems;
        delivery.passed.too_large.clear();
        delivery.passed.unread.clear();
        if self.take_marks(&targets, delivery)? == AddOutcome::Full {
            return Ok(ReadOutcome::UntilFull);
        }
        let (rules, time) = (self.rules.clone(), self.source.now());
        let mut pending = Pending::default();
        for target in &targets {
            let (mut reading, generation) = match self.open_file(target, time, &mut delivery.passed) {
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
            let mut current = OpenFile::new(target, generation, &rules);
            match reading.lines_before() {
                Ok(lines) => current.recall(&lines),
                Err(error) => {
                    delivery.passed.unread.push(ReadError::new(&target.path, error));
                    continue;
                }
            }
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
                    pending.add_items(&mut current, &reading);
                    if self.take(std::mem::take(&mut pending), delivery)? == AddOutcome::Full {
                        return Ok(ReadOutcome::UntilFull);
                    }
                }
            }
            pending.add_items(&mut current, &reading);
            if current.is_untouched() {
                self.note_line_break(target, &reading);
            }
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
        time: i64,
        passed: &mut PassReport,
    ) -> std::io::Result<Option<(FileReader, i64)>> {
        let entry = self.state.files().get(&target.name);
        match start(target, entry, time, self.limits.idle)? {
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
                let generation = self.state.new_generation(time);
                let taken = Cursor::start(reading.cursor.stamp);
                let entry = FileEntry { generation, taken, open: None, gone: None };
                self.state.files_mut().insert(target.name.clone(), entry);
                Ok(Some((reading, generation)))
            }
        }
    }

    /// Notes the line break of a line that was sent without it: nothing is to be sent for that.
    fn note_line_break(&mut self, target: &TargetFile, reading: &FileReader) {
        if let Some(entry) = self.state.files_mut().get_mut(&target.name)
            && entry.open.is_some()
            && reading.cursor.offset > entry.taken.offset
        {
            (entry.taken, entry.open) = (reading.mark(), None);
        }
    }

    /// Takes the marks of files that were deleted or moved, or are there again.
    fn take_marks(
        &mut self,
        targets: &[TargetFile],
        delivery: &mut Delivery<'_>,
    ) -> Result<AddOutcome, CollectError> {
        let root = self.store.config_dir().path();
        if is_store_away(root) {
            let is_there = |entry: &&FileEntry| entry.gone.is_none();
            delivery.passed.absent = self.state.files().values().filter(is_there).count() as u64;
            return Ok(AddOutcome::Stored);
        }
        let marks = find_marks(root, self.state.files(), targets);
        let time = self.source.now();
        for some in marks.chunks(self.limits.items.max(1)) {
            let mut pending = Pending::default();
            for mark in some {
                let Some(entry) = self.state.files().get(mark.file()).cloned() else { continue };
                let (item, position) = mark.item(&entry, self.state.new_generation(time));
                pending.items.push(item);
                pending.files.extend(position);
            }
            if self.take(pending, delivery)? == AddOutcome::Full {
                return Ok(AddOutcome::Full);
            }
        }
        Ok(AddOutcome::Stored)
    }

    /// Puts a batch into the spool, and sends it if the sink works.
    fn take(&mut self, pending: Pending, delivery: &mut Delivery<'_>) -> Result<AddOutcome, CollectError> {
        let store = self.state.store().to_owned();
        let batch = Batch {
            machine: self.machine.clone(),
            store: store.clone(),
            sequence: self.state.sequence + 1,
            rules: rules_id(&self.rules),
            items: pending.items,
        };
        let root = root_of(self.store).to_str().unwrap_or_default().to_owned();
        let generation = self.state.generation;
        let spooled = SpooledBatch { batch, generation, store, root, is_retry: false, files: pending.files };
        let added = self.spool.add(&spooled, self.limits.spool)?;
        if added == AddOutcome::Stored {
            self.state.take(&spooled);
            self.send_added(spooled, delivery)?;
        }
        Ok(added)
    }
}
