//! Files that were deleted, moved, are there again or end in a torn line, in the engine.

use annals_collect::{Batch, Item, ItemForm, Sink};
use annals_index::search::Query;
use annals_team::query::{FileChoice, Scope, TeamFile, check, fetch, files, search, usage};
use annals_team::{Engine, EngineError};
use annals_testkit::engine::TestEngine;

use crate::support::{sink, with_tables};

const SESSION: &str = "0c0c0c0c-0000-4000-8000-000000000001";

fn name(project: &str) -> String {
    format!("projects/{project}/{SESSION}.jsonl")
}

fn prompt(number: u64) -> String {
    format!(
        r#"{{"type":"user","uuid":"0c0c0c0c-0000-4000-8000-1000000000{number:02}","sessionId":"{SESSION}","cwd":"/w","timestamp":"2026-01-01T00:00:0{number}.000Z","message":{{"role":"user","content":"pelican {number}"}}}}"#
    )
}

fn line(file: &str, generation: i64, number: u64) -> Item {
    Item {
        file: file.to_owned(),
        generation,
        offset: (number - 1) * 1000,
        length: 1000,
        number,
        form: ItemForm::Line,
        of: None,
        to: None,
        modified: None,
        text: Some(prompt(number)),
    }
}

fn mark(form: ItemForm, file: &str, generation: i64, to: Option<&str>) -> Item {
    Item { form, length: 0, of: Some(1), to: to.map(str::to_owned), text: None, ..line(file, generation, 3) }
}

/// Sends items of a store, in the order given and in the opposite one: neither matters.
fn send(engine: &TestEngine, database: &str, store: &str, items: &[Item]) {
    for item in items.iter().chain(items.iter().rev()) {
        let batch = Batch {
            machine: "machine".to_owned(),
            store: store.to_owned(),
            sequence: 1,
            rules: String::new(),
            items: vec![item.clone()],
        };
        sink(engine, database).deliver(&batch).unwrap();
    }
}

fn all(engine: &Engine) -> Vec<TeamFile> {
    files(engine, &Scope::default(), &FileChoice::All).unwrap()
}

fn content(engine: &Engine, of: &[TeamFile]) -> String {
    let mut text = String::new();
    fetch(engine, of, |_, content| {
        text.push_str(&String::from_utf8(content.bytes).unwrap());
        Ok::<(), EngineError>(())
    })
    .unwrap();
    text
}

/// The files of hits and whether they are there.
fn found(engine: &Engine) -> Vec<(String, bool)> {
    let query = Query::parse("pelican").unwrap();
    let found = search(engine, &Scope::default(), &query, 50, 0).unwrap();
    found.results.hits.iter().map(|hit| (hit.file.display().to_string(), hit.is_there)).collect()
}

#[test]
fn a_deleted_session_is_marked_and_still_answers_until_it_is_back() {
    let Some(engine) = TestEngine::start("a_deleted_session_is_marked_and_still_answers_until_it_is_back")
    else {
        return;
    };
    let opened = with_tables(&engine, "gone");
    let file = name("-w");
    let mut items = vec![line(&file, 1, 1), line(&file, 1, 2)];
    let mark_of = |form, generation| mark(form, &file, generation, None);
    for (form, generation, is_gone) in [
        (None, 0, false),
        (Some(ItemForm::Gone), 5, true),
        (Some(ItemForm::Back), 6, false),
        (Some(ItemForm::Gone), 9, true),
    ] {
        items.extend(form.map(|form| mark_of(form, generation)));
        send(&engine, "gone", "s", &items);
        let known = all(&opened);
        assert_eq!((known.len(), known[0].is_gone), (1, is_gone), "{form:?}");
        assert_eq!(content(&opened, &known), format!("{}\n{}\n", prompt(1), prompt(2)), "{form:?}");
        assert_eq!(found(&opened), vec![(file.clone(), !is_gone); 2], "{form:?}");
        assert_eq!(check(&opened, &Scope::default()).unwrap().gaps, [], "{form:?}");
    }
}

#[test]
fn a_moved_session_stays_one_session_under_its_last_name() {
    let Some(engine) = TestEngine::start("a_moved_session_stays_one_session_under_its_last_name") else {
        return;
    };
    let opened = with_tables(&engine, "moved");
    let (old, next, last) = (name("-w"), name("-x"), name("-y"));
    let items = [
        line(&old, 1, 1),
        line(&old, 1, 2),
        mark(ItemForm::Moved, &old, 5, Some(&next)),
        line(&next, 1, 3),
        mark(ItemForm::Moved, &next, 7, Some(&last)),
    ];
    send(&engine, "moved", "s", &items);
    let known = all(&opened);
    assert_eq!(known.iter().map(|file| file.file.as_str()).collect::<Vec<_>>(), [last.as_str()]);
    assert_eq!(content(&opened, &known), format!("{}\n{}\n{}\n", prompt(1), prompt(2), prompt(3)));
    assert_eq!(found(&opened), vec![(last, true); 3]);
    assert_eq!(usage(&opened, &Scope::default()).unwrap().items, []);
}

#[test]
fn a_torn_line_is_kept_as_it_is_and_two_stores_are_two() {
    let Some(engine) = TestEngine::start("a_torn_line_is_kept_as_it_is_and_two_stores_are_two") else {
        return;
    };
    let opened = with_tables(&engine, "torn");
    let file = name("-w");
    let torn = Item { form: ItemForm::Torn, text: Some("{\"type\":\"us".to_owned()), ..line(&file, 1, 2) };
    send(&engine, "torn", "s", &[line(&file, 1, 1), torn]);
    assert_eq!(content(&opened, &all(&opened)), format!("{}\n{{\"type\":\"us", prompt(1)));
    assert_eq!(found(&opened).len(), 1);
    // The same name in another store of the machine is another file; of a copied message one counts.
    send(&engine, "torn", "t", &[line(&file, 1, 1), line(&file, 1, 2)]);
    let known = all(&opened);
    assert_eq!(known.iter().map(|file| file.store.as_str()).collect::<Vec<_>>(), ["s", "t"]);
    assert_eq!(content(&opened, &known[1..]), format!("{}\n{}\n", prompt(1), prompt(2)));
    assert_eq!(found(&opened).len(), 2);
    send(&engine, "torn", "t", &[mark(ItemForm::Gone, &file, 5, None)]);
    assert_eq!(all(&opened).iter().map(|file| file.is_gone).collect::<Vec<_>>(), [false, true]);
}
