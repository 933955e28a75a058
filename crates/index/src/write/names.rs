//! Numbers for names and paths that many rows share.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension};

/// The names of one table met so far.
#[derive(Debug)]
pub(super) struct Names {
    table: &'static str,
    met: HashMap<String, i64>,
}

impl Names {
    /// Of models and tools.
    pub(super) fn of_words() -> Self {
        Self { table: "names", met: HashMap::new() }
    }

    /// Of files that calls are about.
    pub(super) fn of_paths() -> Self {
        Self { table: "paths", met: HashMap::new() }
    }

    /// The number of a name; a new one where it has none.
    pub(super) fn number(&mut self, connection: &Connection, name: &str) -> rusqlite::Result<i64> {
        let table = self.table;
        if let Some(&number) = self.met.get(name) {
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
        self.met.insert(name.to_owned(), number);
        Ok(number)
    }
}
