//! What the sink does when the engine fails or refuses.

use std::io::{Read, Write};
use std::net::TcpStream;

use annals_collect::{Sink, SinkError};
use annals_index::search::Query;
use annals_team::query::{Scope, check, search};
use annals_team::rebuild::rebuild;
use annals_team::{DEFAULT_PATIENCE, EngineError, schema};
use annals_testkit::engine::TestEngine;
use annals_transcript::price::Prices;

use crate::support::{demo, open, sink, usage_of_engine, usage_of_files, with_tables};

/// Lets the engine fail: `times` inserts, behind the next `after`.
pub(crate) fn fail(engine: &TestEngine, code: u32, after: usize, times: usize) {
    let address = engine.at("x");
    let host = address.trim_start_matches("clickhouse+http://").trim_end_matches("/x");
    let mut stream = TcpStream::connect(host).unwrap();
    let request = format!(
        "POST /fail?code={code}&after={after}&times={times} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    stream.read_to_end(&mut Vec::new()).unwrap();
}

#[test]
fn a_batch_that_breaks_off_after_any_insert_is_whole_after_the_next_attempt() {
    let Some(engine) =
        TestEngine::start("a_batch_that_breaks_off_after_any_insert_is_whole_after_the_next_attempt")
    else {
        return;
    };
    let (home, sent) = demo();
    let opened = with_tables(&engine, "broken");
    let mut to = sink(&engine, "broken");
    for (at, batch) in sent.iter().cycle().take(schema::ITEM_TABLES.len().max(sent.len())).enumerate() {
        fail(&engine, 241, at % schema::ITEM_TABLES.len(), 1);
        let first = to.deliver(batch);
        assert!(matches!(first, Err(SinkError::Unavailable { .. })), "{first:?}");
        to.deliver(batch).unwrap();
    }
    assert_eq!(usage_of_engine(&opened), usage_of_files(&home));
    assert_eq!(check(&opened, &Scope::default()).unwrap().gaps, []);
}

#[test]
fn what_another_attempt_cannot_change_is_refused_with_its_reason() {
    let Some(engine) = TestEngine::start("what_another_attempt_cannot_change_is_refused_with_its_reason")
    else {
        return;
    };
    let (_home, sent) = demo();
    let without_tables = sink(&engine, "nothing").deliver(&sent[0]);
    let Err(SinkError::Denied { what }) = without_tables else { panic!("{without_tables:?}") };
    assert!(what.contains("annals team init"), "{what}");

    // Tables that change while a sink runs: nothing is written to those of another version, and no item is refused for it.
    let changed = with_tables(&engine, "changed");
    let mut to = sink(&engine, "changed");
    to.deliver(&sent[0]).unwrap();
    for (version, at) in [("999", 2), ("0", 3)] {
        changed.execute(&format!("INSERT INTO {{db}}.meta SELECT 'schema', '{version}', {at}"), &[]).unwrap();
        assert!(matches!(schema::check(&changed), Err(EngineError::NoSchema(_))));
        assert!(matches!(to.deliver(&sent[0]), Err(SinkError::Denied { .. })), "{version}");
    }
    changed.execute("INSERT INTO {db}.meta SELECT 'schema', '1', 4", &[]).unwrap();
    to.deliver(&sent[0]).unwrap();

    with_tables(&engine, "refusing");
    fail(&engine, 62, 0, 1);
    let refused = sink(&engine, "refusing").deliver(&sent[0]);
    assert!(matches!(refused, Err(SinkError::Refused { .. })), "{refused:?}");
    assert!(matches!(
        open(&engine, "refusing").execute("SELECT nonsense FROM", &[]),
        Err(EngineError::Refused(_))
    ));
}

#[test]
fn rows_of_two_releases_side_by_side_count_once_until_they_are_made_again() {
    let Some(engine) =
        TestEngine::start("rows_of_two_releases_side_by_side_count_once_until_they_are_made_again")
    else {
        return;
    };
    let (home, sent) = demo();
    let opened = with_tables(&engine, "releases");
    let mut to = sink(&engine, "releases");
    sent.iter().for_each(|batch| to.deliver(batch).unwrap());
    let query = Query::parse("the").unwrap();
    let hits = || {
        let found = search(&opened, &Scope::default(), &query, 50, 1_790_000_000_000).unwrap();
        let place = |hit: &annals_index::search::Hit| (hit.file.clone(), hit.line, hit.block);
        (found.results.total, found.results.hits.iter().map(place).collect::<Vec<_>>())
    };
    let (expected, found) = (usage_of_files(&home), hits());
    // A machine with an earlier release, and one with a later, have sent the same lines.
    for (change, is_older) in [("form - 1", true), ("form + 1", false)] {
        for table in schema::DERIVED_TABLES {
            let copied = format!(
                "INSERT INTO {{db}}.{table} SELECT * REPLACE (toUInt16({change}) AS form) FROM {{db}}.{table}"
            );
            opened.execute(&copied, &[]).unwrap();
        }
        let report = check(&opened, &Scope::default()).unwrap();
        assert_eq!((report.older_rows > 0, report.newer_rows > 0), (is_older, !is_older), "{report:?}");
        assert_eq!((usage_of_engine(&opened), hits()), (expected.clone(), found.clone()), "{change}");
        rebuild(&opened, &Prices::embedded(), (i64::from(is_older), DEFAULT_PATIENCE), |_| ()).unwrap();
        let report = check(&opened, &Scope::default()).unwrap();
        assert_eq!((report.older_rows, report.newer_rows), (0, 0));
        assert_eq!((usage_of_engine(&opened), hits()), (expected.clone(), found.clone()));
    }
}
