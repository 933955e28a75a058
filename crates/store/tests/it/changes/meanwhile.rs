//! What somebody appends to a file while it is changed is never lost.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;

use annals_store::changes::{Change, ChangeSet, ChangesError};
use annals_store::digest::sha256_bytes;
use annals_store::files::Steps;
use annals_testkit::home::Home;

use super::{Place, homes};

const LINE: &str = "{\"type\":\"user\",\"uuid\":\"theirs\"}\n";

fn append(path: &Path) {
    OpenOptions::new().append(true).open(path).unwrap().write_all(LINE.as_bytes()).unwrap();
}

/// Replaces a session while `meanwhile` is called at each step; what became of it, and what the file holds then.
fn replaced(meanwhile: &mut dyn FnMut(usize, &Path)) -> (Result<(), ChangesError>, String, Place) {
    let place = Place::new(Home::new());
    let path = place.home.write("projects/-p/s.jsonl", "old\n");
    let other = place.home.write("todos/a.json", "[]");
    let changes = [
        Change::Replace { path: path.clone(), bytes: b"new\n".to_vec().into() },
        Change::Replace { path: other.clone(), bytes: b"[1]".to_vec().into() },
    ];
    let based_on = [(path.clone(), sha256_bytes(b"old\n"))];
    let set = ChangeSet { changes: &changes, what: "a test", root: &place.root(), based_on: &based_on };
    let mut watch = |step: usize| {
        meanwhile(step, &path);
        ControlFlow::Continue(())
    };
    let done = set.apply(&place.data, &place.source, &mut watch).map(drop);
    assert_eq!(fs::read(other).unwrap(), if done.is_ok() { &b"[1]"[..] } else { b"[]" });
    (done, fs::read_to_string(path).unwrap(), place)
}

#[test]
fn a_line_that_is_appended_at_any_step_stays() {
    let mut reverted = 0;
    for at in 0.. {
        let mut steps = 0;
        let (done, text, place) = replaced(&mut |step, path| {
            steps = step;
            if step == at {
                append(path);
            }
        });
        if at > steps {
            assert!(at > 9 && reverted > 3, "{at} {reverted}");
            break;
        }
        match done {
            Ok(()) => assert_eq!(text, format!("new\n{LINE}"), "at step {at}"),
            Err(error) => {
                reverted += 1;
                assert!(matches!(error, ChangesError::InUse(_) | ChangesError::Changed { .. }), "{error:?}");
                assert_eq!(text, format!("old\n{LINE}"), "at step {at}");
                assert!(place.journal().entries().is_empty(), "nothing was changed");
            }
        }
    }
}

#[test]
fn a_line_of_a_writer_that_had_the_old_file_open_stays() {
    for at in 0.. {
        let mut steps = 0;
        let mut open: Option<File> = None;
        let (done, text, _) = replaced(&mut |step, path| {
            steps = step;
            if let Some(mut file) = open.take() {
                file.write_all(LINE.as_bytes()).unwrap();
            }
            if step == at {
                open = Some(OpenOptions::new().append(true).open(path).unwrap());
            }
        });
        if at >= steps {
            break;
        }
        match done {
            Ok(()) => assert_eq!(text, format!("new\n{LINE}"), "at step {at}"),
            Err(_) => assert_eq!(text, format!("old\n{LINE}"), "at step {at}"),
        }
    }
}

#[test]
fn a_line_that_is_appended_during_an_undo_stays() {
    for at in 0.. {
        let (done, _, place) = replaced(&mut |_, _| {});
        done.unwrap();
        let path = place.path("projects/-p/s.jsonl");
        let mut steps = 0;
        let mut watch = |step: usize| {
            steps = step;
            if step == at {
                append(&path);
            }
            ControlFlow::Continue(())
        };
        let entry = place.journal().entries().remove(0);
        let undone = place.journal().undo_in_steps(entry, &mut Steps::new(&mut watch));
        let text = fs::read_to_string(&path).unwrap();
        if at > steps {
            assert!(at > 4);
            break;
        }
        match undone {
            Ok(_) => assert_eq!(text, format!("old\n{LINE}"), "at step {at}"),
            Err(_) => assert_eq!(text, format!("new\n{LINE}"), "at step {at}"),
        }
    }
}

#[test]
fn lines_of_a_file_that_goes_to_the_trash_go_with_it() {
    for home in homes("lines_of_a_file_that_goes_to_the_trash_go_with_it") {
        for at in 0.. {
            let place = Place::new(home());
            let path = place.home.write("projects/-p/s/subagents/agent-a.jsonl", "old\n");
            let mut steps = 0;
            let mut open: Option<File> = None;
            let mut watch = |step: usize| {
                steps = step;
                if let Some(mut file) = open.take() {
                    file.write_all(LINE.as_bytes()).unwrap();
                }
                if step == at {
                    open = OpenOptions::new().append(true).open(&path).ok();
                }
                ControlFlow::Continue(())
            };
            let discard = [Change::Discard { path: place.path("projects/-p/s") }];
            let set = ChangeSet { changes: &discard, what: "x", root: &place.root(), based_on: &[] };
            let entry = set.apply(&place.data, &place.source, &mut watch).unwrap();
            if at >= steps {
                break;
            }
            let kept = place.data.trash(&entry.id).join("projects/-p/s/subagents/agent-a.jsonl");
            let opened = at + 1 < steps && place.journal().undo(entry).is_ok();
            let text = fs::read_to_string(if opened { &path } else { &kept }).unwrap();
            assert!(
                text == format!("old\n{LINE}") || (text == "old\n" && at + 2 >= steps),
                "at step {at}: {text}"
            );
        }
    }
}

#[test]
fn a_file_that_appears_where_one_is_made_is_not_overwritten() {
    for at in 0.. {
        let place = Place::new(Home::new());
        let path = place.path("todos/new.json");
        let mut steps = 0;
        let mut watch = |step: usize| {
            steps = step;
            if step == at && !path.exists() {
                place.home.write("todos/new.json", "theirs");
            }
            ControlFlow::Continue(())
        };
        let create = [Change::Create { path: path.clone(), bytes: b"ours".to_vec().into(), mode: None }];
        let set = ChangeSet { changes: &create, what: "x", root: &place.root(), based_on: &[] };
        let done = set.apply(&place.data, &place.source, &mut watch);
        let expected = if done.is_ok() { "ours" } else { "theirs" };
        assert_eq!(fs::read_to_string(&path).unwrap(), expected, "at step {at}");
        if at > steps {
            break;
        }
    }
}
