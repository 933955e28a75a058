//! The views of `sql --at` beside those of the local `sql`: the same names, the same columns, the same answers.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use annals_collect::{Extra, Selection, Sink};
use annals_demo::Plan;
use annals_index::Index;
use annals_index::sql::SqlValue;
use annals_json::ValueKind;
use annals_store::{DataDir, Store};
use annals_team::Engine;
use annals_team::views::{LOCAL_ONLY, VIEWS};
use annals_team::wire::Parameter;
use annals_testkit::engine::TestEngine;
use annals_testkit::home::Home;
use annals_transcript::price::Prices;

use crate::support::{batches, sent_with, sink, with_tables};

/// What the views of the index are made of.
const INNER: [&str; 2] = ["record_ids", "spawned_threads"];

fn index(home: &Home) -> Index {
    let (store, data) = (Store::open(home.config_dir()), DataDir::new(home.data_dir()));
    let (mut index, _) = Index::open(store.config_dir(), &data).unwrap();
    let go_on = |_| ControlFlow::Continue(());
    index.refresh(&store.discover(), &data, &Prices::embedded(), go_on).unwrap();
    index
}

/// The columns of each local view.
fn local_views(index: &Index) -> BTreeMap<String, Vec<String>> {
    // The first statement makes the views.
    index.sql("SELECT 1").unwrap();
    let named = index.sql("SELECT name FROM sqlite_temp_master WHERE type = 'view'").unwrap();
    let names = named.rows.into_iter().flatten().map(|name| name.to_string());
    let names = names.filter(|name| !INNER.contains(&name.as_str()));
    let columns = |name: &str| index.sql(&format!("SELECT * FROM {name} LIMIT 0")).unwrap().columns;
    names.map(|name| (name.clone(), columns(&name))).collect()
}

/// The columns of a view of the engine; none if there is no such view.
fn team_columns(engine: &Engine, view: &str) -> Vec<String> {
    let (question, database) = (
        "SELECT name FROM system.columns WHERE database = {database:String} AND table = {view:String} ORDER BY position",
        Parameter::text(&engine.address().database),
    );
    // A table has the name; who asks gets the view.
    let view = Parameter::text(if view == "calls" { "tool_calls" } else { view });
    let found = engine.select(question, &[("database", database), ("view", view)]).unwrap();
    found.rows().map(|row| row.text("name")).collect()
}

#[test]
fn each_local_view_and_column_is_there_or_on_the_list_of_those_that_are_not() {
    let test = "each_local_view_and_column_is_there_or_on_the_list_of_those_that_are_not";
    let Some(engine) = TestEngine::start(test) else { return };
    let opened = with_tables(&engine, "names");
    let home = Home::new();
    let local = local_views(&index(&home));
    assert!(local.len() > 12, "{local:?}");
    let (mut missing, mut there) = (BTreeSet::new(), BTreeSet::new());
    for (view, columns) in &local {
        let found = team_columns(&opened, view);
        if found.is_empty() {
            missing.insert(view.clone());
            continue;
        }
        there.insert(view.as_str());
        for more in ["machine", "person"] {
            assert!(found.iter().any(|column| column == more), "{view} has no {more}");
        }
        let not_there = columns.iter().filter(|column| !found.contains(column));
        missing.extend(not_there.map(|column| format!("{}.{column}", current_name(view))));
        opened.select_statement(&format!("SELECT * FROM {view}")).unwrap();
    }
    let listed: BTreeSet<String> = LOCAL_ONLY.iter().map(ToString::to_string).collect();
    assert_eq!(missing, listed, "a local column comes to views.sql, or to LOCAL_ONLY and docs/team.md");
    assert_eq!(there, VIEWS.into_iter().collect(), "VIEWS of views.rs are granted to readers");
}

/// The name of a view that has an older one, too.
fn current_name(view: &str) -> &str {
    match view {
        "said" => "blocks",
        "calls" => "tool_calls",
        other => other,
    }
}

/// A store with one of everything, beside that of the demo.
fn store() -> Home {
    let home = Home::new();
    home.fill_sample(&Plan::default());
    let (session, agent) = ("0e0e0e0e-0000-4000-8000-000000000001", "ab12");
    let line = |uuid: u64, kind: &str, second: u64, more: &str| {
        format!(
            "{{\"type\":\"{kind}\",\"uuid\":\"0e0e0e0e-0000-4000-8000-1000000000{uuid:02}\",\"sessionId\":\"{session}\",\"cwd\":\"/work/a\",\"gitBranch\":\"main\",\"version\":\"2.1.0\",\"timestamp\":\"2026-01-01T00:00:{second:02}.250Z\",{more}}}\n"
        )
    };
    let call = |id: &str, tool: &str| {
        format!(
            r#""requestId":"r-{id}","message":{{"id":"m-{id}","role":"assistant","model":"claude-opus-4-7","content":[{{"type":"tool_use","id":"{id}","name":"{tool}","input":{{"file_path":"/work/a/b.rs"}}}}],"usage":{{"input_tokens":7,"output_tokens":9,"server_tool_use":{{"web_search_requests":1}}}}}}"#
        )
    };
    let result = |id: &str, more: &str| {
        format!(
            r#""message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{id}","is_error":true,"content":"no"}}]}}{more}"#
        )
    };
    let prompt = r#""message":{"role":"user","content":"begin"}"#;
    let lines = [
        line(1, "user", 1, prompt),
        line(2, "assistant", 2, &call("toolu_1", "Read")),
        line(
            3,
            "user",
            3,
            &result("toolu_1", r#","toolUseResult":{"persistedOutputPath":"/e/tool-results/out.txt"}"#),
        ),
        line(4, "assistant", 4, &call("toolu_2", "Agent")),
        line(
            5,
            "user",
            5,
            &result("toolu_2", &format!(r#","toolUseResult":{{"status":"completed","agentId":"{agent}"}}"#)),
        ),
        line(6, "assistant", 6, &call("toolu_3", "Bash")),
        format!(
            "{{\"type\":\"pr-link\",\"sessionId\":\"{session}\",\"prNumber\":7,\"prUrl\":\"https://example.org/7\",\"prRepository\":\"a/b\",\"timestamp\":\"2026-01-01T00:00:07.000Z\"}}\n"
        ),
        format!("{{\"type\":\"tag\",\"tag\":\"light\",\"sessionId\":\"{session}\"}}\n"),
    ];
    home.write(format!("projects/-work-a/{session}.jsonl"), lines.concat());
    home.write(format!("projects/-work-a/{session}/tool-results/out.txt"), "all of it");
    let folder = format!("projects/-work-a/{session}/subagents/agent-{agent}");
    home.write(
        format!("{folder}.jsonl"),
        line(21, "user", 4, prompt) + &line(22, "assistant", 5, &call("toolu_9", "Grep")),
    );
    home.write(format!("{folder}.meta.json"), r#"{"agentType":"Explore","toolUseId":"toolu_2"}"#);
    let item = r#"{"content":"Look","status":"pending","activeForm":"Looking"}"#;
    home.write(format!("todos/{session}-agent-{session}.json"), format!("[{item},{item}]"));
    home.write("plans/a-plan.md", "# Plan\n");
    home.write(
        "history.jsonl",
        format!("{{\"display\":\"begin\",\"timestamp\":1767225601250,\"project\":\"/work/a\",\"sessionId\":\"{session}\"}}\n"),
    );
    home
}

/// Columns that do not say the same, and why.
const OTHERWISE: [(&str, &str); 4] = [
    // Numbers of rows there, hashes here.
    ("blocks", "id"),
    ("tool_calls", "id"),
    // That of a result is known by its call only.
    ("blocks", "tool"),
    // When the file was written: the clock of the test.
    ("plans", "modified"),
];

fn shown(value: &SqlValue) -> String {
    match value {
        SqlValue::Null => "NULL".to_owned(),
        SqlValue::Real(number) => format!("{number:.9}"),
        other => other.to_string(),
    }
}

/// Rows as text, in one order.
type Rows = Vec<BTreeMap<String, String>>;

fn sorted(mut rows: Rows) -> Rows {
    rows.sort();
    rows
}

fn local_rows(index: &Index, view: &str) -> Rows {
    let answer = index.sql(&format!("SELECT * FROM {view}")).unwrap();
    let row = |row: Vec<SqlValue>| answer.columns.iter().cloned().zip(row.iter().map(shown)).collect();
    sorted(answer.rows.into_iter().map(row).collect())
}

fn team_rows(engine: &Engine, view: &str) -> Rows {
    let answer = engine.select_statement(&format!("SELECT * FROM {view}")).unwrap();
    let cell = |value: annals_json::Value<'_>, column: &str| match value.kind() {
        ValueKind::Null => "NULL".to_owned(),
        ValueKind::String => value.text().unwrap().to_string(),
        ValueKind::Boolean => u8::from(value.boolean() == Some(true)).to_string(),
        _ if column.ends_with("_usd") => format!("{:.9}", value.number().unwrap()),
        _ => String::from_utf8(value.raw().to_vec()).unwrap(),
    };
    let row = |row: annals_team::wire::Row<'_>| {
        let cells = row.columns().into_iter();
        cells.map(|(column, value)| (column.clone(), cell(value, &column))).collect()
    };
    sorted(answer.rows().map(row).collect())
}

/// Sessions that are not sent as a whole, or whose lines the engine counts otherwise: stubs of the client are not sent, and only the
/// index knows which lines are no records.
fn other_sessions(index: &Index, engine: &Engine) -> BTreeSet<String> {
    let text =
        |rows: Rows, column: &str| rows.into_iter().map(|mut row| row.remove(column).unwrap()).collect();
    let sent: BTreeSet<String> = text(team_rows(engine, "threads"), "file");
    let not_sent = local_rows(index, "threads").into_iter().filter(|row| !sent.contains(&row["file"]));
    let irregular = local_rows(index, "problems");
    text(not_sent.chain(irregular).collect(), "session")
}

#[test]
fn each_view_has_the_rows_of_the_local_one() {
    let Some(engine) = TestEngine::start("each_view_has_the_rows_of_the_local_one") else { return };
    let home = store();
    let opened = with_tables(&engine, "rows");
    let mut to = sink(&engine, "rows");
    let extras = [Extra::ToolResults, Extra::Todos, Extra::Plans, Extra::Memory];
    let sent = sent_with(&home, Selection { extras: extras.into(), ..Selection::default() });
    // Once more in other pieces, so that the engine does not know them again: what is there twice counts once.
    let items: Vec<_> = sent.iter().flat_map(|batch| batch.items.clone()).collect();
    let again = batches(&items, &sent[0], 503);
    sent.iter().chain(&again).for_each(|batch| to.deliver(batch).unwrap());
    let index = index(&home);
    let others = other_sessions(&index, &opened);
    let is_compared = |row: &BTreeMap<String, String>| match row.get("session").or_else(|| row.get("id")) {
        Some(session) => !others.contains(session),
        // A project has all of its sessions.
        None => !row.contains_key("sessions") || row["project"] == "-work-a",
    };
    for (view, columns) in local_views(&index) {
        let found = team_columns(&opened, &view);
        let is_same = |column: &String| !OTHERWISE.contains(&(current_name(&view), column.as_str()));
        let columns: Vec<String> =
            columns.into_iter().filter(|column| found.contains(column)).filter(is_same).collect();
        if columns.is_empty() {
            continue;
        }
        let only = |rows: Rows| {
            let rows = rows.into_iter().filter(is_compared);
            let of_row = |mut row: BTreeMap<String, String>| {
                columns.iter().map(|name| (name.clone(), row.remove(name).unwrap())).collect()
            };
            sorted(rows.map(of_row).collect())
        };
        let (local, team) = (only(local_rows(&index, &view)), only(team_rows(&opened, &view)));
        let least = if view == "sessions" { 10 } else { 1 };
        assert!(local.len() >= least, "{view}: {} rows of the test's store", local.len());
        let differing = local.iter().zip(&team).find(|(left, right)| left != right);
        assert_eq!((differing, local.len()), (None, team.len()), "{view}");
    }
    // The example of the help.
    let costs = opened.select_statement("SELECT id, cost_usd FROM sessions ORDER BY 2 DESC LIMIT 5").unwrap();
    assert_eq!(costs.rows().count(), 5);
    // A name that a part of a statement has hides the view, as everywhere.
    let own = opened.select_statement("WITH calls AS (SELECT 1 AS one) SELECT one FROM calls").unwrap();
    assert_eq!(own.first().unwrap().count("one"), 1);
}
