//! Upgrades an index of the three formats before this one, so that the rows of files that are gone stay.

use rusqlite::Connection;

use crate::error::IndexError;
use crate::words;

/// What each format changed, the oldest that can be upgraded first. Files that are still there get a stamp that no file has if they
/// must be read again, which fills new columns.
const CHANGES_SINCE: [(i64, &str); 3] = [(6, SINCE_6), (7, SINCE_7), (8, SINCE_8)];

const SINCE_6: &str = "
    ALTER TABLE messages ADD COLUMN parent BLOB;
    ALTER TABLE todo_items ADD COLUMN active_form TEXT;
    ALTER TABLE todo_items ADD COLUMN priority TEXT;
    DROP INDEX responses_of_file;
    CREATE INDEX responses_of_file ON responses (file, line);
    UPDATE files SET modified = -1;";

/// Facts about records that have no message.
const SINCE_7: &str = "UPDATE files SET modified = -1;";

const SINCE_8: &str = "
    CREATE INDEX files_of_role ON files (role, session, agent, state);
    CREATE INDEX files_of_agent ON files (agent, role, state) WHERE agent IS NOT NULL;
    CREATE INDEX agents_at_work ON facts (file) WHERE kind = 19;
    CREATE INDEX started_agents ON tool_calls (agent, file) WHERE agent IS NOT NULL;";

/// Upgrades an index in place; whether it could. The lock must be held.
pub(crate) fn upgrade(
    connection: &Connection,
    path: &std::path::Path,
    format: i64,
) -> Result<bool, IndexError> {
    let found: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let first = CHANGES_SINCE.iter().position(|(format, _)| *format == found);
    let Some(first) = first.filter(|_| words::path_beside(path).exists()) else { return Ok(false) };
    let changes: String = CHANGES_SINCE[first..].iter().map(|(_, changes)| *changes).collect();
    words::attach(connection, path)?;
    // The rows come last, as when an index is made: an upgrade that is killed is done again.
    connection.execute_batch(&format!("PRAGMA words.user_version = {format};"))?;
    connection.execute_batch(&format!("BEGIN;{changes}\nPRAGMA main.user_version = {format};\nCOMMIT;"))?;
    Ok(words::match_rows(connection, format)?)
}
