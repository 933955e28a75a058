//! The new tables of a rebuild: made beside the old ones, and put in their place at once.

use std::thread;
use std::time::{Duration, Instant};

use crate::schema::DERIVED_TABLES;
use crate::shards::{ShardedTables, TableLayout};
use crate::wire::{Engine, EngineError, Parameter};

/// What the names of new tables end with.
pub(super) const SUFFIX: &str = "_rebuild";
/// How often replicas are asked whether they have all rows.
const PAUSE: Duration = Duration::from_millis(500);

pub(super) struct RebuildTables<'e> {
    engine: &'e Engine,
    layout: TableLayout,
    /// Tells the replicas of this rebuild from those of others.
    number: i64,
    patience: Duration,
}

impl<'e> RebuildTables<'e> {
    /// Asks where the tables are. Over shards, all servers must be there.
    pub(super) fn new(engine: &'e Engine, number: i64, patience: Duration) -> Result<Self, EngineError> {
        let layout = TableLayout::of(engine)?;
        if let TableLayout::Shards(tables) = &layout {
            tables.check_all_servers(
                engine,
                "nothing was changed; run the command again when all servers are up",
            )?;
        }
        Ok(Self { engine, layout, number, patience })
    }

    /// Makes the new tables, without those that an earlier attempt may have left.
    pub(super) fn make(&self) -> Result<(), EngineError> {
        self.remove()?;
        for table in DERIVED_TABLES {
            let new = format!("{table}{SUFFIX}");
            let TableLayout::Shards(tables) = &self.layout else {
                self.engine.execute(&format!("CREATE TABLE {{db}}.{new} AS {{db}}.{table}"), &[])?;
                continue;
            };
            let local = tables.local(table);
            let new_local = format!("{local}{SUFFIX}");
            self.on_all(tables, &self.statement(tables, local, &new_local)?)?;
            let engine = tables.engine_over(table, &new_local);
            let on = tables.on_cluster();
            self.on_all(
                tables,
                &format!("CREATE TABLE {{db}}.{new} {on} AS {{db}}.{local} ENGINE = {engine}"),
            )?;
        }
        Ok(())
    }

    /// The statement that makes a table like this one on each server. Its replicas are those of another table for the keepers.
    fn statement(&self, tables: &ShardedTables, local: &str, new: &str) -> Result<String, EngineError> {
        let found = self.engine.select(
            "SELECT create_table_query AS statement FROM system.tables WHERE database = {name:String} AND name = {table:String}",
            &[
                ("name", Parameter::text(&self.engine.address().database)),
                ("table", Parameter::text(local)),
            ],
        )?;
        let known = found.first().map(|row| row.text("statement")).unwrap_or_default();
        let made = renamed(&known, &format!("{{db}}.{new} {}", tables.on_cluster()), self.number);
        made.ok_or_else(|| {
            EngineError::Refused(format!(
                "{}: annals does not know how to rebuild table {local}; nothing was changed",
                self.engine.address().name()
            ))
        })
    }

    /// Puts the new tables in the place of the old ones.
    pub(super) fn exchange(&self) -> Result<(), EngineError> {
        if let TableLayout::Shards(tables) = &self.layout {
            self.wait_for_replicas(tables)?;
        }
        for table in DERIVED_TABLES {
            let exchange = |one: &str| format!("EXCHANGE TABLES {{db}}.{one} AND {{db}}.{one}{SUFFIX}");
            match &self.layout {
                TableLayout::OneServer => self.engine.execute(&exchange(table), &[])?,
                TableLayout::Shards(tables) => {
                    let statement = format!("{} {}", exchange(tables.local(table)), tables.on_cluster());
                    self.on_all(tables, &statement)?;
                }
            }
        }
        Ok(())
    }

    /// Removes what has their names: new tables, or the old ones once these were replaced.
    pub(super) fn remove(&self) -> Result<(), EngineError> {
        for table in DERIVED_TABLES {
            // A table that is dropped may stay on the disk for a while. An engine without a server (chDB) never gets to the end of SYNC.
            // Over shards, TRUNCATE and merges that begin in the same moment may wait for each other forever.
            match &self.layout {
                TableLayout::OneServer => {
                    let name = format!("{{db}}.{table}{SUFFIX}");
                    self.engine.execute(&format!("TRUNCATE TABLE IF EXISTS {name}"), &[])?;
                    self.engine.execute(&format!("DROP TABLE IF EXISTS {name}"), &[])?;
                }
                TableLayout::Shards(tables) => {
                    let on = tables.on_cluster();
                    for name in [table, tables.local(table)] {
                        let statement = format!("DROP TABLE IF EXISTS {{db}}.{name}{SUFFIX} {on} SYNC");
                        tables.execute_repeatedly(self.engine, &statement, self.patience)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn on_all(&self, tables: &ShardedTables, statement: &str) -> Result<(), EngineError> {
        tables.execute(self.engine, statement, &[], self.patience)
    }

    /// Waits until each replica has the rows of the new tables that the others have.
    fn wait_for_replicas(&self, tables: &ShardedTables) -> Result<(), EngineError> {
        let from = format!(
            "{} WHERE database = {{name:String}} AND endsWith(table, '{SUFFIX}')",
            tables.system_on_each_server("replicas")
        );
        let waiting = "sum(queue_size) + countIf(log_max_index > 0 AND log_pointer <= log_max_index)";
        let name = [("name", Parameter::text(&self.engine.address().database))];
        let (mut last, mut since) = (u64::MAX, Instant::now());
        loop {
            let left: u64 = tables.each_server(self.engine, waiting, &from, &name)?.into_values().sum();
            if left == 0 {
                let what_then = "the new rows were not put in place; run the command again";
                return tables.check_all_servers(self.engine, what_then);
            }
            if left != last {
                (last, since) = (left, Instant::now());
            }
            if since.elapsed() >= self.patience {
                return Err(EngineError::Unavailable(format!(
                    "{}: replicas do not get the new rows; nothing was put in place: run the command again",
                    self.engine.address().name()
                )));
            }
            thread::sleep(PAUSE);
        }
    }
}

/// The statement of a replicated table as that of another one of this name. The keepers know a table by its path: what a rebuild has added
/// to it is replaced.
fn renamed(statement: &str, name: &str, number: i64) -> Option<String> {
    let (_, columns) = statement.split_once('(')?;
    let (head, path) = columns.split_once("ENGINE = Replicated")?;
    let (kind, arguments) = path.split_once("('")?;
    let (path, rest) = arguments.split_once('\'')?;
    let own = path.split_once(SUFFIX).map_or(path, |(own, _)| own);
    Some(format!("CREATE TABLE {name} ({head}ENGINE = Replicated{kind}('{own}{SUFFIX}_{number}'{rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_table_has_another_path_for_the_keepers() {
        let statement = "CREATE TABLE annals.facts_local (`a` String, INDEX b (a) TYPE text) ENGINE = ReplicatedReplacingMergeTree('/tables/{shard}/facts', '{replica}', form) ORDER BY (a)";
        let first = renamed(statement, "{db}.x ON CLUSTER 'c'", 7).unwrap();
        assert_eq!(
            first,
            "CREATE TABLE {db}.x ON CLUSTER 'c' (`a` String, INDEX b (a) TYPE text) ENGINE = ReplicatedReplacingMergeTree('/tables/{shard}/facts_rebuild_7', '{replica}', form) ORDER BY (a)"
        );
        assert!(renamed(&first, "{db}.x", 8).unwrap().contains("'/tables/{shard}/facts_rebuild_8'"));
        assert_eq!(renamed("CREATE TABLE a.b (c String) ENGINE = MergeTree ORDER BY c", "d", 1), None);
    }
}
