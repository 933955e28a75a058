//! When segments of the word tables are merged.
//!
//! Each transaction adds a segment to each table, and every query reads all of them. So FTS5 merges: incrementally when
//! four are on a level, and all at once into the next level when there are sixteen. That suits lines that arrive one by
//! one. During a build it costs more than linear time while the user waits, and leaves large segments on the level of the
//! small ones to come, so that the sixteenth takes seconds.
//!
//! So the segments of a build accumulate, up to a number that queries do not notice, and are moved to a level of their own
//! when it ends. There FTS5 merges them incrementally with later ones, and the small ones among themselves.

use rusqlite::{Connection, Transaction};

use super::TABLES;

/// How many segments may accumulate: those of more than 2 GB.
const MAX_ACCUMULATED: i64 = 24;
/// The defaults of FTS5.
const AUTOMERGE: i64 = 4;
const MAX_SEGMENTS: i64 = 16;

/// How a transaction treats the segments that it leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SegmentPolicy {
    /// More transactions follow.
    Accumulate,
    /// Moves accumulated segments, if any, to a level of their own.
    Isolate,
    Unchanged,
}

impl SegmentPolicy {
    pub(super) fn before_commit(self, transaction: &Transaction<'_>) -> rusqlite::Result<()> {
        if self == Self::Accumulate {
            match accumulated(transaction)? {
                0 => run_on_all(transaction, &[("automerge", 0), ("crisismerge", MAX_ACCUMULATED)])?,
                // Starts a merge of one page: only segments on more than one level move to another level in the end.
                1 => run_on_all(transaction, &[("merge", 1)])?,
                _ => {}
            }
            transaction.execute("UPDATE reached SET let_be = let_be + 1", [])?;
        }
        Ok(())
    }

    pub(super) fn after_commit(self, connection: &mut Connection) -> rusqlite::Result<()> {
        if self != Self::Isolate {
            return Ok(());
        }
        let transaction = connection.transaction()?;
        if accumulated(&transaction)? > 0 {
            // A negative number moves all segments to a new level before merging.
            run_on_all(
                &transaction,
                &[("merge", -1), ("automerge", AUTOMERGE), ("crisismerge", MAX_SEGMENTS)],
            )?;
            transaction.execute("UPDATE reached SET let_be = 0", [])?;
        }
        transaction.commit()
    }
}

/// How many transactions have accumulated segments.
fn accumulated(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("SELECT let_be FROM reached", [], |row| row.get(0))
}

fn run_on_all(connection: &Connection, what: &[(&str, i64)]) -> rusqlite::Result<()> {
    for table in TABLES {
        for (command, value) in what {
            let sql = format!("INSERT INTO {table} ({table}, rank) VALUES ('{command}', ?1)");
            connection.execute(&sql, [value])?;
        }
    }
    Ok(())
}
