//! Gives words to the thread that writes them, beside the one that writes rows, and waits for it.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, JoinHandle};

use rusqlite::{Connection, OptionalExtension, params};

use super::TABLES;
use super::file::path_beside;
use super::pieces::Pieces;
use super::work::{Job, Said, Ticket, Told, work};
use crate::error::IndexError;
use crate::extract::{Batch, MessageRow};

/// So many batches of words may wait: what is read while a piece is written to the disk.
const WAITING: usize = 12;

/// Which message has the next number, in what is noted with the rows.
const NEXT: &str = "next message";

/// A batch whose messages have numbers, and whose words go their own way.
pub(crate) struct Numbered {
    pub(crate) batch: Batch,
    /// The number of its first message; the others follow.
    pub(crate) first: i64,
}

impl Numbered {
    /// The number of the message that comes next.
    pub(crate) fn end(&self) -> i64 {
        self.first + self.batch.messages.len() as i64
    }
}

/// Gives numbers to messages, and their words to be written; a thread is at work once there are any.
pub(crate) struct Gatherer {
    path: PathBuf,
    next: i64,
    tickets: u64,
    told: Option<Sender<Told>>,
    running: Option<(SyncSender<Job>, JoinHandle<()>)>,
}

impl Gatherer {
    /// Numbers the messages of a batch, and takes their words.
    pub(crate) fn take(&mut self, mut batch: Batch) -> Numbered {
        let first = self.next;
        let number = |message: &mut MessageRow| {
            let said =
                Said { message: self.next, kind: message.kind, words: std::mem::take(&mut message.words) };
            self.next += 1;
            said
        };
        let said: Vec<Said> = batch.messages.iter_mut().map(number).collect();
        if !said.is_empty() {
            self.give(Job::Add(said));
        }
        Numbered { batch, first }
    }

    /// All words that were given are to be written for good.
    pub(crate) fn finish(&mut self, pieces: Pieces) -> Ticket {
        self.finish_up_to(self.next, pieces)
    }

    fn finish_up_to(&mut self, next: i64, pieces: Pieces) -> Ticket {
        if self.running.is_some() {
            self.tickets += 1;
            self.give(Job::Commit { ticket: self.tickets, next, pieces });
        }
        self.tickets
    }

    fn give(&mut self, job: Job) {
        if let Some(told) = self.told.take() {
            let (jobs, taken) = sync_channel(WAITING);
            let path = self.path.clone();
            self.running = Some((jobs, thread::spawn(move || work(&path, &taken, &told))));
        }
        if let Some((jobs, _)) = &self.running {
            // A thread that has ended says why when it is waited for.
            let _ = jobs.send(job);
        }
    }
}

impl Drop for Gatherer {
    fn drop(&mut self) {
        if let Some((jobs, thread)) = self.running.take() {
            drop(jobs);
            // Nobody removes the file while it is still being written.
            let _ = thread.join();
        }
    }
}

/// Waits for words to be written.
pub(crate) struct Gathered {
    done: Receiver<Told>,
    reached: Ticket,
}

impl Gathered {
    /// Waits until all words are written that were finished when this ticket was given; to be called before their rows are
    /// committed.
    pub(crate) fn wait(&mut self, ticket: Ticket) -> Result<(), IndexError> {
        while self.reached < ticket {
            self.reached = self.done.recv().unwrap_or(Err(IndexError::Words))?;
        }
        Ok(())
    }
}

/// Both ends: what gives, and what waits.
pub(crate) struct Gathering {
    pub(crate) gatherer: Gatherer,
    pub(crate) gathered: Gathered,
}

impl Gathering {
    /// For an index that nobody else changes. What a kill left of words without rows is taken out first.
    pub(crate) fn of(connection: &Connection, index: &Path) -> Result<Self, IndexError> {
        let (told, done) = channel();
        let next = reached_by_rows(connection)?;
        let gatherer =
            Gatherer { path: path_beside(index), next, tickets: 0, told: Some(told), running: None };
        let mut gathering = Self { gatherer, gathered: Gathered { done, reached: 0 } };
        gathering.take_out_beyond_rows(connection)?;
        gathering.take_out_forgotten(connection)?;
        Ok(gathering)
    }

    /// Takes the words of messages out that are gone; to be called when their rows are.
    pub(crate) fn take_out_forgotten(&mut self, connection: &Connection) -> Result<(), IndexError> {
        let mut statement = connection.prepare_cached("SELECT message FROM forgotten")?;
        let gone: Vec<i64> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        if !gone.is_empty() {
            self.take_out(gone, reached_by_rows(connection)?)?;
            connection.execute("DELETE FROM forgotten", [])?;
        }
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
        if !beyond.is_empty() {
            self.take_out(beyond, next)?;
            // Brought to the disk before their numbers are given again: were that lost and the new rows not, those would have
            // these words.
            connection.query_row("PRAGMA words.wal_checkpoint(FULL)", [], |_| Ok(()))?;
        }
        Ok(())
    }

    fn take_out(&mut self, gone: Vec<i64>, next: i64) -> Result<(), IndexError> {
        self.gatherer.give(Job::TakeOut(gone));
        let ticket = self.gatherer.finish_up_to(next, Pieces::AsTheyAre);
        self.gathered.wait(ticket)
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
