//! The newest sessions: what a list needs to know of many of them.

use crate::wire::{Engine, EngineError, Parameter};

/// A session in a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewestSession {
    /// Its id.
    pub session: String,
    /// The bytes of its file, before redaction; of copies, the greatest.
    pub bytes: u64,
    /// When it was last active, in milliseconds since 1970.
    pub active: Option<i64>,
    /// How many sub-agents have files of their own.
    pub agents: u64,
}

/// The newest `limit` sessions, and how many there are. Only the list of files is read, however large they are.
pub fn newest_sessions(engine: &Engine, limit: usize) -> Result<(Vec<NewestSession>, u64), EngineError> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let found = engine.select(
        "SELECT session_id, maxIf(size, file_role = 'session') AS bytes, maxIf(newest, file_role = 'session') AS last_active,
            uniqExactIf(agent_id, file_role = 'agent') AS agents, count() OVER () AS total
         FROM (
            SELECT any(role) AS file_role, argMinIf(session, (generation, version), session != '') AS session_id,
                any(agent) AS agent_id, argMaxIf(reached, (generation, reached), state = 'there') AS size,
                argMaxIf(active, (generation, reached), state = 'there') AS newest
            FROM {db}.files WHERE tenant = {tenant:String} AND role IN ('session', 'agent')
            GROUP BY machine, store, file HAVING maxIf(generation, state = 'there') != 0)
         WHERE session_id != '' GROUP BY session_id HAVING countIf(file_role = 'session') > 0
         ORDER BY last_active DESC NULLS LAST, session_id LIMIT {limit:Int64}",
        &[("limit", Parameter::Integer(limit))],
    )?;
    let session = |row: crate::wire::Row<'_>| NewestSession {
        session: row.text("session_id"),
        bytes: row.count("bytes"),
        active: row.millis("last_active"),
        agents: row.count("agents"),
    };
    let total = found.first().map_or(0, |row| row.count("total"));
    Ok((found.rows().map(session).collect(), total))
}
