//! When pieces of words are merged.
//!
//! Each transaction adds a piece to each table, and whoever asks looks at all of them. So FTS5 merges: a bit now and then where
//! four have come together on a level, and where there are sixteen all of them at once, into one on the level above. That is
//! right for what comes line by line. In a build it is work that grows faster than the store, while everybody waits, and it
//! leaves some large pieces where the small ones of the next days will be: the sixteenth then takes seconds.
//!
//! So the pieces of a build are let be, up to a number that nobody feels who asks, and are put on a level of their own when it
//! ends. There FTS5 merges them a bit with whatever comes later, and the small ones among themselves.

use rusqlite::{Connection, Transaction};

use super::TABLES;

/// So many pieces are let be: those of more than 2 GB.
const MOST_LET_BE: i64 = 24;
/// What FTS5 does by itself.
const SOME: i64 = 4;
const MOST: i64 = 16;

/// What is to become of the pieces that a transaction ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pieces {
    /// More are to come.
    LetBe,
    /// Those that were let be, if any, come to a level of their own.
    SetApart,
    AsTheyAre,
}

impl Pieces {
    pub(super) fn before_commit(self, transaction: &Transaction<'_>) -> rusqlite::Result<()> {
        if self == Self::LetBe {
            match let_be(transaction)? {
                0 => tell_all(transaction, &[("automerge", 0), ("crisismerge", MOST_LET_BE)])?,
                // Begins to merge, for a page: only pieces that are on more than one level come to another one in the end.
                1 => tell_all(transaction, &[("merge", 1)])?,
                _ => {}
            }
            transaction.execute("UPDATE reached SET let_be = let_be + 1", [])?;
        }
        Ok(())
    }

    pub(super) fn after_commit(self, connection: &mut Connection) -> rusqlite::Result<()> {
        if self != Self::SetApart {
            return Ok(());
        }
        let transaction = connection.transaction()?;
        if let_be(&transaction)? > 0 {
            // With a number below zero all pieces come to one new level before anything is merged.
            tell_all(&transaction, &[("merge", -1), ("automerge", SOME), ("crisismerge", MOST)])?;
            transaction.execute("UPDATE reached SET let_be = 0", [])?;
        }
        transaction.commit()
    }
}

/// After how many transactions the pieces were let be.
fn let_be(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("SELECT let_be FROM reached", [], |row| row.get(0))
}

fn tell_all(connection: &Connection, what: &[(&str, i64)]) -> rusqlite::Result<()> {
    for table in TABLES {
        for (command, value) in what {
            let sql = format!("INSERT INTO {table} ({table}, rank) VALUES ('{command}', ?1)");
            connection.execute(&sql, [value])?;
        }
    }
    Ok(())
}
