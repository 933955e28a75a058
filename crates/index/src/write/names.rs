//! Numbers for names that many rows share.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension};

/// The names met so far.
#[derive(Debug, Default)]
pub(super) struct Names(HashMap<String, i64>);

impl Names {
    /// The number of a name; a new one where it has none.
    pub(super) fn number(&mut self, connection: &Connection, name: &str) -> rusqlite::Result<i64> {
        if let Some(&number) = self.0.get(name) {
            return Ok(number);
        }
        let known = connection
            .prepare_cached("SELECT id FROM names WHERE name = ?1")?
            .query_row([name], |row| row.get(0))
            .optional()?;
        let number = match known {
            Some(number) => number,
            None => {
                connection.prepare_cached("INSERT INTO names (name) VALUES (?1)")?.execute([name])?;
                connection.last_insert_rowid()
            }
        };
        self.0.insert(name.to_owned(), number);
        Ok(number)
    }
}
