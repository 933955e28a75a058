//! What is sent twice, in halves or in another order gives the same answers.

use annals_collect::{Item, Sink};
use annals_team::query::{FileChoice, Scope, check, fetch, files, machines};
use annals_team::rebuild::{rebuild, rebuild_size};
use annals_team::wire::Parameter;
use annals_team::{DEFAULT_PATIENCE, Engine, EngineError};
use annals_testkit::engine::TestEngine;
use annals_transcript::price::Prices;

use crate::support::{batches, demo, sink, usage_of_engine, usage_of_files, with_tables};

/// The rows of a table by their keys, each once.
fn distinct_rows(engine: &Engine, table: &str) -> u64 {
    let parameters =
        [("database", Parameter::text(&engine.address().database)), ("table", Parameter::text(table))];
    let question =
        "SELECT sorting_key FROM system.tables WHERE database = {database:String} AND name = {table:String}";
    let key = engine.select(question, &parameters).unwrap().first().unwrap().text("sorting_key");
    let question = format!("SELECT uniqExact({key}) AS rows FROM {{db}}.{table}");
    engine.select(&question, &[]).unwrap().first().unwrap().count("rows")
}

fn counts(engine: &Engine) -> Vec<u64> {
    annals_team::schema::ITEM_TABLES.iter().map(|table| distinct_rows(engine, table)).collect()
}

fn shuffled(mut items: Vec<Item>) -> Vec<Item> {
    let mut state = 7_u64;
    for at in (1..items.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        items.swap(at, (state >> 33) as usize % (at + 1));
    }
    items
}

#[test]
fn any_order_and_any_repetition_give_the_usage_of_the_files() {
    let Some(engine) = TestEngine::start("any_order_and_any_repetition_give_the_usage_of_the_files") else {
        return;
    };
    let (home, sent) = demo();
    let expected = usage_of_files(&home);
    assert!(expected.len() > 20, "{}", expected.len());
    let once = with_tables(&engine, "single");
    let mut to_once = sink(&engine, "single");
    sent.iter().for_each(|batch| to_once.deliver(batch).unwrap());
    assert_eq!(usage_of_engine(&once), expected);

    let many = with_tables(&engine, "many");
    let mut to_many = sink(&engine, "many");
    let items: Vec<Item> = sent.iter().flat_map(|batch| batch.items.clone()).collect();
    for batch in batches(&shuffled(items.clone()), &sent[0], 97).iter().chain(&sent) {
        to_many.deliver(batch).unwrap();
        // A batch whose answer was lost.
        to_many.deliver(batch).unwrap();
    }
    assert_eq!(usage_of_engine(&many), expected);
    assert_eq!(counts(&many), counts(&once));
    assert_eq!(distinct_rows(&many, "lines"), items.len() as u64);
    let report = check(&many, &Scope::default()).unwrap();
    assert_eq!((report.gaps.len(), report.older_rows, report.newer_rows), (0, 0, 0));
    assert_eq!(report.lines, items.len() as u64);
    let listed = |engine: &Engine| machines(engine, &Scope::default()).unwrap();
    let [of_many, of_once] = [&many, &once].map(|engine| listed(engine).remove(0));
    assert_eq!((of_many.lines, of_many.bytes), (items.len() as u64, of_once.bytes));
    assert_eq!(of_many.sessions, of_once.sessions);
}

#[test]
fn rows_are_made_again_from_the_lines_alone() {
    let Some(engine) = TestEngine::start("rows_are_made_again_from_the_lines_alone") else { return };
    let (home, sent) = demo();
    let opened = with_tables(&engine, "again");
    let company = opened.for_tenant("company");
    let mut to_company = annals_team::TeamSink::new(company.clone(), Prices::embedded());
    let mut to = sink(&engine, "again");
    for batch in &sent {
        to.deliver(batch).unwrap();
        to_company.deliver(batch).unwrap();
    }
    let (rows, expected) = (counts(&opened), usage_of_files(&home));
    assert_eq!(usage_of_engine(&company), expected);
    for table in ["messages", "calls", "responses", "facts"] {
        opened.execute(&format!("TRUNCATE TABLE {{db}}.{table}"), &[]).unwrap();
    }
    // Rows of an earlier release, under the same keys.
    to.deliver(&sent[0]).unwrap();
    opened
        .execute(
            "INSERT INTO {db}.facts SELECT * REPLACE (0 AS form, 'x' AS value) FROM {db}.facts LIMIT 5",
            &[],
        )
        .unwrap();
    assert_eq!(check(&opened, &Scope::default()).unwrap().older_rows, 5);
    for time in [1, 2] {
        let mut read = 0;
        rebuild(&opened, &Prices::embedded(), (time, DEFAULT_PATIENCE), |bytes| read += bytes).unwrap();
        assert_eq!(read, rebuild_size(&opened).unwrap().bytes);
        assert_eq!(counts(&opened), rows);
        assert_eq!(
            (usage_of_engine(&opened), usage_of_engine(&company)),
            (expected.clone(), expected.clone())
        );
        let report = check(&opened, &Scope::default()).unwrap();
        assert_eq!((report.older_rows, report.newer_rows), (0, 0));
    }
    // What is sent again is the same as what is there.
    sent.iter().for_each(|batch| to.deliver(batch).unwrap());
    assert_eq!((counts(&opened), usage_of_engine(&opened)), (rows, expected));
}

#[test]
fn files_come_back_as_they_were_sent_and_a_missing_line_is_noticed() {
    let Some(engine) = TestEngine::start("files_come_back_as_they_were_sent_and_a_missing_line_is_noticed")
    else {
        return;
    };
    let (_home, sent) = demo();
    let opened = with_tables(&engine, "back");
    let mut items: Vec<Item> = sent.iter().flat_map(|batch| batch.items.clone()).collect();
    let missing = items.iter().position(|item| item.number == 2).unwrap();
    let missing = items.remove(missing);
    let mut to = sink(&engine, "back");
    for batch in batches(&items, &sent[0], 500) {
        to.deliver(&batch).unwrap();
    }
    let report = check(&opened, &Scope::default()).unwrap();
    let gaps: Vec<_> = report.gaps.iter().map(|gap| (gap.file.as_str(), gap.offset, gap.length)).collect();
    assert_eq!(gaps, [(missing.file.as_str(), missing.offset, missing.length)]);

    let found = files(&opened, &Scope::default(), &FileChoice::All).unwrap();
    let mut fetched = 0;
    fetch(&opened, &found, |file, content| {
        let mut expected = String::new();
        for item in items.iter().filter(|item| item.file == file.file) {
            expected.push_str(item.text.as_deref().unwrap_or_default());
            expected.push_str(if item.form == annals_collect::ItemForm::Line { "\n" } else { "" });
        }
        assert_eq!(String::from_utf8(content.bytes).unwrap(), expected, "{}", file.file);
        fetched += 1;
        Ok::<(), EngineError>(())
    })
    .unwrap();
    assert_eq!(fetched, found.len());
    assert!(fetched > 10, "{fetched}");
}
