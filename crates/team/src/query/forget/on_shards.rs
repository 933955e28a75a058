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
const PAUSE: Duration = Duration::from_millis(if cfg!(test) { 1 } else { 500 });
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
            return Err(absent(engine, &late, "they do not yet know what to forget; run the command again"));
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

#[cfg(test)]
mod tests {
    use annals_testkit::engine::{EngineAnswer, EngineRequest, ScriptedEngine};

    use super::*;
    use crate::schema::ITEM_TABLES;
    use crate::shards::TableLayout;

    const LONG: Duration = Duration::from_secs(60);

    /// An engine whose tables are over two servers, one of each shard, and what it says to everything else.
    fn cluster(
        mut rest: impl FnMut(&EngineRequest) -> EngineAnswer + Send + 'static,
    ) -> (ScriptedEngine, Engine, ShardedTables) {
        let engine = ScriptedEngine::start(move |request| {
            let statement = request.statement.as_str();
            if statement.contains("system.tables") {
                let row = |table: &str| {
                    format!(
                        "{{\"name\":\"{table}\",\"engine\":\"Distributed\",\"statement\":\"CREATE TABLE x.{table} (a String) ENGINE = Distributed('big', 'x', '{table}_local', rand())\"}}\n"
                    )
                };
                return Ok(ITEM_TABLES.map(row).concat());
            }
            if statement.contains("system.clusters") {
                let row = |shard| {
                    format!(
                        "{{\"shard_num\":{shard},\"replica_num\":1,\"host_name\":\"s{shard}\",\"port\":9000}}\n"
                    )
                };
                return Ok([1, 2].map(row).concat());
            }
            rest(request)
        });
        let opened = Engine::at(&engine.at("x"));
        let TableLayout::Shards(tables) = TableLayout::of(&opened).unwrap() else { panic!("no shards") };
        (engine, opened, tables)
    }

    fn numbers(of: &[(u64, u64)]) -> EngineAnswer {
        let row = |(place, number): &(u64, u64)| format!("{{\"place\":{place},\"number\":{number}}}\n");
        Ok(of.iter().map(row).collect())
    }

    fn is_about(request: &EngineRequest, table: &str) -> bool {
        request.statement.contains(&format!("clusterAllReplicas('big', {table})"))
    }

    /// The removals of a machine from one table.
    fn removals() -> Vec<Removal> {
        let engine = ScriptedEngine::start(|_| Ok(String::new()));
        let all = Removal::of(
            &Engine::at(&engine.at("x")),
            &TableLayout::OneServer,
            &Subject::Machine("m".to_owned()),
        );
        all.unwrap().into_iter().filter(|removal| removal.table == "lines").collect()
    }

    fn submitted(engine: &ScriptedEngine) -> usize {
        engine.requests().iter().filter(|request| request.statement.starts_with("ALTER TABLE")).count()
    }

    #[test]
    fn rows_go_only_when_every_server_that_answers_knows_what_is_not_taken() {
        // The second server gets the note late; it is asked until it has it.
        let mut asked = 0;
        let (_engine, opened, tables) = cluster(move |request| {
            if is_about(request, "system.one") {
                return numbers(&[(1, 0), (2, 0)]);
            }
            asked += 1;
            if asked < 5 { numbers(&[(1, 1)]) } else { numbers(&[(1, 1), (2, 1)]) }
        });
        let subjects = [Subject::Session("s".to_owned())];
        wait_for_notes(&opened, &tables, &subjects, LONG).unwrap();

        let (_engine, opened, tables) = cluster(|request| match is_about(request, "system.one") {
            true => numbers(&[(1, 0), (2, 0)]),
            false => numbers(&[(1, 1), (2, 0)]),
        });
        let failure = wait_for_notes(&opened, &tables, &subjects, Duration::ZERO).unwrap_err();
        assert!(matches!(failure, EngineError::Unavailable(_)));
        let said = failure.to_string();
        assert!(said.contains("no answer from s2:9000 (shard 2, replica 1): they do not yet know"), "{said}");

        // Nobody waits for one that is away.
        let (_engine, opened, tables) = cluster(|request| match is_about(request, "system.one") {
            true => numbers(&[(1, 0)]),
            false => numbers(&[(1, 1)]),
        });
        wait_for_notes(&opened, &tables, &subjects, Duration::ZERO).unwrap();
    }

    #[test]
    fn removing_waits_for_the_rows_of_each_server_and_asks_again_where_nothing_works_on_them() {
        // Server 2 keeps its rows until it is told a second time, with no part to write meanwhile: it has failed.
        let mut told = 0;
        let (engine, opened, tables) = cluster(move |request| {
            if request.statement.starts_with("ALTER TABLE") {
                told += 1;
                return Ok(String::new());
            }
            match (is_about(request, "x.lines_local"), is_about(request, "system.one")) {
                (true, _) if told < 2 => numbers(&[(1, 0), (2, 7)]),
                (true, _) => numbers(&[(1, 0), (2, 0)]),
                (_, true) => numbers(&[(1, 0), (2, 0)]),
                _ => numbers(&[]),
            }
        });
        let removals = removals();
        let removals: Vec<&Removal> = removals.iter().collect();
        remove(&opened, &tables, &removals, LONG).unwrap();
        assert_eq!(submitted(&engine), 2);
        let statement = engine.requests().into_iter().find(|request| request.statement.starts_with("ALTER"));
        assert_eq!(
            statement.unwrap().statement,
            "ALTER TABLE x.lines_local ON CLUSTER 'big' DELETE WHERE tenant = {tenant:String} AND machine = {name:String}"
        );
    }

    #[test]
    fn a_server_that_gets_no_further_is_named_with_what_it_has() {
        let (engine, opened, tables) = cluster(|request| {
            match (is_about(request, "x.lines_local"), is_about(request, "system.mutations")) {
                (true, _) => numbers(&[(1, 0), (2, 7)]),
                // It works on them, so it is not asked again.
                (_, true) => numbers(&[(2, 3)]),
                _ => numbers(&[(1, 0), (2, 0)]),
            }
        });
        let removals = removals();
        let removals: Vec<&Removal> = removals.iter().collect();
        let failure = remove(&opened, &tables, &removals, Duration::from_millis(200)).unwrap_err();
        assert!(matches!(failure, EngineError::Unavailable(_)));
        let said = failure.to_string();
        assert!(
            said.contains("s2:9000 (shard 2, replica 1) still has 7 rows: run the command again"),
            "{said}"
        );
        assert_eq!(submitted(&engine), 1);
    }

    #[test]
    fn a_server_that_goes_while_it_is_asked_is_waited_for_and_a_refusal_is_not() {
        let mut asked = 0;
        let (_engine, opened, tables) = cluster(move |request| {
            if is_about(request, "x.lines_local") {
                asked += 1;
                return if asked < 4 { Err(279) } else { numbers(&[]) };
            }
            numbers(&[])
        });
        let removals = removals();
        let removals: Vec<&Removal> = removals.iter().collect();
        remove(&opened, &tables, &removals, LONG).unwrap();

        let (_engine, opened, tables) = cluster(|request| match is_about(request, "x.lines_local") {
            true => Err(279),
            false => numbers(&[]),
        });
        let failure = remove(&opened, &tables, &removals, Duration::ZERO).unwrap_err();
        assert!(matches!(failure, EngineError::Unavailable(_)), "{failure}");

        let (_engine, opened, tables) = cluster(|request| match is_about(request, "x.lines_local") {
            true => Err(62),
            false => numbers(&[]),
        });
        let failure = remove(&opened, &tables, &removals, LONG).unwrap_err();
        assert!(matches!(failure, EngineError::Refused(_)), "{failure}");
    }
}
