//! The servers of a cluster, and which of them answer.

use std::collections::{BTreeMap, BTreeSet};

use super::ShardedTables;
use crate::wire::{Engine, EngineError, Parameter};

/// A server of the cluster: a replica of a shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClusterServer {
    /// Its place among all servers, from 1.
    pub(crate) place: u64,
    shard: u64,
    replica: u64,
    /// Host and port, as the other servers know it.
    address: String,
}

impl std::fmt::Display for ClusterServer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { shard, replica, address, .. } = self;
        write!(formatter, "{address} (shard {shard}, replica {replica})")
    }
}

impl ShardedTables {
    pub(crate) fn servers(&self, engine: &Engine) -> Result<Vec<ClusterServer>, EngineError> {
        let found = engine.select(
            "SELECT shard_num, replica_num, host_name, port FROM system.clusters
             WHERE cluster = {cluster:String} ORDER BY shard_num, replica_num",
            &[("cluster", Parameter::text(&self.cluster))],
        )?;
        let server = |(place, row): (usize, crate::wire::Row<'_>)| ClusterServer {
            place: place as u64 + 1,
            shard: row.count("shard_num"),
            replica: row.count("replica_num"),
            address: format!("{}:{}", row.text("host_name"), row.count("port")),
        };
        Ok(found.rows().enumerate().map(server).collect())
    }

    /// A number of each server that answers, by its place: what `value` is over the rows that `from` and its conditions leave.
    pub(crate) fn each_server(
        &self,
        engine: &Engine,
        value: &str,
        from: &str,
        parameters: &[(&str, Parameter)],
    ) -> Result<BTreeMap<u64, u64>, EngineError> {
        let question = format!("SELECT _shard_num AS place, {value} AS number FROM {from} GROUP BY place");
        let found = engine.select_of_reachable(&question, parameters)?;
        Ok(found.rows().map(|row| (row.count("place"), row.count("number"))).collect())
    }

    /// The servers that do not answer.
    pub(crate) fn missing(&self, engine: &Engine) -> Result<Vec<ClusterServer>, EngineError> {
        let answered = self.each_server(engine, "any(dummy)", &self.system_on_each_server("one"), &[])?;
        Ok(self.servers(engine)?.into_iter().filter(|server| !answered.contains_key(&server.place)).collect())
    }

    /// Fails if no replica of a shard answers: nobody knows what it has.
    pub(crate) fn check_each_shard(&self, engine: &Engine) -> Result<(), EngineError> {
        let missing = self.missing(engine)?;
        let all = self.servers(engine)?;
        let there: BTreeSet<u64> =
            all.iter().filter(|server| !missing.contains(server)).map(|server| server.shard).collect();
        match missing.iter().find(|server| !there.contains(&server.shard)) {
            Some(server) => Err(EngineError::Unavailable(format!(
                "{}: no server of shard {} answers; nothing was removed: run the command again when one is back",
                engine.address().name(),
                server.shard
            ))),
            None => Ok(()),
        }
    }

    /// Fails with the names of the servers that do not answer.
    pub(crate) fn check_all_servers(&self, engine: &Engine, what_then: &str) -> Result<(), EngineError> {
        let missing = self.missing(engine)?;
        match missing.is_empty() {
            true => Ok(()),
            false => Err(absent(engine, &missing, what_then)),
        }
    }
}

/// The failure that says which servers do not answer.
pub(crate) fn absent(engine: &Engine, missing: &[ClusterServer], what_then: &str) -> EngineError {
    let names: Vec<String> = missing.iter().map(ToString::to_string).collect();
    EngineError::Unavailable(format!(
        "{}: no answer from {}: {what_then}",
        engine.address().name(),
        names.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use annals_testkit::engine::{EngineRequest, ScriptedEngine};

    use super::*;

    const SERVERS: &str = r#"{"shard_num":"1","replica_num":"1","host_name":"a","port":"9000"}
{"shard_num":"1","replica_num":"2","host_name":"b","port":"9000"}
{"shard_num":"2","replica_num":"1","host_name":"c","port":"9000"}
{"shard_num":"2","replica_num":"2","host_name":"d","port":"9001"}"#;

    fn tables() -> ShardedTables {
        ShardedTables { cluster: "big".to_owned(), tables: Default::default() }
    }

    /// Two shards of two replicas, of which those at some places answer.
    fn cluster(there: &'static [u64]) -> (ScriptedEngine, Engine) {
        let answer = move |request: &EngineRequest| match request.statement.contains("system.clusters") {
            true => Ok(SERVERS.to_owned()),
            false => Ok(there
                .iter()
                .map(|place| format!("{{\"place\":{place},\"number\":\"{}\"}}\n", place * 10))
                .collect()),
        };
        let engine = ScriptedEngine::start(answer);
        let opened = Engine::at(&engine.at("x"));
        (engine, opened)
    }

    #[test]
    fn servers_that_do_not_answer_are_named() {
        let (_engine, all) = cluster(&[1, 2, 3, 4]);
        assert_eq!(tables().missing(&all).unwrap(), []);
        tables().check_all_servers(&all, "so what").unwrap();

        let (_engine, some) = cluster(&[1, 4]);
        let names: Vec<String> = tables().missing(&some).unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(names, ["b:9000 (shard 1, replica 2)", "c:9000 (shard 2, replica 1)"]);
        let failure = tables().check_all_servers(&some, "so what").unwrap_err();
        assert!(matches!(failure, EngineError::Unavailable(_)));
        let said = failure.to_string();
        assert!(
            said.ends_with(
                "no answer from b:9000 (shard 1, replica 2), c:9000 (shard 2, replica 1): so what"
            ),
            "{said}"
        );
    }

    #[test]
    fn a_shard_is_there_while_one_of_its_replicas_is() {
        let (_engine, one_of_each) = cluster(&[2, 3]);
        tables().check_each_shard(&one_of_each).unwrap();
        for (there, shard) in [(&[1, 2][..], "shard 2"), (&[4], "shard 1"), (&[], "shard 1")] {
            let (_engine, some) = cluster(there);
            let failure = tables().check_each_shard(&some).unwrap_err();
            assert!(matches!(failure, EngineError::Unavailable(_)), "{there:?}");
            let said = failure.to_string();
            assert!(said.contains(&format!("no server of {shard} answers; nothing was removed")), "{said}");
        }
    }

    #[test]
    fn each_server_says_its_own_number_and_who_is_away_says_none() {
        let (engine, some) = cluster(&[1, 3]);
        let from = tables().on_each_server("forgotten");
        let found = tables().each_server(&some, "count()", &from, &[]).unwrap();
        assert_eq!(found, [(1, 10), (3, 30)].into());
        let asked = engine.requests().remove(0);
        assert!(asked.statement.contains("clusterAllReplicas('big', x.forgotten)"), "{}", asked.statement);
        let skipped = ("skip_unavailable_shards".to_owned(), "1".to_owned());
        assert!(asked.parameters.contains(&skipped), "{:?}", asked.parameters);
    }
}
