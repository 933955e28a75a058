//! Writes batches of rows with their cursors, each batch where the last one ended.

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
use crate::extract::BatchMode;
use crate::words::{CommitId, NumberedBatch, WordReceiver, next_message, set_next_message};

pub(crate) use charges::{CERTAINTIES, INLINE, MAIN, NO_QUARTER, reprice};
pub(crate) use files::{KnownFile, known_file, known_files};
use names::NameTable;

/// Writes rows in one transaction.
pub(crate) struct RowWriter<'c> {
    transaction: Transaction<'c>,
    /// The next message number.
    next: i64,
    prices: &'c Prices,
    names: NameTable,
    paths: NameTable,
    /// Responses whose charges must be determined again.
    changed_responses: HashSet<[u8; 16]>,
    /// Sums that must be computed again: file and quarter of an hour.
    stale_sums: BTreeSet<(i64, Option<i64>)>,
}

impl<'c> RowWriter<'c> {
    pub(crate) fn begin(connection: &'c mut Connection, prices: &'c Prices) -> Result<Self, IndexError> {
        let transaction = connection.transaction()?;
        let next = next_message(&transaction)?;
        Ok(Self {
            transaction,
            next,
            prices,
            names: NameTable::of_words(),
            paths: NameTable::of_paths(),
            changed_responses: HashSet::new(),
            stale_sums: BTreeSet::new(),
        })
    }

    /// Writes a batch. If it does not start where the last one of its file ended, it is skipped and the next refresh reads
    /// the file again.
    pub(crate) fn write(&mut self, numbered: &NumberedBatch) -> Result<(), IndexError> {
        let batch = &numbered.batch;
        self.next = numbered.end();
        let file = match batch.mode {
            BatchMode::Replace => self.begin_file(batch)?,
            BatchMode::Append => match self.append_to(batch)? {
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
            self.transaction.prepare_cached("INSERT INTO main.problems VALUES (?1, ?2, ?3, ?4, ?5)")?;
        for (line, offset, length, kind) in &batch.problems {
            problem.execute(params![file, *line as i64, *offset as i64, *length as i64, kind.name()])?;
        }
        Ok(())
    }

    /// Updates charges and sums, waits for the commit of the words, and commits.
    pub(crate) fn commit(mut self, words: &mut WordReceiver, commit: CommitId) -> Result<(), IndexError> {
        self.update_charges()?;
        self.update_sums()?;
        set_next_message(&self.transaction, self.next)?;
        words.wait(commit)?;
        self.transaction.commit()?;
        Ok(())
    }

    /// Marks a file as deleted that was read from a copy.
    pub(crate) fn mark_gone_by_path(&mut self, path: &str) -> Result<(), IndexError> {
        self.transaction.prepare_cached("UPDATE files SET state = 1 WHERE path = ?1")?.execute([path])?;
        Ok(())
    }

    /// Removes a file with all its rows.
    pub(crate) fn forget_file(&mut self, file: i64) -> Result<(), IndexError> {
        self.forget(file)?;
        self.transaction.execute("DELETE FROM files WHERE id = ?1", [file])?;
        Ok(())
    }

    /// Removes all rows of a file.
    fn forget(&mut self, file: i64) -> Result<(), IndexError> {
        self.forget_messages(file)?;
        self.forget_responses(file)?;
        for table in ["tool_calls", "facts", "problems", "todo_items", "file_copies", "asked"] {
            self.transaction.execute(&format!("DELETE FROM main.{table} WHERE file = ?1"), [file])?;
        }
        Ok(())
    }
}
