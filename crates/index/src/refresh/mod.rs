//! Brings the index up to date: what changed is read by as many threads as there are cores but one, its rows are written by this
//! one, and its words by one more.
//!
//! After a kill at any instant the index holds what the last transaction left: rows and cursors fit each other, and the next
//! refresh goes on from there.

mod plan;

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::thread;

use annals_store::digest::sha256;
use annals_store::lock::FileLock;
use annals_store::read::ReadError;
use annals_store::{ConfigDir, DataDir, Discovery};
use annals_transcript::price::Prices;
use rusqlite::{Connection, OptionalExtension};

use crate::error::IndexError;
use crate::extract::{Batch, extract};
use crate::open::Index;
use crate::words::Gatherer;
use crate::write::{Writer, known_files, mark_gone, mark_there, rename, reprice};

/// The prices that costs were reckoned by.
const PRICES: &str = "prices";
/// So many batches may wait to be written.
const WAITING: usize = 12;

/// How far a refresh has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Bytes read and written.
    pub done: u64,
    /// Bytes to read in all.
    pub total: u64,
}

/// What a refresh did.
#[derive(Debug, Default)]
pub struct Refreshed {
    /// Files that were read.
    pub files: usize,
    /// Bytes of them.
    pub bytes: u64,
    /// Files that are not there any more.
    pub gone: usize,
    /// Files that have another name.
    pub renamed: usize,
    /// Files that could not be read.
    pub unread: Vec<ReadError>,
}

impl Refreshed {
    /// Whether nothing had changed.
    pub fn is_nothing(&self) -> bool {
        self.files + self.gone + self.renamed == 0 && self.unread.is_empty()
    }
}

impl Index {
    /// Brings the index up to date with a store. `progress` is told now and then, and may stop it; what was written stays.
    pub fn refresh(
        &mut self,
        discovery: &Discovery,
        data: &DataDir,
        prices: &Prices,
        progress: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Refreshed, IndexError> {
        self.follow(data, prices, progress, |connection, config| plan::plan(connection, config, discovery))
    }

    /// Brings the index up to date with these files alone: nothing else has changed. Those that it does not know are none of its.
    pub fn refresh_files(
        &mut self,
        files: &[PathBuf],
        data: &DataDir,
        prices: &Prices,
        progress: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Refreshed, IndexError> {
        self.follow(data, prices, progress, |connection, config| plan::of_files(connection, config, files))
    }

    fn follow(
        &mut self,
        data: &DataDir,
        prices: &Prices,
        mut progress: impl FnMut(Progress) -> ControlFlow<()>,
        plan: impl FnOnce(&Connection, &ConfigDir) -> Result<plan::Plan, IndexError>,
    ) -> Result<Refreshed, IndexError> {
        let Some(_lock) = FileLock::try_take(data, self.path())? else {
            return Err(IndexError::Busy { path: self.path().to_path_buf() });
        };
        let mut words = Gatherer::of(&self.connection, self.path())?;
        self.reprice_if_needed(&mut words, prices)?;
        let plan = plan(&self.connection, &self.config)?;
        let mut refreshed =
            Refreshed { gone: plan.gone.len(), renamed: plan.renamed.len(), ..Refreshed::default() };
        if !(plan.gone.is_empty() && plan.back.is_empty() && plan.renamed.is_empty()) {
            let transaction = self.connection.transaction()?;
            plan.gone.iter().try_for_each(|id| mark_gone(&transaction, *id))?;
            plan.back.iter().try_for_each(|id| mark_there(&transaction, *id))?;
            plan.renamed.iter().try_for_each(|(id, subject)| rename(&transaction, *id, subject))?;
            transaction.commit()?;
        }
        let total = plan.bytes();
        let mut told = |done| progress(Progress { done, total });
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (sender, receiver) = sync_channel::<Result<Batch, ReadError>>(WAITING);
        let readers = thread::available_parallelism().map_or(1, |cores| cores.get().saturating_sub(1)).max(1);
        thread::scope(|scope| {
            for _ in 0..readers.min(plan.wanted.len()) {
                let (sender, wanted, next, stop) = (sender.clone(), &plan.wanted, &next, &stop);
                scope.spawn(move || {
                    while let Some(wanted) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let hand_over = |batch| {
                            let is_over = stop.load(Ordering::Relaxed) || sender.send(Ok(batch)).is_err();
                            if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                        };
                        match extract(wanted, hand_over) {
                            Ok(ControlFlow::Continue(())) => {}
                            Ok(ControlFlow::Break(())) => return,
                            Err(error) => drop(sender.send(Err(error))),
                        }
                    }
                });
            }
            drop(sender);
            // Whatever ends the writing ends the reading: the receiver is dropped before the threads are waited for.
            let written = self.write_all(receiver, &mut words, prices, &mut refreshed, &mut told);
            stop.store(true, Ordering::Relaxed);
            written
        })?;
        words.take_out_forgotten(&self.connection)?;
        Ok(refreshed)
    }

    fn write_all(
        &mut self,
        receiver: std::sync::mpsc::Receiver<Result<Batch, ReadError>>,
        words: &mut Gatherer,
        prices: &Prices,
        refreshed: &mut Refreshed,
        progress: &mut impl FnMut(u64) -> ControlFlow<()>,
    ) -> Result<(), IndexError> {
        let (connection, most) = (&mut self.connection, self.commit_every);
        let mut files = HashSet::new();
        let mut rest = receiver.into_iter();
        loop {
            let mut current = Writer::begin(connection, words, prices)?;
            let mut is_over = true;
            for batch in rest.by_ref() {
                match batch {
                    Err(error) => refreshed.unread.push(error),
                    Ok(batch) => {
                        files.insert(batch.subject.path.clone());
                        refreshed.bytes += batch.cursor.offset.saturating_sub(batch.from);
                        current.write(batch)?;
                        if progress(refreshed.bytes).is_break() {
                            break;
                        }
                        if current.taken() >= most {
                            is_over = false;
                            break;
                        }
                    }
                }
            }
            current.commit()?;
            if is_over {
                refreshed.files = files.len();
                return Ok(());
            }
        }
    }

    /// Whether costs were reckoned by these prices.
    pub fn is_priced_by(&self, prices: &Prices) -> Result<bool, IndexError> {
        Ok(self.noted(PRICES)? == Some(digest_of(prices)))
    }

    pub(crate) fn noted(&self, key: &str) -> Result<Option<String>, IndexError> {
        let mut statement = self.connection.prepare_cached("SELECT value FROM meta WHERE key = ?1")?;
        Ok(statement.query_row([key], |row| row.get(0)).optional()?)
    }

    pub(crate) fn note(&self, key: &str, value: &str) -> Result<(), IndexError> {
        self.connection.execute("INSERT OR REPLACE INTO meta VALUES (?1, ?2)", [key, value])?;
        Ok(())
    }

    /// Whether a file is known, there or not; its path is below the config dir.
    pub fn knows(&self, path: &str) -> Result<bool, IndexError> {
        let mut statement = self.connection.prepare_cached("SELECT 1 FROM files WHERE path = ?1")?;
        Ok(statement.exists([path])?)
    }

    /// Takes files in that the store has no more, from copies that lie elsewhere in the same layout. What is known stays as it
    /// is; tells how many were new.
    pub fn take_in_gone(
        &mut self,
        elsewhere: &Discovery,
        data: &DataDir,
        prices: &Prices,
    ) -> Result<usize, IndexError> {
        let Some(_lock) = FileLock::try_take(data, self.path())? else {
            return Err(IndexError::Busy { path: self.path().to_path_buf() });
        };
        let mut wanted = plan::all(elsewhere);
        let mut unknown = Vec::new();
        for file in wanted.drain(..) {
            if !self.knows(&file.subject.path)? {
                unknown.push(file);
            }
        }
        let mut words = Gatherer::of(&self.connection, self.path())?;
        let mut writer = Writer::begin(&mut self.connection, &mut words, prices)?;
        for file in &unknown {
            let mut written = Ok(());
            let read = extract(file, |batch| {
                written = writer.write(batch);
                if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            written?;
            // A copy that cannot be read is not taken in; the next time it is tried again.
            if read.is_ok() {
                writer.mark_gone(&file.subject.path)?;
            }
        }
        writer.commit()?;
        words.take_out_forgotten(&self.connection)?;
        Ok(unknown.len())
    }

    /// Forgets the files that are not there any more, and tells how many those were. Until then what they said can be found.
    pub fn forget_gone(&mut self, data: &DataDir, prices: &Prices) -> Result<usize, IndexError> {
        let Some(_lock) = FileLock::try_take(data, self.path())? else {
            return Err(IndexError::Busy { path: self.path().to_path_buf() });
        };
        let gone: Vec<i64> = known_files(&self.connection)?
            .into_iter()
            .filter(|file| !file.is_there)
            .map(|file| file.id)
            .collect();
        let mut words = Gatherer::of(&self.connection, self.path())?;
        let mut writer = Writer::begin(&mut self.connection, &mut words, prices)?;
        gone.iter().try_for_each(|file| writer.forget_file(*file))?;
        writer.commit()?;
        words.take_out_forgotten(&self.connection)?;
        Ok(gone.len())
    }

    /// Costs are kept as they were reckoned: with other prices they are reckoned anew.
    fn reprice_if_needed(&mut self, words: &mut Gatherer, prices: &Prices) -> Result<(), IndexError> {
        let digest = digest_of(prices);
        if self.noted(PRICES)?.as_ref() == Some(&digest) {
            return Ok(());
        }
        reprice(&mut self.connection, words, prices)?;
        self.note(PRICES, &digest)
    }
}

fn digest_of(prices: &Prices) -> String {
    let mut listed: Vec<String> =
        prices.models().map(|(name, prices)| format!("{name} {prices:?}")).collect();
    listed.sort_unstable();
    sha256(listed.join("\n").as_bytes())
}
