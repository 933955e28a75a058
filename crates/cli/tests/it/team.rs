//! A team's engine behind the commands: the same answers as the files, forgetting, and what is refused.

use annals_demo::Plan;
use annals_testkit::engine::TestEngine;
use annals_testkit::home::Home;

use crate::annals;
use crate::schemas::keep_schema;

fn ok(home: &Home, arguments: &[&str]) -> String {
    let answer = annals(home, arguments);
    assert!(matches!(answer.code, Some(0 | 3)), "annals {}: {}", arguments.join(" "), answer.error);
    answer.out
}

/// A home whose sessions are in an engine.
fn sent(test: &str) -> Option<(TestEngine, String, Home)> {
    let engine = TestEngine::start(test)?;
    let at = engine.at("team");
    let home = Home::new();
    home.fill(&Plan::default());
    ok(&home, &["team", "init", "--at", &at, "--apply"]);
    ok(&home, &["collect", "--to", &at]);
    Some((engine, at, home))
}

/// The id of the only machine.
fn machine(home: &Home, at: &str) -> String {
    let listed = ok(home, &["team", "machines", "--at", at, "--json"]);
    listed.split("\"machine\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
}

#[test]
fn people_see_what_their_machines_sent_and_forms_keep_their_schemas() {
    let test = "people_see_what_their_machines_sent_and_forms_keep_their_schemas";
    let Some((_engine, at, home)) = sent(test) else { return };
    let machine = machine(&home, &at);
    ok(&home, &["team", "assign", &machine[..8], "ann", "shop", "--at", &at]);
    let local = ok(&home, &["usage", "--by", "model", "--json"]);
    assert_eq!(ok(&home, &["usage", "--by", "model", "--at", &at, "--json"]), local);
    assert_eq!(ok(&home, &["usage", "--by", "model", "--at", &at, "--person", "ann", "--json"]), local);
    assert_eq!(annals(&home, &["usage", "--at", &at, "--person", "ben"]).code, Some(1));
    let by_person = ok(&home, &["usage", "--by", "person", "--at", &at]);
    assert!(by_person.contains("ann"), "{by_person}");
    for (schema, line) in [
        ("usage", "usage --by person"),
        ("usage", "usage --by session"),
        ("search", "search the"),
        ("ls", "ls --all"),
        ("stats", "stats"),
        ("sql", "sql SELECT*FROM/**/sessions"),
        ("team-init", "team init"),
        ("team-machines", "team machines"),
        ("team-check", "team check"),
        ("team-forget", "team forget --person ann"),
        ("team-retention", "team retention 30"),
    ] {
        let arguments: Vec<&str> = line.split(' ').chain(["--at", &at, "--json"]).collect();
        let said = ok(&home, &arguments);
        keep_schema(schema, &[said.trim_end().as_bytes()], line);
    }
    let assigned = ok(&home, &["team", "assign", &machine, "ben", "--at", &at, "--json"]);
    keep_schema("team-assign", &[assigned.trim_end().as_bytes()], "team assign");
}

#[test]
fn what_was_forgotten_is_gone_and_does_not_come_back() {
    let Some((_engine, at, home)) = sent("what_was_forgotten_is_gone_and_does_not_come_back") else { return };
    let found = ok(&home, &["search", "the", "--at", &at, "--json"]);
    let session = found.split("\"session\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    ok(&home, &["show", &session, "--at", &at]);
    let count = ok(&home, &["team", "forget", "--session", &session, "--at", &at]);
    assert!(count.contains("lines") && count.contains("to forget"), "{count}");
    ok(&home, &["team", "forget", "--session", &session, "--apply", "--at", &at]);
    assert_eq!(annals(&home, &["show", &session, "--at", &at]).code, Some(1));
    // The same machine with a lost state sends everything again.
    let id = std::fs::read(home.data_dir().join("collect/machine")).unwrap();
    std::fs::remove_dir_all(home.data_dir().join("collect")).unwrap();
    std::fs::create_dir(home.data_dir().join("collect")).unwrap();
    std::fs::write(home.data_dir().join("collect/machine"), id).unwrap();
    let again = annals(&home, &["collect", "--to", &at]);
    assert_eq!(again.code, Some(3));
    assert!(again.error.contains("not taken"), "{}", again.error);
    assert_eq!(annals(&home, &["show", &session, "--at", &at]).code, Some(1));
    let left = annals(&home, &["search", &format!("the session:{session}"), "--at", &at, "--json"]);
    assert_eq!(left.code, Some(1), "{}", left.error);
    assert!(left.out.contains("\"total\":0"), "{}", left.out);
}

#[test]
fn an_engine_that_cannot_be_used_is_explained() {
    let home = Home::new();
    home.fill(&Plan::default());
    let cases = [
        ("usage --at https://db.example.org", 2, "not an address such as clickhouse+https"),
        ("usage --at clickhouse+http://db.example.org", 2, "for an engine on this machine only"),
        ("usage --at clickhouse+https://me:word@db.example.org", 2, "visible in the process list"),
        ("usage --at clickhouse+http://127.0.0.1:1", 74, "cannot connect"),
        ("usage --person ann", 2, "--person needs --at URL"),
        ("usage --by person", 2, "--by person needs --at URL"),
        ("collect --to clickhouse+http://127.0.0.1:1 --attempts 1", 74, "cannot connect"),
        ("search x --exact --at clickhouse+http://127.0.0.1:1", 74, "cannot connect"),
        ("team forget --at clickhouse+http://127.0.0.1:1", 2, "--person"),
    ];
    for (line, code, said) in cases {
        let answer = annals(&home, &line.split(' ').collect::<Vec<_>>());
        assert_eq!(answer.code, Some(code), "{line}: {}", answer.error);
        assert!(answer.error.contains(said), "{line}: {}", answer.error);
        assert!(!answer.error.contains("word@"), "{line}: {}", answer.error);
    }
    let Some(engine) = TestEngine::start("an_engine_that_cannot_be_used_is_explained") else { return };
    let at = engine.at("nothing");
    let answer = annals(&home, &["usage", "--at", &at]);
    assert_eq!(answer.code, Some(2), "{}", answer.error);
    assert!(answer.error.contains("annals team init"), "{}", answer.error);
}
