//! Changes are undone byte for byte, also those that a crash interrupted at any step.

use std::collections::BTreeSet;
use std::fs;
use std::ops::ControlFlow;

use annals_store::changes::Change;
use annals_store::journal::{Effect, Journal, Stage, UndoError};
use annals_store::reset::{ResetError, apply, plan};
use annals_store::session::InUse;
use annals_store::{Slug, Store};
use annals_testkit::source::CountingSource;
use annals_testkit::tree::tree;

use super::{Now, Place, prompt};

/// A store with two projects, one of them with everything that can belong to a session.
fn store() -> (Place, Slug) {
    let place = Place::new();
    let (path, _) = place.session(3);
    let id = path.file_stem().unwrap().to_str().unwrap().to_owned();
    let slug = Slug::new(path.parent().unwrap().file_name().unwrap().to_str().unwrap());
    for (file, bytes) in [
        (format!("projects/{slug}/{id}/subagents/agent-a1.jsonl"), "{}\n"),
        (format!("projects/{slug}/{id}/tool-results/t1.txt"), "long"),
        (format!("projects/{slug}/agent-a2.jsonl"), "{}\n"),
        (format!("projects/{slug}/sessions-index.json"), "{}"),
        (format!("projects/{slug}/memory/MEMORY.md"), "remember"),
        (format!("todos/{id}-agent-{id}.json"), "[]"),
        (format!("tasks/{id}/1.json"), "{}"),
        (format!("file-history/{id}/00ffe3b0c44298fc@v1"), "old"),
        (format!("session-env/{id}/env"), "x"),
        ("projects/-other/11111111-2222-4333-8444-555555555555.jsonl".to_owned(), "{}\n"),
        ("todos/11111111-2222-4333-8444-555555555555-agent-x.json".to_owned(), "[]"),
        ("history.jsonl".to_owned(), "{}\n"),
    ] {
        place.home.write(file, bytes);
    }
    (place, slug)
}

#[test]
fn a_reset_takes_the_project_and_nothing_else_and_comes_back_whole() {
    let (place, slug) = store();
    let before = tree(place.config.path());
    let source = Now(CountingSource::default());
    let discovery = Store::open(place.config.path()).discover();
    let planned = plan(&discovery, &place.config, &slug);
    assert_eq!((planned.sessions.len(), planned.paths.len()), (1, 8), "{planned:#?}");
    let entry = apply(&planned, &place.config, &place.data, &source).unwrap();
    let left: Vec<_> = tree(place.config.path()).into_keys().collect();
    let names: Vec<_> =
        left.iter().map(|path| path.strip_prefix(place.config.path()).unwrap().to_str().unwrap()).collect();
    let memory = format!("projects/{slug}/memory/MEMORY.md");
    // The slug has the name of the temporary folder.
    assert_eq!(
        BTreeSet::from_iter(names),
        BTreeSet::from([
            "history.jsonl",
            "projects/-other/11111111-2222-4333-8444-555555555555.jsonl",
            memory.as_str(),
            "todos/11111111-2222-4333-8444-555555555555-agent-x.json"
        ])
    );
    let journal = Journal::new(&place.data);
    assert_eq!(journal.entries().first(), Some(&entry));
    assert_eq!(journal.undo(entry.clone()).unwrap().stage, Stage::Undone);
    assert_eq!(tree(place.config.path()), before);
    assert!(matches!(journal.undo(journal.entries().remove(0)), Err(UndoError::AlreadyUndone { .. })));
}

#[test]
fn a_reset_that_was_killed_at_any_step_comes_back_whole() {
    let mut killed = 0;
    for kill_at in 0.. {
        let (place, slug) = store();
        let before = tree(place.config.path());
        let discovery = Store::open(place.config.path()).discover();
        let changes = plan(&discovery, &place.config, &slug).changes();
        let mut watch =
            |step| if step == kill_at { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let root = place.config.path();
        let done =
            annals_store::changes::apply(&changes, "reset", root, &place.data, &place.source, &mut watch);
        let journal = Journal::new(&place.data);
        if let Some(entry) = journal.entries().into_iter().next() {
            assert_eq!(entry.stage == Stage::Done, done.is_ok());
            journal.undo(entry).unwrap();
        }
        assert_eq!(tree(place.config.path()), before, "killed at step {kill_at}");
        if done.is_ok() {
            break;
        }
        killed += 1;
    }
    assert!(killed > 16, "{killed}");
}

#[test]
fn a_file_that_takes_the_place_of_another_goes_again_and_the_other_comes_back() {
    for kill_at in 0.. {
        let place = Place::new();
        let root = place.config.path().to_path_buf();
        let (old, new) = (root.join("todos/a.json"), root.join("todos/b.json"));
        fs::create_dir_all(old.parent().unwrap()).unwrap();
        // Of the same length: only the order of the steps tells which is which.
        fs::write(&old, "before").unwrap();
        let ready = [place.data.path().join("ready-a"), place.data.path().join("ready-b")];
        fs::create_dir_all(place.data.path()).unwrap();
        ready.iter().for_each(|path| fs::write(path, "after!").unwrap());
        let before = tree(&root);
        let changes = [
            Change::Discard { path: old.clone() },
            Change::Place { from: ready[0].clone(), path: old.clone() },
            Change::Place { from: ready[1].clone(), path: new.clone() },
        ];
        let mut watch =
            |step| if step == kill_at { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let done = annals_store::changes::apply(&changes, "x", &root, &place.data, &place.source, &mut watch);
        if done.is_ok() {
            assert_eq!(
                (fs::read(&old).unwrap(), fs::read(&new).unwrap()),
                (b"after!".to_vec(), b"after!".to_vec())
            );
        }
        let journal = Journal::new(&place.data);
        if let Some(entry) = journal.entries().into_iter().next() {
            journal.undo(entry).unwrap();
        }
        assert_eq!(tree(&root), before, "killed at step {kill_at}");
        if done.is_ok() {
            assert!(kill_at > 5, "{kill_at}");
            return;
        }
    }
}

#[test]
fn a_project_that_is_written_to_is_not_reset() {
    let (place, slug) = store();
    let discovery = Store::open(place.config.path()).discover();
    let planned = plan(&discovery, &place.config, &slug);
    let path = place.config.session(&slug, &planned.sessions[0]);
    let writer = place.open(&path);
    let source = Now(CountingSource::default());
    let before = tree(place.config.path());
    assert!(matches!(
        apply(&planned, &place.config, &place.data, &source),
        Err(ResetError::InUse(InUse::Busy { .. }))
    ));
    assert_eq!(tree(place.config.path()), before);
    drop(writer);
}

#[test]
fn lines_are_taken_back_unless_others_came_after_them() {
    let place = Place::new();
    let (path, _) = place.session(2);
    let before = fs::read(&path).unwrap();
    let mut writer = place.open(&path);
    writer.append_settled(&prompt("regretted")).unwrap();
    let to = writer.length();
    drop(writer);
    let journal = Journal::new(&place.data);
    let effect = Effect::Appended { path: path.clone(), from: before.len() as u64, to, modified_ns: None };
    let begin = || {
        let entry = journal.begin("a".to_owned(), 1, "append", vec![effect.clone()]).unwrap();
        journal.finish(entry).unwrap()
    };
    let after = fs::read(&path).unwrap();
    fs::write(&path, [after.clone(), b"{}\n".to_vec()].concat()).unwrap();
    assert!(matches!(journal.undo(begin()), Err(UndoError::ChangedSince { .. })));
    fs::write(&path, &after).unwrap();
    let writer = place.open(&path);
    assert!(matches!(journal.undo(begin()), Err(UndoError::Busy { .. })));
    drop(writer);
    journal.undo(begin()).unwrap();
    assert_eq!(fs::read(&path).unwrap(), before);
}
