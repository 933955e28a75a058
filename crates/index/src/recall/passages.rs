//! Passages of one conversation, from a line on or up to one.

use std::path::PathBuf;

use rusqlite::{OptionalExtension, Row, params};

use super::passage::Passage;
use crate::error::IndexError;
use crate::extract::IndexedFileRole;
use crate::open::Index;

/// The file of a conversation: a session's, or that of one of its sub-agents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversationFile {
    pub session: String,
    /// The sub-agent.
    pub agent: Option<String>,
    /// The folder of its project.
    pub slug: String,
    pub path: PathBuf,
    /// Whether the file still exists.
    pub is_there: bool,
    /// How many lines are known.
    pub lines: u64,
    pub(super) role: IndexedFileRole,
    pub(super) id: i64,
    relative: String,
}

impl ConversationFile {
    /// Where to read it: a deleted one from a copy.
    pub fn readable_path(&self, copy: &mut dyn FnMut(&str, &str) -> Option<PathBuf>) -> Option<PathBuf> {
        match self.is_there {
            true => Some(self.path.clone()),
            false => copy(&self.session, &self.relative),
        }
    }
}

/// Where to begin to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassageStart {
    /// At this line and block, and on from there.
    At {
        /// The line, counted from 1.
        line: u64,
        block: u32,
    },
    /// Before this line: the passages nearest to it.
    Before {
        /// The line, counted from 1.
        line: u64,
    },
}

impl Index {
    /// The sessions whose id begins with this text, each once, at most ten.
    pub fn sessions_with_prefix(&self, prefix: &str) -> Result<Vec<String>, IndexError> {
        let sql = "SELECT DISTINCT session FROM files WHERE role = 0 AND session >= ?1
             AND substr(session, 1, length(?1)) = ?1 ORDER BY session = ?1 DESC, session LIMIT 10";
        let mut statement = self.connection.prepare_cached(sql)?;
        Ok(statement.query_map([prefix], |row| row.get(0))?.collect::<Result<_, _>>()?)
    }

    /// The file of a session, or of one of its sub-agents; one that exists before one that is gone.
    pub fn conversation(
        &self,
        session: &str,
        agent: Option<&str>,
    ) -> Result<Option<ConversationFile>, IndexError> {
        let sql = "SELECT id, path, role, slug, session, agent, state, lines FROM files
             WHERE session = ?1 AND role = iif(?2 IS NULL, 0, 1) AND (?2 IS NULL OR agent = ?2)
             ORDER BY state, id LIMIT 1";
        let file = |row: &Row<'_>| {
            let relative: String = row.get(1)?;
            Ok(ConversationFile {
                id: row.get(0)?,
                path: self.config.path().join(&relative),
                role: IndexedFileRole::from_number(row.get(2)?).unwrap_or_default(),
                slug: row.get(3)?,
                session: row.get(4)?,
                agent: row.get(5)?,
                is_there: row.get::<_, i64>(6)? == 0,
                lines: row.get::<_, i64>(7)? as u64,
                relative,
            })
        };
        let mut statement = self.connection.prepare_cached(sql)?;
        Ok(statement.query_row(params![session, agent], file).optional()?)
    }

    /// At most `limit` passages of a conversation, in their order.
    pub fn passages(
        &self,
        file: &ConversationFile,
        start: PassageStart,
        limit: usize,
    ) -> Result<Vec<Passage>, IndexError> {
        let (condition, line, block) = match start {
            PassageStart::At { line, block } => ("(line > ?2 OR line = ?2 AND block >= ?3)", line, block),
            PassageStart::Before { line } => ("line < ?2 AND ?3 = 0", line, 0),
        };
        let order = match start {
            PassageStart::At { .. } => "line, block",
            PassageStart::Before { .. } => "line DESC, block DESC",
        };
        let sql = format!(
            "SELECT {} FROM messages WHERE file = ?1 AND {condition} ORDER BY {order} LIMIT ?4",
            Passage::COLUMNS
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let bound = params![file.id, line as i64, block, i64::try_from(limit).unwrap_or(i64::MAX)];
        let mut found =
            statement.query_map(bound, Passage::of_row)?.collect::<Result<Vec<_>, rusqlite::Error>>()?;
        if matches!(start, PassageStart::Before { .. }) {
            found.reverse();
        }
        Ok(found)
    }

    /// The line of the record whose uuid begins with this text; `None` if there is none, or several.
    pub fn line_of_record(&self, file: &ConversationFile, uuid: &str) -> Result<Option<u64>, IndexError> {
        let digits = uuid.replace('-', "").to_uppercase();
        let sql = "SELECT DISTINCT line FROM messages WHERE file = ?1 AND
             (substr(hex(uuid), 1, length(?2)) = ?2 OR CAST(uuid AS TEXT) = ?3) LIMIT 2";
        let mut statement = self.connection.prepare_cached(sql)?;
        let lines = statement
            .query_map(params![file.id, digits, uuid], |row| row.get::<_, i64>(0))?
            .collect::<Result<Vec<_>, _>>()?;
        Ok(match lines.as_slice() {
            [line] if !uuid.is_empty() => Some(*line as u64),
            _ => None,
        })
    }
}
