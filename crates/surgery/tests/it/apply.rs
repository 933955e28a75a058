//! Plans are applied as one and reverted as one, also after a stop at any step.

use std::fs;
use std::ops::ControlFlow;

use annals_store::DataDir;
use annals_store::changes::Change;
use annals_surgery::apply::{ApplyError, apply};
use annals_surgery::{FileEdit, Plan};
use annals_testkit::builder::Session;
use annals_testkit::home::Home;
use annals_testkit::source::CountingSource;

use crate::steps::come_back_from_every_step;
use crate::tree;

/// A store, and a plan that edits, creates, replaces, moves and discards.
fn plan() -> (Home, Plan) {
    let home = Home::new();
    let session = Session::new().prompt("one").reply("two").prompt("three").into_bytes();
    let path = home.write("projects/-p/one.jsonl", &session);
    let side = home.write("todos/a.json", "[]");
    let moved = home.write("file-history/x/y@v1", "z");
    let gone = home.write("plans/p.md", "plan");
    let mut edit = FileEdit::new(&path, &session);
    let last = session.iter().filter(|&&byte| byte == b'\n').count();
    edit.remove(last, "test");
    let mut plan = Plan::new("a test", &home.config_dir());
    plan.edit(edit);
    plan.changes = vec![
        Change::Create {
            path: home.config_dir().join("new/file.txt"),
            bytes: b"new".to_vec().into(),
            mode: None,
        },
        Change::Replace { path: side, bytes: b"[1]".to_vec().into() },
        Change::Move { from: moved, to: home.config_dir().join("file-history/q/y@v1") },
        Change::Discard { path: gone },
        // A file that was changed before may move, alone or with its folder.
        Change::Move {
            from: home.config_dir().join("todos/a.json"),
            to: home.config_dir().join("todos/b.json"),
        },
        Change::Move {
            from: home.config_dir().join("projects/-p"),
            to: home.config_dir().join("projects/-q"),
        },
    ];
    (home, plan)
}

#[test]
fn a_change_stopped_at_any_step_comes_back_whole() {
    come_back_from_every_step(14, plan, |plan, before, after| {
        let edit = &plan.edits[0];
        let place = plan.path_after(edit.path()).unwrap();
        assert!(place.ends_with("projects/-q/one.jsonl"));
        assert_eq!(
            (after.get(&place), before.get(edit.path())),
            (Some(&edit.result()), Some(&edit.before().to_vec()))
        );
        assert!(!after.contains_key(edit.path()));
    });
}

#[test]
fn nothing_is_written_that_would_be_wrong_or_meets_another() {
    let (home, mut plan) = plan();
    let (data, source) = (DataDir::new(home.data_dir()), CountingSource::default());
    let before = tree(&home.config_dir());
    let mut go = |_| ControlFlow::Continue(());
    // The first line is removed without relinking its child.
    let edit = plan.edits.pop().unwrap();
    let mut wrong = FileEdit::new(edit.path(), edit.before());
    wrong.remove(1, "test");
    let bad = Plan { edits: vec![wrong], ..plan.clone() };
    assert!(matches!(apply(&bad, &data, &source, &mut go), Err(ApplyError::Wrong { .. })));
    plan.edits.push(edit);
    let lock = annals_store::lock::FileLock::try_take(&data, plan.edits[0].path()).unwrap();
    assert!(matches!(apply(&plan, &data, &source, &mut go), Err(ApplyError::InUse(_))));
    drop(lock);
    let there = plan.changes.clone();
    plan.changes.push(Change::Create {
        path: home.config_dir().join("todos/a.json"),
        bytes: b"".to_vec().into(),
        mode: None,
    });
    assert!(matches!(apply(&plan, &data, &source, &mut go), Err(ApplyError::Changes(_))));
    assert_eq!(tree(&home.config_dir()), before);
    plan.changes = there;
    plan.depend_on(&home.config_dir().join("todos/a.json"), b"[2]");
    assert!(matches!(apply(&plan, &data, &source, &mut go), Err(ApplyError::Changed { .. })));
    plan.depends_on.clear();
    assert_eq!(tree(&home.config_dir()), before);
    let path = plan.edits[0].path().to_path_buf();
    fs::write(&path, "{}\n").unwrap();
    assert!(matches!(apply(&plan, &data, &source, &mut go), Err(ApplyError::Changed { .. })));
    let nothing = Plan::new("nothing", &home.config_dir());
    assert!(matches!(apply(&nothing, &data, &source, &mut go), Err(ApplyError::Nothing)));
}

/// Applies the plan; another program does something to the edited file once all is in place, before the change is noted
/// as done.
fn apply_with(act: impl Fn(&std::path::Path)) -> (Home, Plan, Result<(), ApplyError>) {
    let steps = std::cell::Cell::new(0);
    let (home, first) = plan();
    let (data, source) = (DataDir::new(home.data_dir()), CountingSource::default());
    let mut count = |_| {
        steps.set(steps.get() + 1);
        ControlFlow::Continue(())
    };
    apply(&first, &data, &source, &mut count).unwrap();
    let (home, plan) = plan();
    let data = DataDir::new(home.data_dir());
    let place = plan.path_after(plan.edits[0].path()).unwrap();
    let mut step = 0;
    let done = apply(&plan, &data, &source, &mut |_| {
        step += 1;
        if step == steps.get() {
            act(&place);
        }
        ControlFlow::Continue(())
    });
    (home, plan, done.map(drop))
}

#[test]
fn lines_that_are_appended_right_after_a_change_stay() {
    let (_home, plan, done) = apply_with(|place| {
        let mut bytes = fs::read(place).unwrap();
        bytes.extend_from_slice(b"{}\n");
        fs::write(place, bytes).unwrap();
    });
    done.unwrap();
    let expected = [&plan.edits[0].result()[..], b"{}\n"].concat();
    assert_eq!(fs::read(plan.path_after(plan.edits[0].path()).unwrap()).unwrap(), expected);
}

#[test]
fn another_writer_right_after_a_change_is_a_conflict() {
    let (_home, plan, done) = apply_with(|place| fs::write(place, "{}\n").unwrap());
    assert!(matches!(done, Err(ApplyError::Changed { .. } | ApplyError::Stuck { .. })), "{done:?}");
    // What the other program wrote is not lost.
    let places = [plan.path_after(plan.edits[0].path()).unwrap(), plan.edits[0].path().to_path_buf()];
    assert!(places.iter().any(|place| fs::read(place).is_ok_and(|bytes| bytes == b"{}\n")), "{done:?}");
}
