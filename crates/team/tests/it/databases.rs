//! Databases with names and tables that `team init` does not make by itself.

use annals_collect::Sink;
use annals_team::query::{
    Scope, Subject, audit, forget, machines, newest_sessions, session_facts, set_retention, tool_calls,
};
use annals_team::rebuild::rebuild;
use annals_team::rights::{apply_rights, is_under_policies};
use annals_team::{DEFAULT_PATIENCE, EngineError};
use annals_testkit::engine::TestEngine;
use annals_transcript::price::Prices;

use crate::support::{demo, sink, usage_of_engine, usage_of_files, with_tables};

/// Tables, columns, and parts of statements with and without their underscore.
const NAMES: [&str; 10] = [
    "titles",
    "owner",
    "newest",
    "messages",
    "lines",
    "session",
    "halves",
    "named",
    "per_file",
    "counted_once",
];

#[test]
fn any_name_of_a_statement_can_be_that_of_the_database() {
    let Some(engine) = TestEngine::start("any_name_of_a_statement_can_be_that_of_the_database") else {
        return;
    };
    let (home, sent) = demo();
    let expected = usage_of_files(&home);
    for name in NAMES {
        let opened = with_tables(&engine, name);
        let mut to = sink(&engine, name);
        sent.iter().for_each(|batch| to.deliver(batch).unwrap());
        assert_eq!(usage_of_engine(&opened), expected, "{name}");
        assert!(!session_facts(&opened, &Scope::default()).unwrap().is_empty(), "{name}");
        assert!(!newest_sessions(&opened, 10).unwrap().0.is_empty(), "{name}");
        machines(&opened, &Scope::default()).unwrap();
        tool_calls(&opened).unwrap();
        for view in ["sessions", "threads", "projects", "usage", "blocks", "tool_calls", "prompts"] {
            let found = opened.select(&format!("SELECT count() AS rows FROM {{db}}.{view}"), &[]).unwrap();
            assert!(found.first().unwrap().count("rows") > 0, "{name}.{view}");
        }
        opened.execute("DROP DATABASE {db}", &[]).unwrap();
    }
}

#[test]
fn tables_that_are_not_of_one_server_are_neither_changed_nor_opened() {
    let test = "tables_that_are_not_of_one_server_are_neither_changed_nor_opened";
    let Some(engine) = TestEngine::start(test) else { return };
    let opened = with_tables(&engine, "sharded");
    // Stands for a table over shards, which this engine cannot have.
    opened.execute("CREATE TABLE {db}.other ENGINE = Memory AS SELECT * FROM {db}.messages", &[]).unwrap();
    opened.execute("EXCHANGE TABLES {db}.other AND {db}.messages", &[]).unwrap();
    let refusals = [
        forget(&opened, &[Subject::Machine("m".into())], 1, DEFAULT_PATIENCE).map(drop),
        set_retention(&opened, Some(9), 1, DEFAULT_PATIENCE),
        rebuild(&opened, &Prices::embedded(), (1, DEFAULT_PATIENCE), |_| ()),
        apply_rights(&opened, 1),
        is_under_policies(&opened).map(drop),
    ];
    for refusal in refusals {
        assert!(
            matches!(&refusal, Err(EngineError::Refused(why)) if why.contains("table messages is of kind Memory")),
            "{refusal:?}"
        );
    }
    assert!(audit(&opened, 10).unwrap().is_empty());
    let notes = opened.select("SELECT count() AS rows FROM {db}.forgotten", &[]).unwrap();
    assert_eq!(notes.first().unwrap().count("rows"), 0);
}
