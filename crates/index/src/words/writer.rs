//! Sends words to the thread that writes them, and waits for its commits.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, JoinHandle};

use rusqlite::{Connection, OptionalExtension, params};

use super::TABLES;
use super::file::path_beside;
use super::segments::SegmentPolicy;
use super::thread::{CommitId, CommitResult, MessageWords, WordJob, run};
use crate::error::IndexError;
use crate::extract::{Batch, MessageRow};

/// How many batches of words may be queued: what is read while a segment is written to the disk.
const MAX_QUEUED: usize = 12;

/// The key of the next message number, stored with the rows.
const NEXT: &str = "next message";

/// A batch whose messages have numbers; their words were sent off.
pub(crate) struct NumberedBatch {
    pub(crate) batch: Batch,
    /// The number of its first message.
    pub(crate) first: i64,
}

impl NumberedBatch {
    /// The number after its last message.
    pub(crate) fn end(&self) -> i64 {
        self.first + self.batch.messages.len() as i64
    }
}

/// Numbers messages and sends their words to a thread, which is started with the first of them.
pub(crate) struct WordWriter {
    path: PathBuf,
    next: i64,
    commits: u64,
    results: Option<Sender<CommitResult>>,
    running: Option<(SyncSender<WordJob>, JoinHandle<()>)>,
}

impl WordWriter {
    /// Numbers the messages of a batch and sends their words.
    pub(crate) fn take(&mut self, mut batch: Batch) -> NumberedBatch {
        let first = self.next;
        let number = |message: &mut MessageRow| {
            let words = MessageWords {
                message: self.next,
                kind: message.kind,
                words: std::mem::take(&mut message.words),
            };
            self.next += 1;
            words
        };
        let words: Vec<MessageWords> = batch.messages.iter_mut().map(number).collect();
        if !words.is_empty() {
            self.send(WordJob::Add(words));
        }
        NumberedBatch { batch, first }
    }

    /// Commits all words that were sent.
    pub(crate) fn finish(&mut self, segments: SegmentPolicy) -> CommitId {
        self.finish_up_to(self.next, segments)
    }

    fn finish_up_to(&mut self, next: i64, segments: SegmentPolicy) -> CommitId {
        if self.running.is_some() {
            self.commits += 1;
            self.send(WordJob::Commit { commit: self.commits, next, segments });
        }
        self.commits
    }

    fn send(&mut self, job: WordJob) {
        if let Some(results) = self.results.take() {
            let (jobs, taken) = sync_channel(MAX_QUEUED);
            let path = self.path.clone();
            self.running = Some((jobs, thread::spawn(move || run(&path, &taken, &results))));
        }
        if let Some((jobs, _)) = &self.running {
            // If the thread has ended, waiting for it returns the error.
            let _ = jobs.send(job);
        }
    }
}

impl Drop for WordWriter {
    fn drop(&mut self) {
        if let Some((jobs, thread)) = self.running.take() {
            drop(jobs);
            // The file must not be removed while it is still written.
            let _ = thread.join();
        }
    }
}

/// Waits for commits of words.
pub(crate) struct WordReceiver {
    done: Receiver<CommitResult>,
    reached: CommitId,
}

impl WordReceiver {
    /// Waits until this commit is done; called before the rows are committed.
    pub(crate) fn wait(&mut self, commit: CommitId) -> Result<(), IndexError> {
        while self.reached < commit {
            self.reached = self.done.recv().unwrap_or(Err(IndexError::WordThread))?;
        }
        Ok(())
    }
}

/// The sending and the waiting end.
pub(crate) struct WordChannel {
    pub(crate) writer: WordWriter,
    pub(crate) receiver: WordReceiver,
}

impl WordChannel {
    /// Opens both ends for a locked index, and first removes words that a kill has left without rows.
    pub(crate) fn of(connection: &Connection, index: &Path) -> Result<Self, IndexError> {
        let (results, done) = channel();
        let next = next_message(connection)?;
        let writer =
            WordWriter { path: path_beside(index), next, commits: 0, results: Some(results), running: None };
        let mut channel = Self { writer, receiver: WordReceiver { done, reached: 0 } };
        channel.remove_unreferenced(connection)?;
        channel.remove_forgotten(connection)?;
        Ok(channel)
    }

    /// Removes the words of removed messages; called after their rows are removed.
    pub(crate) fn remove_forgotten(&mut self, connection: &Connection) -> Result<(), IndexError> {
        let mut statement = connection.prepare_cached("SELECT message FROM forgotten")?;
        let gone: Vec<i64> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        if !gone.is_empty() {
            self.remove_words(gone, next_message(connection)?)?;
            connection.execute("DELETE FROM forgotten", [])?;
        }
        Ok(())
    }

    fn remove_unreferenced(&mut self, connection: &Connection) -> Result<(), IndexError> {
        let next = next_message(connection)?;
        let mut beyond = Vec::new();
        for table in TABLES {
            let sql = format!("SELECT id FROM words.{table}_docsize WHERE id >= ?1");
            let mut statement = connection.prepare(&sql)?;
            let found = statement.query_map([next], |row| row.get::<_, i64>(0))?;
            beyond.extend(found.collect::<Result<Vec<_>, _>>()?);
        }
        if !beyond.is_empty() {
            self.remove_words(beyond, next)?;
            // This must be on the disk before the numbers are used again: if it were lost but the new rows were not, those
            // would have the old words.
            connection.query_row("PRAGMA words.wal_checkpoint(FULL)", [], |_| Ok(()))?;
        }
        Ok(())
    }

    fn remove_words(&mut self, gone: Vec<i64>, next: i64) -> Result<(), IndexError> {
        self.writer.send(WordJob::Remove(gone));
        let commit = self.writer.finish_up_to(next, SegmentPolicy::Unchanged);
        self.receiver.wait(commit)
    }
}

/// The next message number according to the rows.
pub(crate) fn next_message(connection: &Connection) -> rusqlite::Result<i64> {
    let mut statement = connection.prepare_cached("SELECT value FROM meta WHERE key = ?1")?;
    let stored: Option<String> = statement.query_row([NEXT], |row| row.get(0)).optional()?;
    Ok(stored.and_then(|number| number.parse().ok()).unwrap_or(1))
}

pub(crate) fn set_next_message(connection: &Connection, next: i64) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached("INSERT OR REPLACE INTO meta VALUES (?1, ?2)")?;
    statement.execute(params![NEXT, next.to_string()])?;
    Ok(())
}
