//! Who may do what with a login of the engine: roles, and row policies by person and team. A login is called like its person.
//!
//! The tables of items are closed to everybody by a policy; other policies open rows to roles. So a login that somebody forgot sees
//! nothing, whatever the server's settings say.

use crate::query::AuditEntry;
use crate::schema::{ITEM_TABLES, check_policies_hold};
use crate::views::{INNER_VIEWS, VIEWS};
use crate::wire::{Engine, EngineError};

/// What readers may ask for besides items and views. Whose a machine is, is no secret in a team: policies go by it.
const READABLE: [&str; 2] = ["meta", "machines"];

/// The machines of the person who asks.
const OWN: &str = "(tenant, machine) IN (SELECT tenant, machine FROM {db}.machines GROUP BY tenant, machine \
    HAVING argMax(person, version) = currentUser())";

/// The machines of the teams in which the person who asks has a machine.
const OF_TEAM: &str = "(tenant, machine) IN (SELECT tenant, machine FROM {db}.machines GROUP BY tenant, machine \
    HAVING argMax(team, version) != '' AND (tenant, argMax(team, version)) IN (SELECT tenant, argMax(team, version) \
    FROM {db}.machines GROUP BY tenant, machine HAVING argMax(person, version) = currentUser()))";

/// The statements that make roles and row policies for a database; the login that runs them keeps seeing everything.
pub fn rights_statements(database: &str) -> Vec<String> {
    let roles = ["writer", "receiver", "reader", "team_reader", "server", "admin"];
    let names: Vec<String> = roles.iter().map(|role| format!("{{db}}_{role}")).collect();
    let mut statements = vec![format!("CREATE ROLE IF NOT EXISTS {}", names.join(", "))];
    let mut grant = |what: &str, tables: &[&str], roles: &str| {
        let grants = tables.iter().map(|table| format!("GRANT {what} ON {{db}}.{table} TO {roles}"));
        statements.extend(grants);
    };
    grant("INSERT", &ITEM_TABLES, "{db}_writer, {db}_receiver");
    grant("SELECT", &["meta", "forgotten"], "{db}_writer, {db}_receiver");
    grant("SELECT", &["tokens"], "{db}_receiver, {db}_server");
    grant("SELECT", &ITEM_TABLES, "{db}_reader, {db}_team_reader, {db}_server");
    // `calls` is a table of items, too.
    let views: Vec<&str> = INNER_VIEWS.into_iter().chain(VIEWS).filter(|view| *view != "calls").collect();
    grant("SELECT", &READABLE, "{db}_reader, {db}_team_reader, {db}_server");
    grant("SELECT", &views, "{db}_reader, {db}_team_reader, {db}_server");
    grant("SELECT", &["policy_check"], "{db}_reader, {db}_team_reader");
    let care = "SELECT, INSERT, ALTER TABLE, CREATE TABLE, DROP TABLE, TRUNCATE, OPTIMIZE";
    grant(care, &["*"], "{db}_admin");
    let mut policy = |name: &str, table: &str, condition: &str, to: &str| {
        statements.push(format!(
            "CREATE ROW POLICY OR REPLACE {{db}}_{name} ON {{db}}.{table} USING {condition} TO {to}"
        ));
    };
    policy("nobody", "policy_check", "0", "ALL");
    for table in ITEM_TABLES {
        // Who sees everything comes first, so that nobody is locked out in between.
        policy("all", table, "1", "{db}_admin, {db}_server, CURRENT_USER");
        policy("own", table, OWN, "{db}_reader, {db}_team_reader");
        policy("team", table, OF_TEAM, "{db}_team_reader");
        policy("nobody", table, "0", "ALL");
    }
    statements.iter().map(|statement| statement.replace("{db}", database)).collect()
}

/// Makes roles and row policies, and notes it first: should it break off, some of them are changed. Over shards they would hold nobody
/// back, so none are made there.
pub fn apply_rights(engine: &Engine, now: i64) -> Result<(), EngineError> {
    check_policies_hold(engine)?;
    let subject = &engine.address().database;
    AuditEntry { action: "rights", subject, detail: "roles and row policies" }.write(engine, now)?;
    rights_statements(&engine.address().database)
        .iter()
        .try_for_each(|statement| engine.execute(statement, &[]))
}

/// Whether row policies are in force for the login.
pub fn is_under_policies(engine: &Engine) -> Result<bool, EngineError> {
    check_policies_hold(engine)?;
    let found = engine.select("SELECT count() AS rows FROM {db}.policy_check", &[])?;
    Ok(found.first().is_some_and(|row| row.count("rows") == 0))
}

#[cfg(test)]
mod tests {
    use annals_testkit::engine::ScriptedEngine;

    use super::*;

    #[test]
    fn every_table_of_items_is_closed_and_opened_by_policies() {
        let statements = rights_statements("x");
        for table in ITEM_TABLES {
            for (policy, to) in [
                ("x_nobody", "TO ALL"),
                ("x_own", "TO x_reader, x_team_reader"),
                ("x_team", "TO x_team_reader"),
                ("x_all", "TO x_admin, x_server, CURRENT_USER"),
            ] {
                let begin = format!("CREATE ROW POLICY OR REPLACE {policy} ON x.{table} USING ");
                let found = statements.iter().filter(|one| one.starts_with(&begin) && one.ends_with(to));
                assert_eq!(found.count(), 1, "{policy} {table}");
            }
        }
        let secret = ["tokens", "audit", "forgotten"];
        let readable = |statement: &&String| {
            statement.starts_with("GRANT SELECT")
                && statement.contains("_reader")
                && secret.iter().any(|table| statement.contains(table))
        };
        assert_eq!(statements.iter().find(readable), None);
    }

    #[test]
    fn a_change_of_rights_is_noted_before_the_first_statement() {
        let is_table_kind = |statement: &str| statement.contains("system.tables");
        let engine = ScriptedEngine::start(|_| Ok(String::new()));
        let opened = Engine::at(&engine.at("x"));
        apply_rights(&opened, 7).unwrap();
        let asked = engine.requests();
        assert!(is_table_kind(&asked[0].statement), "{}", asked[0].statement);
        assert!(asked[1].statement.starts_with("INSERT INTO x.audit SELECT"), "{}", asked[1].statement);
        let said = ["now", "action", "subject"].map(|name| asked[1].parameter(name).unwrap());
        assert_eq!(said, ["7", "rights", "x"]);
        let rest: Vec<&str> = asked[2..].iter().map(|request| request.statement.as_str()).collect();
        assert_eq!(rest, rights_statements("x"));

        // Without a note, nothing is changed.
        let engine = ScriptedEngine::start(|request| match request.statement.contains("audit") {
            true => Err(497),
            false => Ok(String::new()),
        });
        let opened = Engine::at(&engine.at("x"));
        assert!(matches!(apply_rights(&opened, 7), Err(EngineError::Denied(_))));
        assert!(engine.requests().iter().all(|request| !request.statement.contains("ROLE")));
    }
}
