//! The thread that writes words.

use std::path::Path;
use std::sync::mpsc::{Receiver, Sender};

use rusqlite::{Connection, params};

use super::file::open;
use super::segments::SegmentPolicy;
use super::{TABLES, table_of};
use crate::error::IndexError;
use crate::extract::MessageKind;

/// Numbers commits in order; covers all words that were sent before it.
pub(crate) type CommitId = u64;

/// The last finished commit, or why the thread ended.
pub(super) type CommitResult = Result<CommitId, IndexError>;

#[derive(Debug)]
pub(super) struct MessageWords {
    pub(super) message: i64,
    pub(super) kind: MessageKind,
    pub(super) words: String,
}

pub(super) enum WordJob {
    Add(Vec<MessageWords>),
    Remove(Vec<i64>),
    /// Commits all words and the next message number.
    Commit {
        commit: CommitId,
        next: i64,
        segments: SegmentPolicy,
    },
}

/// Runs jobs until the channel closes or one fails; then the error is sent instead of the next commit.
pub(super) fn run(path: &Path, jobs: &Receiver<WordJob>, results: &Sender<CommitResult>) {
    if let Err(error) = write(path, jobs, results) {
        let _ = results.send(Err(error));
    }
}

fn write(path: &Path, jobs: &Receiver<WordJob>, results: &Sender<CommitResult>) -> Result<(), IndexError> {
    let mut connection = open(path)?;
    while let Ok(mut job) = jobs.recv() {
        let transaction = connection.transaction()?;
        let (commit, next, segments) = loop {
            match job {
                WordJob::Add(messages) => add(&transaction, &messages)?,
                WordJob::Remove(gone) => remove_words(&transaction, &gone)?,
                WordJob::Commit { commit, next, segments } => break (commit, next, segments),
            }
            // Words that are not committed are dropped.
            let Ok(another) = jobs.recv() else { return Ok(()) };
            job = another;
        };
        transaction.execute("UPDATE reached SET message = ?1", [next])?;
        segments.before_commit(&transaction)?;
        transaction.commit()?;
        segments.after_commit(&mut connection)?;
        let _ = results.send(Ok(commit));
    }
    Ok(())
}

fn add(connection: &Connection, messages: &[MessageWords]) -> rusqlite::Result<()> {
    // One table after the other, which keeps its word list in the processor's cache.
    for table in TABLES {
        let sql = format!("INSERT INTO {table} (rowid, body) VALUES (?1, ?2)");
        let mut statement = connection.prepare_cached(&sql)?;
        for message in messages.iter().filter(|message| table_of(message.kind) == table) {
            statement.execute(params![message.message, message.words])?;
        }
    }
    Ok(())
}

fn remove_words(connection: &Connection, gone: &[i64]) -> rusqlite::Result<()> {
    for table in TABLES {
        let mut statement = connection.prepare_cached(&format!("DELETE FROM {table} WHERE rowid = ?1"))?;
        for message in gone {
            statement.execute([message])?;
        }
    }
    Ok(())
}
