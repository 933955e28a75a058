//! Problems of sessions, from the index: the same that reading the files would find.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::PathBuf;

use annals_transcript::problem::ProblemKind;
use rusqlite::params;

use crate::error::IndexError;
use crate::extract::IndexedFileRole;
use crate::open::Index;

impl Index {
    /// The kinds of problems of each existing session that has any, by its file.
    pub fn irregular_sessions(&self) -> Result<HashMap<PathBuf, BTreeSet<ProblemKind>>, IndexError> {
        // A torn last line is not indexed; that the offset is before the end of the file tells that there is one.
        let mut statement = self.connection.prepare_cached(
            "SELECT path, kind FROM main.problems JOIN files ON files.id = problems.file WHERE role = ?1 AND state = 0
             UNION SELECT path, ?2 FROM files WHERE role = ?1 AND state = 0 AND files.offset < bytes",
        )?;
        let asked = params![IndexedFileRole::Session.number(), ProblemKind::TornTail.name()];
        let rows =
            statement.query_map(asked, |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
        let mut irregular: HashMap<PathBuf, BTreeSet<ProblemKind>> = HashMap::new();
        for row in rows {
            let (path, name) = row?;
            let kind = ProblemKind::ALL.iter().find(|kind| kind.name() == name);
            irregular.entry(self.config.path().join(path)).or_default().extend(kind);
        }
        Ok(irregular)
    }

    /// The sessions in which a tool or a request failed, in the session itself or in a sub-agent.
    pub fn sessions_with_failures(&self) -> Result<HashSet<String>, IndexError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT DISTINCT session FROM messages JOIN files ON files.id = messages.file
             WHERE messages.is_error AND state = 0",
        )?;
        Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
    }
}
