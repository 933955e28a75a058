//! Machines, and whose they are.

use std::collections::HashMap;

use super::audit::AuditEntry;
use super::scope::Scope;
use crate::wire::{Engine, EngineError, Parameter};

/// A machine and what it has sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    pub id: String,
    /// Whose it is.
    pub owner: Owner,
    /// How many sessions it has sent.
    pub sessions: u64,
    /// How many lines.
    pub lines: u64,
    pub bytes: u64,
    /// When something last came, in milliseconds since 1970.
    pub received: Option<i64>,
}

/// The person and the team of a machine; empty if nobody said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Owner {
    pub person: String,
    pub team: String,
}

impl Machine {
    /// The person, if one is known.
    pub fn person(&self) -> Option<&str> {
        Some(self.owner.person.as_str()).filter(|person| !person.is_empty())
    }

    /// The team, if one is known.
    pub fn team(&self) -> Option<&str> {
        Some(self.owner.team.as_str()).filter(|team| !team.is_empty())
    }
}

pub fn owners(engine: &Engine) -> Result<HashMap<String, Owner>, EngineError> {
    let found = engine.select(
        "SELECT machine, argMax(person, version) AS person, argMax(team, version) AS team FROM {db}.machines
         WHERE tenant = {tenant:String} GROUP BY machine",
        &[],
    )?;
    let owner = |row: crate::wire::Row<'_>| {
        (row.text("machine"), Owner { person: row.text("person"), team: row.text("team") })
    };
    Ok(found.rows().map(owner).collect())
}

/// The machines that have sent something.
pub fn machines(engine: &Engine, scope: &Scope) -> Result<Vec<Machine>, EngineError> {
    let mut owners = owners(engine)?;
    // `FINAL`, because a set of all lines would not fit into memory.
    let question = format!(
        "SELECT machine, uniqExactIf(session, role = 'session') AS sessions, count() AS lines, sum(length) AS bytes,
            toUnixTimestamp(max(received)) * 1000 AS received
         FROM {{db}}.lines FINAL WHERE tenant = {{tenant:String}}{} GROUP BY machine ORDER BY machine",
        scope.condition()
    );
    let found = engine.select(&question, &scope.parameters())?;
    let machine = |row: crate::wire::Row<'_>| {
        let id = row.text("machine");
        Machine {
            owner: owners.remove(&id).unwrap_or_default(),
            id,
            sessions: row.count("sessions"),
            lines: row.count("lines"),
            bytes: row.count("bytes"),
            received: row.millis("received"),
        }
    };
    Ok(found.rows().map(machine).collect())
}

/// The machines that are assigned to somebody in the scope, whether they have sent something or not.
pub fn machines_assigned(engine: &Engine, scope: &Scope) -> Result<Vec<String>, EngineError> {
    let question = format!(
        "SELECT DISTINCT machine FROM {{db}}.machines WHERE tenant = {{tenant:String}}{} ORDER BY machine",
        scope.condition()
    );
    Ok(engine.select(&question, &scope.parameters())?.rows().map(|row| row.text("machine")).collect())
}

/// Says whose a machine is, and notes that it was said.
pub fn assign(engine: &Engine, machine: &str, person: &str, team: &str, now: i64) -> Result<(), EngineError> {
    let values = [
        ("machine", Parameter::text(machine)),
        ("person", Parameter::text(person)),
        ("team", Parameter::text(team)),
        ("now", Parameter::Integer(now)),
    ];
    engine.execute(
        "INSERT INTO {db}.machines SELECT {tenant:String}, {machine:String}, {person:String}, {team:String}, {now:Int64}",
        &values,
    )?;
    let detail = format!("{person}\t{team}");
    AuditEntry { action: "assign", subject: machine, detail: &detail }.write(engine, now)
}
