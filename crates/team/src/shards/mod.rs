//! Tables over shards: which cluster they are on, and statements for all of its servers. A statement `ON CLUSTER` is in the queue of
//! the keepers once it is taken, so a server that is away does it when it is back. Nobody waits for it without an end.

mod servers;

use std::collections::HashMap;
use std::thread;
use std::time::{Duration, Instant};

pub(crate) use self::servers::{ClusterServer, absent};
use crate::schema::ITEM_TABLES;
use crate::wire::{Engine, EngineError, Parameter};

/// How long to wait for servers of a cluster while none of them gets further.
pub const DEFAULT_PATIENCE: Duration = Duration::from_secs(300);

/// How long to wait before a statement is sent again.
const PAUSE: Duration = Duration::from_millis(500);

/// Where the rows of the tables are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TableLayout {
    /// On one server, or on replicas that are each other's copies.
    OneServer,
    /// On the shards of a cluster.
    Shards(ShardedTables),
}

/// The tables of items, each over the tables of another name on every shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShardedTables {
    cluster: String,
    tables: HashMap<String, ShardedTable>,
}

/// A table over shards.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ShardedTable {
    /// The table on each shard.
    local: String,
    /// Its engine with the sharding key, as the statement has it that made the table.
    engine: String,
}

impl TableLayout {
    /// Asks for it. Fails if a table is of a kind that cannot be changed.
    pub(crate) fn of(engine: &Engine) -> Result<Self, EngineError> {
        let tables = Parameter::Texts(ITEM_TABLES.map(str::to_owned).to_vec());
        let found = engine.select(
            "SELECT name, engine, create_table_query AS statement FROM system.tables
             WHERE database = {name:String} AND name IN {tables:Array(String)} ORDER BY name",
            &[("name", Parameter::text(&engine.address().database)), ("tables", tables)],
        )?;
        let (mut sharded, mut cluster) = (HashMap::new(), None);
        for row in found.rows() {
            let (name, kind) = (row.text("name"), row.text("engine"));
            if kind.ends_with("MergeTree") {
                continue;
            }
            let refused = || unchangeable(engine, &name, &kind);
            let (on, table) = ShardedTable::of(&row.text("statement"), &engine.address().database)
                .filter(|_| kind == "Distributed")
                .ok_or_else(refused)?;
            if cluster.get_or_insert_with(|| on.clone()) != &on {
                return Err(refused());
            }
            sharded.insert(name, table);
        }
        match cluster {
            None => Ok(Self::OneServer),
            Some(cluster) if sharded.len() == ITEM_TABLES.len() => {
                Ok(Self::Shards(ShardedTables { cluster, tables: sharded }))
            }
            Some(_) => Err(EngineError::Refused(format!(
                "{}: only some of the tables are over shards (see annals help team); nothing was changed",
                engine.address().name()
            ))),
        }
    }

    /// The table that has the rows where they are asked for.
    pub(crate) fn local<'t>(&'t self, table: &'t str) -> &'t str {
        match self {
            Self::OneServer => table,
            Self::Shards(tables) => tables.local(table),
        }
    }
}

fn unchangeable(engine: &Engine, table: &str, kind: &str) -> EngineError {
    EngineError::Refused(format!(
        "{}: table {table} is of kind {kind}, which cannot be changed (see annals help team); nothing was changed",
        engine.address().name()
    ))
}

impl ShardedTable {
    /// The cluster and the table on each shard, by the statement that made a table of kind `Distributed`.
    fn of(statement: &str, database: &str) -> Option<(String, Self)> {
        let (_, engine) = statement.split_once("ENGINE = ")?;
        let arguments = engine.strip_prefix("Distributed(")?;
        let mut names = arguments.splitn(4, ',').map(|name| name.trim().trim_matches(['\'', '`', '"']));
        let (cluster, other, local) = (names.next()?, names.next()?, names.next()?);
        let is_name = |name: &str| {
            !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.{}".contains(&byte))
        };
        let is_ours = other == database && is_name(cluster) && is_name(local);
        let table = || Self { local: local.to_owned(), engine: engine.to_owned() };
        is_ours.then(|| (cluster.to_owned(), table()))
    }
}

impl ShardedTables {
    /// The table of this name on each shard.
    pub(crate) fn local<'t>(&'t self, table: &'t str) -> &'t str {
        self.tables.get(table).map_or(table, |sharded| &sharded.local)
    }

    /// All rows of a table on every server that answers, with `_shard_num` as the place of the server.
    pub(crate) fn on_each_server(&self, table: &str) -> String {
        format!("clusterAllReplicas('{}', {{db}}.{})", self.cluster, self.local(table))
    }

    /// The same of a table of the engine itself.
    pub(crate) fn system_on_each_server(&self, table: &str) -> String {
        format!("clusterAllReplicas('{}', system.{table})", self.cluster)
    }

    /// What makes a statement one for all servers.
    pub(crate) fn on_cluster(&self) -> String {
        format!("ON CLUSTER '{}'", self.cluster)
    }

    /// The engine of a table like this one, over tables of another name.
    pub(crate) fn engine_over(&self, table: &str, local: &str) -> String {
        let Some(known) = self.tables.get(table) else { return String::new() };
        known.engine.replacen(&known.local, local, 1)
    }

    /// Has a statement done by all servers; waits for them as long as this, or not at all.
    pub(crate) fn execute(
        &self,
        engine: &Engine,
        statement: &str,
        parameters: &[(&str, Parameter)],
        wait: Duration,
    ) -> Result<(), EngineError> {
        engine.execute_on_cluster(statement, parameters, wait.as_secs())
    }

    /// The same for a statement that may run twice: as long as `wait` allows, it is sent again after a failure that passes, such as a
    /// replica that has just lost its keeper.
    pub(crate) fn execute_repeatedly(
        &self,
        engine: &Engine,
        statement: &str,
        wait: Duration,
    ) -> Result<(), EngineError> {
        let start = Instant::now();
        loop {
            let left = wait.saturating_sub(start.elapsed());
            match self.execute(engine, statement, &[], left) {
                Err(EngineError::Unavailable(_)) if left > 2 * PAUSE => thread::sleep(PAUSE),
                result => return result,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use annals_testkit::engine::{EngineRequest, ScriptedEngine};

    use super::*;

    /// How often a statement was sent that fails with a code a number of times, and whether it was done in the end.
    fn sent(code: u32, failures: u32, wait: Duration) -> (u32, bool) {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        COUNT.store(0, Ordering::Relaxed);
        let answer = move |_: &EngineRequest| match COUNT.fetch_add(1, Ordering::Relaxed) < failures {
            true => Err(code),
            false => Ok(String::new()),
        };
        let engine = ScriptedEngine::start(answer);
        let tables = ShardedTables { cluster: "big".to_owned(), tables: HashMap::new() };
        let done = tables.execute_repeatedly(&Engine::at(&engine.at("x")), "TRUNCATE TABLE a", wait);
        (COUNT.load(Ordering::Relaxed), done.is_ok())
    }

    #[test]
    fn a_statement_is_sent_again_after_a_failure_that_passes() {
        let minute = Duration::from_secs(60);
        assert_eq!(sent(254, 2, minute), (3, true));
        assert_eq!(sent(242, 1, minute), (2, true));
        // It would fail each time.
        assert_eq!(sent(62, 2, minute), (1, false));
        // There is no time for it.
        assert_eq!(sent(254, 2, Duration::ZERO), (1, false));
    }

    #[test]
    fn the_cluster_and_its_tables_are_those_of_the_statement() {
        let of = |statement: &str| ShardedTable::of(statement, "annals");
        let old = "CREATE TABLE annals.lines (`a` String) ENGINE = Distributed(big, annals, lines_local, cityHash64(tenant, session))";
        let (cluster, table) = of(old).unwrap();
        assert_eq!((cluster.as_str(), table.local.as_str()), ("big", "lines_local"));
        let new = "CREATE TABLE annals.lines (`a` String) ENGINE = Distributed('big', 'annals', 'lines_local', cityHash64(tenant, key))";
        let tables = ShardedTables { cluster, tables: [("lines".to_owned(), of(new).unwrap().1)].into() };
        assert_eq!(
            tables.engine_over("lines", "other"),
            "Distributed('big', 'annals', 'other', cityHash64(tenant, key))"
        );
        assert_eq!(tables.on_each_server("lines"), "clusterAllReplicas('big', {db}.lines_local)");
        assert_eq!(tables.on_each_server("forgotten"), "clusterAllReplicas('big', {db}.forgotten)");
        assert_eq!(of("CREATE TABLE annals.lines ENGINE = Distributed(big, another, lines_local)"), None);
        assert_eq!(of("CREATE TABLE annals.lines ENGINE = Distributed(big, annals, `a b`)"), None);
        assert_eq!(of("CREATE TABLE annals.lines (a String) ENGINE = Memory"), None);
    }
}
