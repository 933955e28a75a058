//! Sub-agents that sessions name, and of which nobody has a file.

use std::collections::{BTreeSet, HashSet};

use super::files::{FileChoice, TeamFile, files};
use super::scope::Scope;
use crate::wire::{Engine, EngineError};

/// The session files whose progress records name sub-agents without a file, and these sub-agents: what they used is not in the sums
/// of usage.
pub fn agents_without_file(
    engine: &Engine,
    scope: &Scope,
) -> Result<(Vec<TeamFile>, BTreeSet<String>), EngineError> {
    let question = format!(
        "SELECT DISTINCT session, splitByChar('\\t', value)[1] AS sub_agent FROM {{db}}.facts
         WHERE tenant = {{tenant:String}} AND kind = 'at_work'{}
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
