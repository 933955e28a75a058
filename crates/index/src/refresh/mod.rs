//! Brings the index up to date: what changed is read by as many threads as there are cores but one, its rows are written by this
//! one, and its words by one more.
//!
//! After a kill at any instant the index holds what the last transaction left: rows and cursors fit each other, and the next
//! refresh goes on from there.

mod gone;
mod hand_over;
mod plan;

use std::collections::HashSet;
use std::iter;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use annals_store::digest::sha256;
use annals_store::read::ReadError;
use annals_store::{ConfigDir, DataDir, Discovery};
use annals_transcript::price::Prices;
use rusqlite::{Connection, OptionalExtension};

use crate::error::IndexError;
use crate::extract::extract;
use crate::open::Index;
use crate::words::{Gathered, Gathering, Pieces};
use crate::write::{Writer, reprice};
use hand_over::{HandOver, Step, Steps};

/// The prices that costs were reckoned by.
const PRICES: &str = "prices";

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
    /// Files that have another name, or belong to another session or project.
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
        let _lock = self.lock(data)?;
        let mut words = Gathering::of(&self.connection, self.path())?;
        self.reprice_if_needed(&mut words, prices)?;
        let plan = plan(&self.connection, &self.config)?;
        let mut refreshed =
            Refreshed { gone: plan.gone.len(), renamed: plan.renamed.len(), ..Refreshed::default() };
        if !(plan.gone.is_empty() && plan.back.is_empty() && plan.renamed.is_empty()) {
            let mut writer = Writer::begin(&mut self.connection, prices)?;
            plan.gone.iter().try_for_each(|id| writer.mark_gone(*id))?;
            plan.back.iter().try_for_each(|id| writer.mark_there(*id))?;
            plan.renamed.iter().try_for_each(|(id, subject)| writer.rename(*id, subject))?;
            writer.commit(&mut words.gathered, words.gatherer.finish(Pieces::AsTheyAre))?;
        }
        let total = plan.bytes();
        let mut told = |done| progress(Progress { done, total });
        let readers = thread::available_parallelism().map_or(1, |cores| cores.get().saturating_sub(1)).max(1);
        let readers = readers.min(plan.wanted.len());
        let Gathering { gatherer, gathered } = &mut words;
        let (hand_over, steps) = HandOver::new(gatherer, readers, self.commit_every);
        let next = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..readers {
                let (wanted, next, reader) = (&plan.wanted, &next, hand_over.reader());
                scope.spawn(move || {
                    while let Some(wanted) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let read = extract(wanted, |batch| reader.give(batch));
                        let read = read.unwrap_or_else(|error| reader.give_up(error));
                        if read.is_break() {
                            return;
                        }
                    }
                });
            }
            self.write_all(hand_over.steps(steps), gathered, prices, &mut refreshed, &mut told)
        })?;
        drop(hand_over);
        words.take_out_forgotten(&self.connection)?;
        Ok(refreshed)
    }

    fn write_all(
        &mut self,
        mut steps: Steps<'_, '_>,
        words: &mut Gathered,
        prices: &Prices,
        refreshed: &mut Refreshed,
        progress: &mut impl FnMut(u64) -> ControlFlow<()>,
    ) -> Result<(), IndexError> {
        let mut files = HashSet::new();
        while let Some(first) = steps.next() {
            let mut writer = Writer::begin(&mut self.connection, prices)?;
            let mut ticket = None;
            for step in iter::once(first).chain(steps.by_ref()) {
                match step {
                    Step::Unread(error) => refreshed.unread.push(error),
                    Step::Write(numbered) => {
                        files.insert(numbered.batch.subject.path.clone());
                        refreshed.files = files.len();
                        refreshed.bytes += numbered.batch.bytes();
                        writer.write(&numbered)?;
                        if progress(refreshed.bytes).is_break() {
                            break;
                        }
                    }
                    Step::Commit(words) => {
                        ticket = Some(words);
                        break;
                    }
                }
            }
            let Some(ticket) = ticket else {
                return writer.commit(words, steps.stop());
            };
            writer.commit(words, ticket)?;
        }
        Ok(())
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

    /// Costs are kept as they were reckoned: with other prices they are reckoned anew.
    fn reprice_if_needed(&mut self, words: &mut Gathering, prices: &Prices) -> Result<(), IndexError> {
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
