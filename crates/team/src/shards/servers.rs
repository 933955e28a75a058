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
    /// All servers.
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
