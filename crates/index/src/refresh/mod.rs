//! Updates the index: reads changed files on all cores but one, writes rows on this thread and words on another.
//!
//! After a kill at any instant the index is as the last transaction left it: rows match cursors, and the next refresh
//! continues from there.

mod batch_queue;
mod gone;
mod plan;
mod price_digest;

use std::collections::HashSet;
use std::iter;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use annals_store::read::ReadError;
use annals_store::{ConfigDir, DataDir, Discovery, FileProblem, parallel};
use annals_transcript::price::Prices;
use rusqlite::{Connection, OptionalExtension};

use crate::error::IndexError;
use crate::extract::extract;
use crate::open::Index;
use crate::words::{SegmentPolicy, WordChannel, WordReceiver};
use crate::write::{RowWriter, reprice};
use batch_queue::{BatchQueue, WriteStep, WriteSteps};
pub use price_digest::PriceDigest;

/// The key of the digest of the prices that costs were computed with.
const PRICES: &str = "prices";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RefreshProgress {
    /// Bytes read and written so far.
    pub done: u64,
    /// Bytes to read in total.
    pub total: u64,
}

/// What a refresh did.
#[derive(Debug, Default)]
pub struct RefreshReport {
    /// How many files were read.
    pub files: usize,
    /// How many bytes were read.
    pub bytes: u64,
    /// How many files were deleted from the store.
    pub gone: usize,
    /// How many files were renamed, or belong to another session or project now.
    pub renamed: usize,
    /// How many files were shortened or rewritten, and read from their start again.
    pub restarted: usize,
    /// Files that could not be read, and why.
    pub unread: Vec<ReadError>,
    /// Folders that could not be listed, and files whose names cannot be indexed.
    pub unlisted: Vec<FileProblem>,
}

impl RefreshReport {
    /// Everything that is missing from the index, and why.
    pub fn missing(&self) -> impl Iterator<Item = FileProblem> + '_ {
        self.unread.iter().map(ReadError::problem).chain(self.unlisted.iter().cloned())
    }

    /// Whether nothing had changed.
    pub fn is_unchanged(&self) -> bool {
        self.files + self.gone + self.renamed == 0 && self.unread.is_empty()
    }
}

impl Index {
    /// Updates the index with a store. `progress` is called now and then and may stop it; what was written stays.
    pub fn refresh(
        &mut self,
        discovery: &Discovery,
        data: &DataDir,
        prices: &Prices,
        progress: impl FnMut(RefreshProgress) -> ControlFlow<()>,
    ) -> Result<RefreshReport, IndexError> {
        let mut refreshed = self.refresh_by_plan(data, prices, progress, |connection, config| {
            plan::plan(connection, config, discovery)
        })?;
        refreshed.unlisted = discovery.problems.clone();
        refreshed.unlisted.extend(plan::unnameable(discovery));
        Ok(refreshed)
    }

    /// Updates the index with these files, if nothing else has changed. Files that it does not know are ignored.
    pub fn refresh_files(
        &mut self,
        files: &[PathBuf],
        data: &DataDir,
        prices: &Prices,
        progress: impl FnMut(RefreshProgress) -> ControlFlow<()>,
    ) -> Result<RefreshReport, IndexError> {
        self.refresh_by_plan(data, prices, progress, |connection, config| {
            plan::plan_for_files(connection, config, files)
        })
    }

    fn refresh_by_plan(
        &mut self,
        data: &DataDir,
        prices: &Prices,
        mut progress: impl FnMut(RefreshProgress) -> ControlFlow<()>,
        plan: impl FnOnce(&Connection, &ConfigDir) -> Result<plan::Plan, IndexError>,
    ) -> Result<RefreshReport, IndexError> {
        let _lock = self.lock(data)?;
        // Indexes of earlier releases lack it; they are read without, only slower.
        self.connection
            .execute_batch("CREATE INDEX IF NOT EXISTS summaries ON facts (file) WHERE kind = 13")?;
        let mut words = WordChannel::of(&self.connection, self.path())?;
        self.reprice_if_needed(&mut words, prices)?;
        let plan = plan(&self.connection, &self.config)?;
        let mut refreshed =
            RefreshReport { gone: plan.gone.len(), renamed: plan.renamed.len(), ..RefreshReport::default() };
        if !(plan.gone.is_empty() && plan.back.is_empty() && plan.renamed.is_empty()) {
            let mut writer = RowWriter::begin(&mut self.connection, prices)?;
            plan.gone.iter().try_for_each(|id| writer.mark_gone(*id))?;
            plan.back.iter().try_for_each(|id| writer.mark_there(*id))?;
            plan.renamed.iter().try_for_each(|(id, indexed_file)| writer.rename(*id, indexed_file))?;
            writer.commit(&mut words.receiver, words.writer.finish(SegmentPolicy::Unchanged))?;
        }
        let total = plan.bytes();
        let mut report = |done| progress(RefreshProgress { done, total });
        let readers = thread::available_parallelism().map_or(1, |cores| cores.get().saturating_sub(1)).max(1);
        let readers = readers.min(plan.to_read.len());
        let WordChannel { writer, receiver } = &mut words;
        let (batch_queue, steps) = BatchQueue::new(writer, readers, self.commit_every);
        let next = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..readers {
                let (to_read, next, sender) = (&plan.to_read, &next, batch_queue.sender());
                parallel::spawn(scope, move || {
                    while let Some(to_read) = to_read.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let read = extract(to_read, |batch| sender.send(batch));
                        let read = read.unwrap_or_else(|error| sender.report_unread(error));
                        if read.is_break() {
                            return;
                        }
                    }
                });
            }
            self.write_all(batch_queue.steps(steps), receiver, prices, &mut refreshed, &mut report)
        })?;
        drop(batch_queue);
        words.remove_forgotten(&self.connection)?;
        Ok(refreshed)
    }

    fn write_all(
        &mut self,
        mut steps: WriteSteps<'_, '_>,
        words: &mut WordReceiver,
        prices: &Prices,
        refreshed: &mut RefreshReport,
        progress: &mut impl FnMut(u64) -> ControlFlow<()>,
    ) -> Result<(), IndexError> {
        let mut files = HashSet::new();
        while let Some(first) = steps.next() {
            let mut writer = RowWriter::begin(&mut self.connection, prices)?;
            let mut commit = None;
            for step in iter::once(first).chain(steps.by_ref()) {
                match step {
                    WriteStep::Unread(error) => refreshed.unread.push(error),
                    WriteStep::Write(numbered) => {
                        files.insert(numbered.batch.indexed_file.path.clone());
                        refreshed.files = files.len();
                        refreshed.bytes += numbered.batch.bytes();
                        refreshed.restarted += usize::from(numbered.batch.is_restarted);
                        writer.write(&numbered)?;
                        if progress(refreshed.bytes).is_break() {
                            break;
                        }
                    }
                    WriteStep::Commit(words) => {
                        commit = Some(words);
                        break;
                    }
                }
            }
            let Some(commit) = commit else {
                return writer.commit(words, steps.stop());
            };
            writer.commit(words, commit)?;
        }
        Ok(())
    }

    /// Whether costs were computed with these prices.
    pub fn is_priced_by(&self, prices: &PriceDigest) -> Result<bool, IndexError> {
        Ok(self.meta_value(PRICES)?.as_deref() == Some(prices.as_str()))
    }

    pub(crate) fn meta_value(&self, key: &str) -> Result<Option<String>, IndexError> {
        let mut statement = self.connection.prepare_cached("SELECT value FROM meta WHERE key = ?1")?;
        Ok(statement.query_row([key], |row| row.get(0)).optional()?)
    }

    pub(crate) fn set_meta_value(&self, key: &str, value: &str) -> Result<(), IndexError> {
        self.connection.execute("INSERT OR REPLACE INTO meta VALUES (?1, ?2)", [key, value])?;
        Ok(())
    }

    /// Whether the index has a file, existing or deleted, by its path relative to the config dir.
    pub fn knows(&self, path: &str) -> Result<bool, IndexError> {
        let mut statement = self.connection.prepare_cached("SELECT 1 FROM files WHERE path = ?1")?;
        Ok(statement.exists([path])?)
    }

    /// Computes the stored costs again if prices have changed.
    fn reprice_if_needed(&mut self, words: &mut WordChannel, prices: &Prices) -> Result<(), IndexError> {
        let digest = PriceDigest::of(prices);
        if self.is_priced_by(&digest)? {
            return Ok(());
        }
        reprice(&mut self.connection, words, prices)?;
        self.set_meta_value(PRICES, digest.as_str())
    }
}
