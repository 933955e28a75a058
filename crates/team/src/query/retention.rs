//! Retention: after how many days rows are removed.

use std::time::Duration;

use super::audit::AuditEntry;
use crate::shards::TableLayout;
use crate::wire::{Engine, EngineError, Parameter};

/// The tables that have a day.
const TABLES: [&str; 5] = ["lines", "messages", "calls", "responses", "facts"];

/// The statements that remove rows after some days; without days, those that keep them.
pub fn retention_statements(engine: &Engine, days: Option<u32>) -> Result<Vec<String>, EngineError> {
    let layout = TableLayout::of(engine)?;
    let database = &engine.address().database;
    let statement = |table: &str| {
        let on = match &layout {
            TableLayout::OneServer => String::new(),
            TableLayout::Shards(tables) => format!(" {}", tables.on_cluster()),
        };
        let table = layout.local(table);
        match days {
            Some(days) => {
                format!("ALTER TABLE {database}.{table}{on} MODIFY TTL day + INTERVAL {days} DAY DELETE")
            }
            None => format!("ALTER TABLE {database}.{table}{on} REMOVE TTL"),
        }
    };
    Ok(TABLES.into_iter().map(statement).collect())
}

/// After how many days rows are removed; `None` if never.
pub fn retention(engine: &Engine) -> Result<Option<u32>, EngineError> {
    let layout = TableLayout::of(engine)?;
    let found = engine.select(
        "SELECT extract(create_table_query, 'toIntervalDay\\\\((\\\\d+)\\\\)') AS days FROM system.tables
         WHERE database = {name:String} AND name = {table:String}",
        &[
            ("name", Parameter::text(&engine.address().database)),
            ("table", Parameter::text(layout.local("lines"))),
        ],
    )?;
    Ok(found.first().and_then(|row| row.text("days").parse().ok()))
}

/// Sets after how many days rows are removed, and notes it. Over shards, each statement waits this long for all servers; a server that
/// is away does it when it is back, and is named.
pub fn set_retention(
    engine: &Engine,
    days: Option<u32>,
    now: i64,
    patience: Duration,
) -> Result<(), EngineError> {
    let (layout, before) = (TableLayout::of(engine)?, retention(engine)?);
    let missing = match &layout {
        TableLayout::OneServer => Vec::new(),
        TableLayout::Shards(tables) => tables.missing(engine)?,
    };
    let wait = if missing.is_empty() { patience } else { Duration::ZERO };
    for statement in retention_statements(engine, days)? {
        match &layout {
            // There may be nothing to remove.
            _ if days.is_none() && before.is_none() => {}
            TableLayout::OneServer => engine.execute(&statement, &[])?,
            TableLayout::Shards(tables) => tables.execute(engine, &statement, &[], wait)?,
        }
    }
    let days = days.map_or_else(|| "forever".to_owned(), |days| days.to_string());
    AuditEntry { action: "retention", subject: &days, detail: "" }.write(engine, now)?;
    match &layout {
        TableLayout::Shards(tables) if !missing.is_empty() => {
            tables.check_all_servers(engine, "it does the same when it is back")
        }
        _ => Ok(()),
    }
}
