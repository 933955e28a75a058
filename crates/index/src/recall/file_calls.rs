//! The calls that read or changed a file, each with the prompt and the reply before it.

use rusqlite::{OptionalExtension, Row, params};

use super::passage::Passage;
use super::passages::ConversationFile;
use super::projects::ProjectSlugs;
use crate::error::IndexError;
use crate::open::Index;

/// A call that is about a file.
#[derive(Clone, Debug, PartialEq)]
pub struct FileCall {
    /// The path of the file, as the call names it.
    pub path: String,
    pub session: String,
    /// The sub-agent that called.
    pub agent: Option<String>,
    /// The folder of the project.
    pub slug: String,
    pub tool: String,
    /// The line of the call, counted from 1.
    pub line: u64,
    /// When, in milliseconds since 1970.
    pub millis: Option<i64>,
    /// Whether it failed.
    pub is_error: bool,
}

const CALLS: &str = "SELECT paths.name, files.session, files.agent, files.slug, names.name, calls.called,
        coalesce(calls.started, calls.ended), calls.is_error
    FROM main.tool_calls AS calls JOIN paths ON paths.id = calls.path
        JOIN names ON names.id = calls.tool JOIN files ON files.id = calls.file
    WHERE calls.path IN (SELECT id FROM paths
            WHERE name = ?1 OR substr(name, -length(?1) - 1) IN ('/' || ?1, '\\' || ?1))
        AND calls.called IS NOT NULL AND (?2 OR names.name NOT IN ('Read', 'NotebookRead', 'Grep', 'Glob', 'LS'))
    GROUP BY calls.tool_use, paths.name
    ORDER BY 7 DESC, files.id DESC, calls.called DESC";

/// Which calls are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileCallKind {
    /// Those that may have changed the file.
    Changes,
    /// Those that only read it, too.
    All,
}

impl Index {
    /// The calls about a file, the newest first. The path may be the end of one. A fork copies calls with their ids: they count
    /// once.
    pub fn file_calls(
        &self,
        path: &str,
        kind: FileCallKind,
        projects: &ProjectSlugs,
    ) -> Result<Vec<FileCall>, IndexError> {
        let mut statement = self.connection.prepare_cached(CALLS)?;
        let call = |row: &Row<'_>| {
            Ok(FileCall {
                path: row.get(0)?,
                session: row.get(1)?,
                agent: row.get(2)?,
                slug: row.get(3)?,
                tool: row.get(4)?,
                line: row.get::<_, i64>(5)? as u64,
                millis: row.get(6)?,
                is_error: row.get(7)?,
            })
        };
        let found = statement.query_map(params![path, kind == FileCallKind::All], call)?;
        let mut calls = found.collect::<Result<Vec<_>, _>>()?;
        calls.retain(|call| projects.has(&call.slug));
        Ok(calls)
    }

    /// The last prompt at or before a line, and the last reply of the model between that and the line: why something was done.
    pub fn reason_before(
        &self,
        file: &ConversationFile,
        line: u64,
    ) -> Result<(Option<Passage>, Option<Passage>), IndexError> {
        let sql = format!(
            "SELECT {} FROM messages WHERE file = ?1 AND line <= ?2 AND line >= ?3 AND kind = ?4
             ORDER BY line DESC, block DESC LIMIT 1",
            Passage::COLUMNS
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut last = |from: u64, kind: i64| {
            let bound = params![file.id, line as i64, from as i64, kind];
            statement.query_row(bound, Passage::of_row).optional()
        };
        let prompt = last(0, crate::MessageKind::Prompt.number())?;
        let from = prompt.as_ref().map_or(0, |prompt| prompt.line);
        let reply = last(from, crate::MessageKind::Response.number())?;
        Ok((prompt, reply))
    }
}
