//! The calls that passages belong to: the one that started a sub-agent, or the one whose output a file holds.

use std::path::PathBuf;

use rusqlite::{OptionalExtension, params};

use super::hit::Hit;
use super::snippet::read_part;
use crate::error::IndexError;
use crate::open::Index;

/// Longer lines are not read for the name of a call.
const MAX_LINE_BYTES: u64 = 8 * 1024 * 1024;

const OF_AGENT: &str = concat!(
    "SELECT spawned_by, agent_type FROM (",
    include_str!("../spawned_threads.sql"),
    ") WHERE session = ?1 AND agent = ?2 LIMIT 1"
);

/// What is known of the call that a passage belongs to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Caller {
    /// The id of the call.
    pub tool_use: Option<String>,
    /// The type of the sub-agent.
    pub agent_type: Option<String>,
    line: Option<LinePlace>,
}

#[derive(Clone, Debug, PartialEq)]
struct LinePlace {
    file: PathBuf,
    offset: u64,
    length: u64,
}

impl Caller {
    /// The line of the call, read from its file; `None` if it is gone or very long.
    pub fn line(&self) -> Option<Vec<u8>> {
        let place = self.line.as_ref().filter(|place| place.length <= MAX_LINE_BYTES)?;
        read_part(&place.file, place.offset, place.length)
    }
}

impl Index {
    /// Finds the call that a passage belongs to; `None` for a passage of the conversation itself.
    pub fn caller(&self, hit: &Hit) -> Result<Option<Caller>, IndexError> {
        let mut caller = match (&hit.call, &hit.agent) {
            (Some(call), _) => Caller { tool_use: Some(call.clone()), ..Caller::default() },
            (None, Some(agent)) => self.caller_of_agent(&hit.session, agent)?,
            (None, None) => return Ok(None),
        };
        if let Some(tool_use) = &caller.tool_use {
            let mut statement = self.connection.prepare_cached(
                "SELECT files.path, messages.offset, messages.length FROM files
                 JOIN main.tool_calls AS calls ON calls.file = files.id AND calls.tool_use = ?2
                 JOIN messages ON messages.file = files.id AND messages.line = calls.called
                 WHERE files.session = ?1 AND files.state = 0 LIMIT 1",
            )?;
            let place = statement.query_row(params![hit.session, tool_use], |row| {
                let file = self.config.path().join(row.get::<_, String>(0)?);
                let number = |at: usize| row.get::<_, i64>(at).map(|number| number as u64);
                Ok(LinePlace { file, offset: number(1)?, length: number(2)? })
            });
            caller.line = place.optional()?;
        }
        Ok(Some(caller))
    }

    fn caller_of_agent(&self, session: &str, agent: &str) -> Result<Caller, IndexError> {
        let mut statement = self.connection.prepare_cached(OF_AGENT)?;
        let caller = statement.query_row([session, agent], |row| {
            Ok(Caller { tool_use: row.get(0)?, agent_type: row.get(1)?, line: None })
        });
        Ok(caller.optional()?.unwrap_or_default())
    }

    /// The ids of sub-agents that several files have, as forks copy them.
    pub fn repeated_agents(&self) -> Result<Vec<String>, IndexError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT agent FROM files INDEXED BY files_of_agent
             WHERE agent IS NOT NULL AND role = 1 AND state = 0 GROUP BY agent HAVING count(*) > 1",
        )?;
        Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
    }
}
