//! What is irregular about sessions, from the index: the same that a pass over their lines would find.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use annals_transcript::problem::ProblemKind;

use crate::error::IndexError;
use crate::extract::FileRole;
use crate::open::Index;

impl Index {
    /// The irregularities of each session that is there and has any, by its file.
    pub fn irregular_sessions(&self) -> Result<HashMap<PathBuf, BTreeSet<ProblemKind>>, IndexError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT DISTINCT path, kind FROM problems JOIN files ON files.id = problems.file WHERE role = ?1 AND state = 0",
        )?;
        let rows = statement.query_map([FileRole::Session.number()], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
        })?;
        let mut irregular: HashMap<PathBuf, BTreeSet<ProblemKind>> = HashMap::new();
        for row in rows {
            let (path, name) = row?;
            let kind = ProblemKind::ALL.iter().find(|kind| kind.name() == name);
            irregular.entry(self.config.path().join(path)).or_default().extend(kind);
        }
        Ok(irregular)
    }
}
