//! Retention: after how many days rows are removed.

use super::audit::AuditEntry;
use crate::schema::check_changeable;
use crate::wire::{Engine, EngineError, Parameter};

/// The tables that have a day.
const TABLES: [&str; 5] = ["lines", "messages", "calls", "responses", "facts"];

/// The statements that remove rows after some days; without days, those that keep them.
pub fn retention_statements(database: &str, days: Option<u32>) -> Vec<String> {
    let statement = |table: &str| match days {
        Some(days) => format!("ALTER TABLE {database}.{table} MODIFY TTL day + INTERVAL {days} DAY DELETE"),
        None => format!("ALTER TABLE {database}.{table} REMOVE TTL"),
    };
    TABLES.into_iter().map(statement).collect()
}

/// After how many days rows are removed; `None` if never.
pub fn retention(engine: &Engine) -> Result<Option<u32>, EngineError> {
    let found = engine.select(
        "SELECT extract(create_table_query, 'toIntervalDay\\\\((\\\\d+)\\\\)') AS days FROM system.tables
         WHERE database = {name:String} AND name = 'lines'",
        &[("name", Parameter::text(&engine.address().database))],
    )?;
    Ok(found.first().and_then(|row| row.text("days").parse().ok()))
}

/// Sets after how many days rows are removed, and notes it.
pub fn set_retention(engine: &Engine, days: Option<u32>, now: i64) -> Result<(), EngineError> {
    check_changeable(engine)?;
    let before = retention(engine)?;
    for statement in retention_statements(&engine.address().database, days) {
        // There may be nothing to remove.
        if days.is_some() || before.is_some() {
            engine.execute(&statement, &[])?;
        }
    }
    let days = days.map_or_else(|| "forever".to_owned(), |days| days.to_string());
    AuditEntry { action: "retention", subject: &days, detail: "" }.write(engine, now)
}
