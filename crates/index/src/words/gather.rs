//! The thread that writes words, beside the one that writes rows.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, JoinHandle};

use rusqlite::{Connection, OptionalExtension, params};

use super::file::{open, path_beside};
use super::{TABLES, table_of};
use crate::error::IndexError;
use crate::extract::Kind;

/// So many batches of words may wait.
const WAITING: usize = 4;

/// Which message has the next number, in what is noted with the rows.
const NEXT: &str = "next message";

/// The words of a message.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) message: i64,
    pub(crate) kind: Kind,
    pub(crate) words: String,
}

enum Job {
    Add(Vec<Said>),
    TakeOut(Vec<i64>),
    /// All of it is to be there, and all messages below this number.
    Commit(i64),
}

struct Running {
    jobs: SyncSender<Job>,
    done: Receiver<Result<(), IndexError>>,
    thread: JoinHandle<()>,
}

/// Gathers words: at work once there are any.
pub(crate) struct Gatherer {
    path: PathBuf,
    running: Option<Running>,
}

impl Gatherer {
    /// For an index that nobody else changes. What a kill left of words without rows is taken out first.
    pub(crate) fn of(connection: &Connection, index: &Path) -> Result<Self, IndexError> {
        let mut gatherer = Self { path: path_beside(index), running: None };
        gatherer.take_out_beyond_rows(connection)?;
        gatherer.take_out_forgotten(connection)?;
        Ok(gatherer)
    }

    /// Words of new messages.
    pub(crate) fn add(&mut self, said: Vec<Said>) {
        if !said.is_empty() {
            self.give(Job::Add(said));
        }
    }

    /// There will be no more words before the rows are committed; the next message will have this number.
    pub(crate) fn finish(&mut self, next: i64) {
        if self.running.is_some() {
            self.give(Job::Commit(next));
        }
    }

    /// Waits until all words are written that were finished; to be called before the rows are committed.
    pub(crate) fn wait(&mut self) -> Result<(), IndexError> {
        match self.running.as_ref().map(|running| running.done.recv()) {
            None => Ok(()),
            Some(Ok(done)) => done,
            Some(Err(_)) => Err(IndexError::Words),
        }
    }

    /// Takes the words of messages out that are gone; to be called when their rows are.
    pub(crate) fn take_out_forgotten(&mut self, connection: &Connection) -> Result<(), IndexError> {
        let mut statement = connection.prepare_cached("SELECT message FROM forgotten")?;
        let gone: Vec<i64> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        if gone.is_empty() {
            return Ok(());
        }
        self.give(Job::TakeOut(gone));
        self.finish(reached_by_rows(connection)?);
        self.wait()?;
        connection.execute("DELETE FROM forgotten", [])?;
        Ok(())
    }

    fn take_out_beyond_rows(&mut self, connection: &Connection) -> Result<(), IndexError> {
        let next = reached_by_rows(connection)?;
        let mut beyond = Vec::new();
        for table in TABLES {
            let sql = format!("SELECT id FROM words.{table}_docsize WHERE id >= ?1");
            let mut statement = connection.prepare(&sql)?;
            let found = statement.query_map([next], |row| row.get::<_, i64>(0))?;
            beyond.extend(found.collect::<Result<Vec<_>, _>>()?);
        }
        if beyond.is_empty() {
            return Ok(());
        }
        self.give(Job::TakeOut(beyond));
        self.finish(next);
        self.wait()?;
        // Brought to the disk before their numbers are given again: were that lost and the new rows not, those would have these words.
        connection.query_row("PRAGMA words.wal_checkpoint(FULL)", [], |_| Ok(()))?;
        Ok(())
    }

    fn give(&mut self, job: Job) {
        let running = self.running.get_or_insert_with(|| start(self.path.clone()));
        // A thread that has ended says why when it is asked for what it did.
        let _ = running.jobs.send(job);
    }
}

impl Drop for Gatherer {
    fn drop(&mut self) {
        if let Some(Running { jobs, done, thread }) = self.running.take() {
            drop((jobs, done));
            // Nobody removes the file while it is still being written.
            let _ = thread.join();
        }
    }
}

/// The number that the next message will have, as the rows say.
pub(crate) fn reached_by_rows(connection: &Connection) -> rusqlite::Result<i64> {
    let mut statement = connection.prepare_cached("SELECT value FROM meta WHERE key = ?1")?;
    let noted: Option<String> = statement.query_row([NEXT], |row| row.get(0)).optional()?;
    Ok(noted.and_then(|number| number.parse().ok()).unwrap_or(1))
}

/// Notes, with the rows, which number the next message will have.
pub(crate) fn note_reached(connection: &Connection, next: i64) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached("INSERT OR REPLACE INTO meta VALUES (?1, ?2)")?;
    statement.execute(params![NEXT, next.to_string()])?;
    Ok(())
}

fn start(path: PathBuf) -> Running {
    let (jobs, taken) = sync_channel(WAITING);
    let (told, done) = channel();
    let thread = thread::spawn(move || work(&path, &taken, &told));
    Running { jobs, done, thread }
}

/// Does what it is given until nobody gives any more, or until it cannot, which is told instead of the next commit.
fn work(path: &Path, jobs: &Receiver<Job>, done: &Sender<Result<(), IndexError>>) {
    if let Err(error) = write_all(path, jobs, done) {
        let _ = done.send(Err(error));
    }
}

fn write_all(
    path: &Path,
    jobs: &Receiver<Job>,
    done: &Sender<Result<(), IndexError>>,
) -> Result<(), IndexError> {
    let mut connection = open(path)?;
    while let Ok(mut job) = jobs.recv() {
        let transaction = connection.transaction()?;
        let next = loop {
            match job {
                Job::Add(said) => add(&transaction, &said)?,
                Job::TakeOut(gone) => take_out(&transaction, &gone)?,
                Job::Commit(next) => break next,
            }
            // What nobody commits any more is not wanted.
            let Ok(another) = jobs.recv() else { return Ok(()) };
            job = another;
        };
        transaction.execute("UPDATE reached SET message = ?1", [next])?;
        transaction.commit()?;
        let _ = done.send(Ok(()));
    }
    Ok(())
}

fn add(connection: &Connection, said: &[Said]) -> rusqlite::Result<()> {
    // One table after the other: the words that are looked up for each message stay near the processor.
    for table in TABLES {
        let sql = format!("INSERT INTO {table} (rowid, body) VALUES (?1, ?2)");
        let mut statement = connection.prepare_cached(&sql)?;
        for said in said.iter().filter(|said| table_of(said.kind) == table) {
            statement.execute(params![said.message, said.words])?;
        }
    }
    Ok(())
}

fn take_out(connection: &Connection, gone: &[i64]) -> rusqlite::Result<()> {
    for table in TABLES {
        let mut statement = connection.prepare_cached(&format!("DELETE FROM {table} WHERE rowid = ?1"))?;
        for message in gone {
            statement.execute([message])?;
        }
    }
    Ok(())
}
