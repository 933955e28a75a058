//! Numbers names and paths that many rows share.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension};

/// The numbers of one table that were used so far.
#[derive(Debug)]
pub(super) struct NameTable {
    table: &'static str,
    numbers: HashMap<String, i64>,
}

impl NameTable {
    /// Models and tools.
    pub(super) fn of_words() -> Self {
        Self { table: "names", numbers: HashMap::new() }
    }

    /// Paths that tools were called with.
    pub(super) fn of_paths() -> Self {
        Self { table: "paths", numbers: HashMap::new() }
    }

    /// The number of a name; adds it if necessary.
    pub(super) fn number(&mut self, connection: &Connection, name: &str) -> rusqlite::Result<i64> {
        let table = self.table;
        if let Some(&number) = self.numbers.get(name) {
            return Ok(number);
        }
        let known = connection
            .prepare_cached(&format!("SELECT id FROM {table} WHERE name = ?1"))?
            .query_row([name], |row| row.get(0))
            .optional()?;
        let number = match known {
            Some(number) => number,
            None => {
                let sql = format!("INSERT INTO {table} (name) VALUES (?1)");
                connection.prepare_cached(&sql)?.execute([name])?;
                connection.last_insert_rowid()
            }
        };
        self.numbers.insert(name.to_owned(), number);
        Ok(number)
    }
}
