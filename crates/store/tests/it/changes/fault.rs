//! A change that fails midway is reverted: nothing was changed, nothing is left in journal and trash.

use std::fs;

use annals_store::changes::{Change, ChangesError};
use annals_testkit::home::Home;
use annals_testkit::skipped;
use annals_testkit::tree::exact_tree;

use super::{Place, homes};

#[test]
fn a_change_that_cannot_be_finished_leaves_no_trace() {
    for home in homes("a_change_that_cannot_be_finished_leaves_no_trace") {
        let place = Place::new(home());
        let path = place.home.write("projects/-p/s.jsonl", "{}\n");
        place.home.write("todos/a.json", "[]");
        let before = exact_tree(&place.root());
        // The last one vanishes at the last moment.
        let gone = place.home.write("plans/p.md", "plan");
        let changes = [
            Change::Create {
                path: place.path("projects/-new/x.jsonl"),
                bytes: b"{}\n".to_vec().into(),
                mode: None,
            },
            Change::Replace { path: path.clone(), bytes: b"new\n".to_vec().into() },
            Change::Discard { path: place.path("todos/a.json") },
            Change::Discard { path: gone.clone() },
        ];
        let mut watch = |step: usize| {
            if step == 3 {
                fs::remove_dir_all(gone.parent().unwrap()).unwrap();
            }
            std::ops::ControlFlow::Continue(())
        };
        let set = annals_store::changes::ChangeSet {
            changes: &changes,
            what: "x",
            root: &place.root(),
            based_on: &[],
        };
        let failed = set.apply(&place.data, &place.source, &mut watch);
        assert!(failed.is_err());
        // The file that somebody else removed is all that is different; undo says so where it cannot go on.
        if matches!(failed, Err(ChangesError::Before(_))) {
            assert_eq!(exact_tree(&place.root()), before);
            assert!(place.journal().entries().is_empty());
            assert!(annals_store::trash::batches(&place.data).is_empty());
        }
    }
}

/// A pipe can be renamed, but not copied to another file system; and it must not be opened, which would block.
#[cfg(unix)]
#[test]
fn a_pipe_is_moved_or_refused_but_never_waited_for() {
    for home in homes("a_pipe_is_moved_or_refused_but_never_waited_for") {
        let place = Place::new(home());
        let file = place.home.write("projects/-p/s/a.txt", "a");
        let pipe = file.with_file_name("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        if !made.is_ok_and(|status| status.success()) {
            skipped("a_pipe_is_moved_or_refused_but_never_waited_for", "there is no mkfifo");
            return;
        }
        place.home.write("todos/a.json", "[]");
        let before = exact_tree(&place.root());
        let changes = [
            Change::Discard { path: place.path("todos/a.json") },
            Change::Discard { path: place.path("projects/-p/s") },
        ];
        match place.change(&changes) {
            Ok(_) => place.undo_until(usize::MAX).unwrap(),
            Err(error) => assert!(matches!(error, ChangesError::Before(_)), "{error}"),
        }
        assert_eq!(exact_tree(&place.root()), before);
    }
    let place = Place::new(Home::new());
    let pipe = place.path("pipe.json");
    let _ = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(place.change(&[Change::Replace { path: pipe, bytes: b"".to_vec().into() }]).is_err());
}
