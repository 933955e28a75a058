//! Rows into the database: a batch and its cursor in one transaction, starting where the last one ended. Words go beside them.

mod calls;
mod charges;
mod facts;
mod files;
mod messages;
mod names;
mod responses;
mod sides;

use std::collections::{BTreeSet, HashSet};

use annals_transcript::price::Prices;
use rusqlite::{Connection, Transaction, params};

use crate::error::IndexError;
use crate::extract::Change;
use crate::words::{Gathered, Numbered, Ticket, note_reached, reached_by_rows};

pub(crate) use charges::{CERTAINTIES, INLINE, MAIN, NO_QUARTER, reprice};
pub(crate) use files::{KnownFile, known_file, known_files};
use names::Names;

/// Writes into one transaction.
pub(crate) struct Writer<'c> {
    transaction: Transaction<'c>,
    /// The number of the next message.
    next: i64,
    prices: &'c Prices,
    names: Names,
    paths: Names,
    /// Responses whose charge may be another now.
    touched: HashSet<[u8; 16]>,
    /// Sums that may be others now: file and quarter of an hour.
    stale: BTreeSet<(i64, Option<i64>)>,
}

impl<'c> Writer<'c> {
    pub(crate) fn begin(connection: &'c mut Connection, prices: &'c Prices) -> Result<Self, IndexError> {
        let transaction = connection.transaction()?;
        let next = reached_by_rows(&transaction)?;
        Ok(Self {
            transaction,
            next,
            prices,
            names: Names::of_words(),
            paths: Names::of_paths(),
            touched: HashSet::new(),
            stale: BTreeSet::new(),
        })
    }

    /// Writes a batch. One that does not start where the last one of its file ended is passed over: the next look at the file
    /// will read it again.
    pub(crate) fn write(&mut self, numbered: &Numbered) -> Result<(), IndexError> {
        let batch = &numbered.batch;
        self.next = numbered.end();
        let file = match batch.change {
            Change::Begins => self.begin_file(batch)?,
            Change::Continues => match self.go_on(batch)? {
                Some(file) => file,
                None => return self.forget_numbers(numbered.first..self.next),
            },
        };
        self.calls(file, &batch.calls)?;
        self.messages(file, numbered)?;
        self.responses(file, &batch.responses)?;
        self.facts(file, &batch.facts)?;
        self.sides(file, &batch.sides)?;
        let mut problem =
            self.transaction.prepare_cached("INSERT INTO problems VALUES (?1, ?2, ?3, ?4, ?5)")?;
        for (line, offset, length, kind) in &batch.problems {
            problem.execute(params![file, *line as i64, *offset as i64, *length as i64, kind.name()])?;
        }
        Ok(())
    }

    /// Settles what the batches have changed about charges, and ends the transaction, when the words are there that the ticket
    /// stands for: all of it is, or nothing.
    pub(crate) fn commit(mut self, words: &mut Gathered, ticket: Ticket) -> Result<(), IndexError> {
        self.settle_charges()?;
        self.settle_sums()?;
        note_reached(&self.transaction, self.next)?;
        words.wait(ticket)?;
        self.transaction.commit()?;
        Ok(())
    }

    /// A file is not in the store, whatever was read of it elsewhere.
    pub(crate) fn mark_taken_in(&mut self, path: &str) -> Result<(), IndexError> {
        self.transaction.prepare_cached("UPDATE files SET state = 1 WHERE path = ?1")?.execute([path])?;
        Ok(())
    }

    /// Takes a file out of the index.
    pub(crate) fn forget_file(&mut self, file: i64) -> Result<(), IndexError> {
        self.forget(file)?;
        self.transaction.execute("DELETE FROM files WHERE id = ?1", [file])?;
        Ok(())
    }

    /// Takes everything that is known of a file's lines out of the index.
    fn forget(&mut self, file: i64) -> Result<(), IndexError> {
        self.forget_messages(file)?;
        self.forget_responses(file)?;
        for table in ["tool_calls", "facts", "problems", "todo_items", "file_copies", "asked"] {
            self.transaction.execute(&format!("DELETE FROM {table} WHERE file = ?1"), [file])?;
        }
        Ok(())
    }
}
