//! Builds in many transactions: stopped anywhere, and with segments that later refreshes leave alone.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use annals_index::Index;
use annals_store::{DataDir, Store};
use annals_testkit::builder::Session;
use annals_testkit::depth::{Depth, depth};
use annals_testkit::home::Home;
use annals_transcript::price::Prices;

use crate::{asked, dump, refreshed};

/// Small, so that there are many transactions.
const COMMIT_EVERY: u64 = 64 * 1024;

fn build(home: &Home, mut stop: impl FnMut() -> bool) -> Index {
    let (store, data) = (Store::open(home.config_dir()), DataDir::new(home.data_dir()));
    let (mut index, _) = Index::open(store.config_dir(), &data).unwrap();
    index.commit_every(COMMIT_EVERY);
    let progress = |_| if stop() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    index.refresh(&store.discover(), &data, &Prices::embedded(), progress).unwrap();
    index
}

#[test]
fn stopped_after_some_batches_it_is_the_same_index_in_the_end() {
    let home = Home::new();
    home.fill(&annals_demo::Plan { sessions: Some(2), ..annals_demo::Plan::default() });
    let expected = dump(&refreshed(&home.config_dir(), &home.data_dir()).0);
    let remove = || {
        let data = DataDir::new(home.data_dir());
        Index::remove(Store::open(home.config_dir()).config_dir(), &data).unwrap();
    };
    let mut most = 1;
    loop {
        remove();
        let mut taken = 0;
        drop(build(&home, || {
            taken += 1;
            taken == most
        }));
        let index = build(&home, || false);
        assert_eq!(dump(&index), expected, "stopped after {most} batches");
        if taken < most {
            return;
        }
        most += 1 + if depth() == Depth::Full { most / 4 } else { most };
    }
}

/// The segments of the table for tool output.
fn segments(index: &Index) -> BTreeSet<i64> {
    let connection = asked(index);
    let mut statement = connection.prepare("SELECT DISTINCT segid FROM words.words_shown_idx").unwrap();
    let found = statement.query_map([], |row| row.get(0)).unwrap();
    found.collect::<Result<_, _>>().unwrap()
}

#[test]
fn what_a_build_has_left_is_not_merged_at_once_by_what_comes_later() {
    let home = Home::new();
    let session = |number: usize, lines: usize| {
        let id = format!("{number:08x}-0000-4000-8000-000000000000");
        let words = |line: usize| {
            (0..400)
                .map(|word| format!("w{:x} ", (number * 97 + line * 31 + word * 7) % 5_000))
                .collect::<String>()
        };
        let mut session = Session::new().id(&id).prompt("begin");
        for line in 0..lines {
            session = session.tool_use("Bash", r#"{"command":"cat x"}"#).tool_result(&words(line));
        }
        home.write(format!("projects/-w/{id}.jsonl"), session.into_bytes());
    };
    (0..8).for_each(|number| session(number, 40));
    let index = build(&home, || false);
    let built = segments(&index);
    assert!(built.len() >= 8, "each transaction leaves its piece: {built:?}");
    drop(index);
    // FTS5 merges a whole level when the sixteenth segment comes.
    for number in 100..120 {
        session(number, 1);
        let (index, done) = refreshed(&home.config_dir(), &home.data_dir());
        assert_eq!(done.files, 1);
        let missing: Vec<_> = built.difference(&segments(&index)).copied().collect();
        assert!(missing.is_empty(), "merged with small ones: {missing:?} of {built:?}");
    }
}
