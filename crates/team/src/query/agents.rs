//! Sub-agents that sessions name, and of which nobody has a file.

use std::collections::{BTreeSet, HashSet};

use super::files::{FileChoice, TeamFile, files};
use super::scope::Scope;
use crate::wire::{Engine, EngineError};

/// The session files whose progress records or results name sub-agents without a file, and these sub-agents: what they used is not
/// in the sums of usage.
pub fn agents_without_file(
    engine: &Engine,
    scope: &Scope,
) -> Result<(Vec<TeamFile>, BTreeSet<String>), EngineError> {
    let question = format!(
        "SELECT DISTINCT session, sub_agent FROM (
            SELECT machine, session, file, splitByChar('\\t', value)[1] AS sub_agent FROM {{db}}.facts
            WHERE tenant = {{tenant:String}} AND kind = 'at_work'
            UNION ALL SELECT machine, session, file, started_agent FROM {{db}}.calls
            WHERE tenant = {{tenant:String}} AND half = 'result' AND started_agent != '')
         WHERE file IN (SELECT file FROM {{db}}.files WHERE tenant = {{tenant:String}} AND role = 'session'){}
            AND sub_agent NOT IN (SELECT agent FROM {{db}}.files WHERE tenant = {{tenant:String}} AND role = 'agent')",
        scope.condition()
    );
    let found = engine.select(&question, &scope.parameters())?;
    let agents: BTreeSet<String> = found.rows().map(|row| row.text("sub_agent")).collect();
    if agents.is_empty() {
        return Ok((Vec::new(), agents));
    }
    let sessions: HashSet<String> = found.rows().map(|row| row.text("session")).collect();
    let choice = FileChoice::Sessions(sessions.into_iter().collect());
    let mut named = files(engine, scope, &choice)?;
    named.retain(|file| file.role == "session");
    Ok((named, agents))
}
