//! Removing rows from all servers of a cluster. A statement in the queue of the keepers is done by a server that is away when it is
//! back; whether all have done it is seen by their rows, not by what the queue says.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use super::removals::Removal;
use crate::query::forget::Subject;
use crate::shards::{ClusterServer, ShardedTables, absent};
use crate::wire::{Engine, EngineError, Parameter};

/// How often servers are asked how far they are.
const PAUSE: Duration = Duration::from_millis(500);
/// How often rows must stay with no server at work on them before they are asked for again: it may have failed on a server.
const IDLE_BEFORE_AGAIN: u32 = 20;

/// How far the servers are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Progress {
    /// Rows that are left, by the place of the server.
    left: BTreeMap<u64, u64>,
    missing: Vec<u64>,
    /// Parts that servers have still to write again.
    parts: u64,
}

/// Waits until every server that answers knows what is not taken any more. Only then rows go: else a sink that asks such a server
/// would write them again.
pub(super) fn wait_for_notes(
    engine: &Engine,
    tables: &ShardedTables,
    subjects: &[Subject],
    patience: Duration,
) -> Result<(), EngineError> {
    let from = format!(
        "{} WHERE tenant = {{tenant:String}} AND name IN {{names:Array(String)}}",
        tables.on_each_server("forgotten")
    );
    let names: Vec<String> = subjects.iter().map(|subject| subject.name().to_owned()).collect();
    let parameters = [("names", Parameter::Texts(names))];
    let began = Instant::now();
    loop {
        let known = tables.each_server(engine, "uniqExact(name)", &from, &parameters)?;
        let missing = tables.missing(engine)?;
        let late: Vec<ClusterServer> = tables
            .servers(engine)?
            .into_iter()
            .filter(|server| {
                !missing.contains(server) && known.get(&server.place) != Some(&(subjects.len() as u64))
            })
            .collect();
        if late.is_empty() {
            return Ok(());
        }
        if began.elapsed() >= patience {
            return Err(absent(
                engine,
                &late,
                "they do not know yet what is forgotten; run the command again",
            ));
        }
        thread::sleep(PAUSE);
    }
}

/// Removes rows from every server that answers, and waits until none of them has any.
pub(super) fn remove(
    engine: &Engine,
    tables: &ShardedTables,
    removals: &[&Removal],
    patience: Duration,
) -> Result<(), EngineError> {
    submit(engine, tables, removals)?;
    let (mut last, mut since, mut idle) = (Progress::default(), Instant::now(), 0);
    loop {
        match progress(engine, tables, removals) {
            Ok(now) if now.left.is_empty() => return Ok(()),
            Ok(now) => {
                idle = if now.parts == 0 { idle + 1 } else { 0 };
                if now != last {
                    (last, since) = (now, Instant::now());
                }
            }
            // A server may go while it is asked.
            Err(EngineError::Unavailable(why)) if since.elapsed() >= patience => {
                return Err(EngineError::Unavailable(why));
            }
            Err(EngineError::Unavailable(_)) => {}
            Err(other) => return Err(other),
        }
        if since.elapsed() >= patience {
            return Err(unfinished(engine, tables, &last)?);
        }
        if idle >= IDLE_BEFORE_AGAIN {
            submit(engine, tables, removals)?;
            idle = 0;
        }
        thread::sleep(PAUSE);
    }
}

fn submit(engine: &Engine, tables: &ShardedTables, removals: &[&Removal]) -> Result<(), EngineError> {
    for removal in removals {
        let statement = format!(
            "ALTER TABLE {{db}}.{} {} DELETE WHERE {}",
            tables.local(removal.table),
            tables.on_cluster(),
            removal.condition()
        );
        tables.execute(engine, &statement, removal.parameters(), Duration::ZERO)?;
    }
    Ok(())
}

fn progress(engine: &Engine, tables: &ShardedTables, removals: &[&Removal]) -> Result<Progress, EngineError> {
    let mut found = Progress::default();
    for removal in removals {
        let from = format!("{} WHERE {}", tables.on_each_server(removal.table), removal.condition());
        for (place, rows) in tables.each_server(engine, "count()", &from, removal.parameters())? {
            *found.left.entry(place).or_default() += rows;
        }
    }
    found.left.retain(|_, rows| *rows > 0);
    found.missing = tables.missing(engine)?.into_iter().map(|server| server.place).collect();
    let from = format!(
        "{} WHERE database = {{name:String}} AND NOT is_done",
        tables.system_on_each_server("mutations")
    );
    let name = [("name", Parameter::text(&engine.address().database))];
    found.parts = tables.each_server(engine, "count()", &from, &name)?.into_values().sum();
    Ok(found)
}

/// What is left, and where.
fn unfinished(engine: &Engine, tables: &ShardedTables, last: &Progress) -> Result<EngineError, EngineError> {
    let servers = tables.servers(engine)?;
    let left = last.left.iter().map(|(place, rows)| {
        let server = servers.iter().find(|server| server.place == *place);
        let name = server.map_or_else(|| format!("server {place}"), ToString::to_string);
        format!("{name} still has {rows} rows")
    });
    Ok(EngineError::Unavailable(format!(
        "{}: {}: run the command again to wait for them",
        engine.address().name(),
        left.collect::<Vec<_>>().join(", ")
    )))
}
