//! What is irregular about sessions, from the index: the same that a pass over their lines would find.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use annals_transcript::problem::ProblemKind;
use rusqlite::params;

use crate::error::IndexError;
use crate::extract::FileRole;
use crate::open::Index;

impl Index {
    /// The irregularities of each session that is there and has any, by its file.
    pub fn irregular_sessions(&self) -> Result<HashMap<PathBuf, BTreeSet<ProblemKind>>, IndexError> {
        // The end of a file that breaks off is left for the next time: nothing is kept of it, and it was not read.
        let mut statement = self.connection.prepare_cached(
            "SELECT path, kind FROM problems JOIN files ON files.id = problems.file WHERE role = ?1 AND state = 0
             UNION SELECT path, ?2 FROM files WHERE role = ?1 AND state = 0 AND files.offset < bytes",
        )?;
        let asked = params![FileRole::Session.number(), ProblemKind::TornTail.name()];
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
}
