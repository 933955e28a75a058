//! The thread that writes words.

use std::path::Path;
use std::sync::mpsc::{Receiver, Sender};

use rusqlite::{Connection, params};

use super::file::open;
use super::pieces::Pieces;
use super::{TABLES, table_of};
use crate::error::IndexError;
use crate::extract::Kind;

/// Stands for all words that were given before it; later ones are larger.
pub(crate) type Ticket = u64;

/// What the thread tells: it has written all that this stands for, or why it cannot.
pub(super) type Told = Result<Ticket, IndexError>;

/// The words of a message.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) message: i64,
    pub(super) kind: Kind,
    pub(super) words: String,
}

pub(super) enum Job {
    Add(Vec<Said>),
    TakeOut(Vec<i64>),
    /// All of it is to be there, and all messages below this number.
    Commit {
        ticket: Ticket,
        next: i64,
        pieces: Pieces,
    },
}

/// Does what it is given until nobody gives any more, or until it cannot, which is told instead of the next ticket.
pub(super) fn work(path: &Path, jobs: &Receiver<Job>, told: &Sender<Told>) {
    if let Err(error) = write_all(path, jobs, told) {
        let _ = told.send(Err(error));
    }
}

fn write_all(path: &Path, jobs: &Receiver<Job>, told: &Sender<Told>) -> Result<(), IndexError> {
    let mut connection = open(path)?;
    while let Ok(mut job) = jobs.recv() {
        let transaction = connection.transaction()?;
        let (ticket, next, pieces) = loop {
            match job {
                Job::Add(said) => add(&transaction, &said)?,
                Job::TakeOut(gone) => take_out(&transaction, &gone)?,
                Job::Commit { ticket, next, pieces } => break (ticket, next, pieces),
            }
            // What nobody commits any more is not wanted.
            let Ok(another) = jobs.recv() else { return Ok(()) };
            job = another;
        };
        transaction.execute("UPDATE reached SET message = ?1", [next])?;
        pieces.before_commit(&transaction)?;
        transaction.commit()?;
        pieces.after_commit(&mut connection)?;
        let _ = told.send(Ok(ticket));
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
