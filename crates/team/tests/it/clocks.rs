//! Machines whose clocks are years off, forward and back: the engine has what the files have.

use annals_collect::Collector;
use annals_store::{DataDir, Store};
use annals_team::query::{FileChoice, Scope, check, fetch, files};
use annals_team::{Engine, EngineError};
use annals_testkit::builder::Session;
use annals_testkit::engine::TestEngine;
use annals_testkit::home::Home;
use annals_testkit::source::CountingSource;
use annals_transcript::redact::SecretRules;

use crate::support::{sink, with_tables};

const FILE: &str = "projects/-w/44444444-dddd-4ddd-8ddd-000000000004.jsonl";
const YEAR: i64 = 365 * 86_400_000;
const NOW: i64 = 1_790_000_000_000;

/// Writes a session, collects it by a clock, and returns what the file has and what the engine has.
fn collect(home: &Home, engine: &TestEngine, opened: &Engine, words: &str, clock: i64) -> (String, String) {
    let bytes = Session::new().prompt(words).reply("an answer").into_bytes();
    home.write(FILE, bytes.clone());
    let (store, data) = (Store::open(home.config_dir()), DataDir::new(home.data_dir()));
    let source = CountingSource::from(clock);
    let rules = SecretRules::new(&[], &[]).unwrap();
    let mut collector = Collector::open(&store, &data, "test", rules, &source).unwrap();
    collector.pass(&mut sink(engine, &opened.address().database)).unwrap();
    drop(collector);
    assert_eq!(check(opened, &Scope::default()).unwrap().gaps, []);
    let found = files(opened, &Scope::default(), &FileChoice::All).unwrap();
    let mut stored = String::new();
    fetch(opened, &found, |file, content| {
        if file.file == FILE {
            stored = String::from_utf8(content.bytes).unwrap();
        }
        Ok::<(), EngineError>(())
    })
    .unwrap();
    (String::from_utf8(bytes).unwrap(), stored)
}

#[test]
fn a_clock_that_is_years_off_and_comes_back_loses_nothing() {
    let Some(engine) = TestEngine::start("a_clock_that_is_years_off_and_comes_back_loses_nothing") else {
        return;
    };
    let (opened, home) = (with_tables(&engine, "clocks"), Home::new());
    let clocks = [0, 30, -20, 5, -56, 0];
    for (at, years) in clocks.into_iter().enumerate() {
        let (written, stored) =
            collect(&home, &engine, &opened, &format!("words {at}"), (NOW + years * YEAR).max(1));
        assert_eq!(stored, written, "{years} years off");
    }
}

#[test]
fn a_lost_state_needs_a_clock_that_is_not_behind_the_last_one() {
    let Some(engine) = TestEngine::start("a_lost_state_needs_a_clock_that_is_not_behind_the_last_one") else {
        return;
    };
    let (opened, home) = (with_tables(&engine, "lost"), Home::new());
    let (written, stored) = collect(&home, &engine, &opened, "first", NOW + YEAR);
    assert_eq!(stored, written);
    // The machine is the same, and nothing else is known of what it sent.
    let forget = || {
        let folder = DataDir::new(home.data_dir()).path().join("collect");
        for entry in
            std::fs::read_dir(&folder).unwrap().flatten().filter(|entry| entry.file_name() != "machine")
        {
            let path = entry.path();
            if path.is_dir() {
                std::fs::remove_dir_all(path).unwrap()
            } else {
                std::fs::remove_file(path).unwrap()
            }
        }
    };
    forget();
    // docs/team.md names this, and what helps.
    let (written, stored) = collect(&home, &engine, &opened, "second", NOW);
    assert_ne!(stored, written, "the clock is behind: the older content still counts");
    forget();
    let (written, stored) = collect(&home, &engine, &opened, "second", NOW + 2 * YEAR);
    assert_eq!(stored, written);
}
