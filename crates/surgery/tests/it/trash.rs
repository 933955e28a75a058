//! Trash and restore: all files of a session are removed and restored as they were; what others need stays.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use annals_demo::Plan as Demo;
use annals_store::journal::{Journal, Stage};
use annals_store::trash::sessions;
use annals_store::{DataDir, Store};
use annals_surgery::apply::{ApplyError, apply};
use annals_surgery::restore::{self, TrashRestoreError};
use annals_surgery::trash::{PromptHistory, TrashPlan, TrashPlanError, plan};
use annals_testkit::builder::Session;
use annals_testkit::corpus;
use annals_testkit::home::Home;
use annals_testkit::source::CountingSource;

use crate::clone::rich;
use crate::steps::come_back_from_every_step;
use crate::tree;

const ID: &str = "3f2a0000-1111-4222-8333-444444444444";
const OTHER: &str = "77b00000-1111-4222-8333-444444444444";

fn go(_: usize) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// A session with every kind of side file, and a neighbour.
fn store() -> (Home, PathBuf) {
    let home = Home::new();
    let path = rich(&home);
    let beside = Session::new().id(ID).folder("/w").sub_agent("b1").prompt("look").reply("seen");
    home.write("projects/-w/agent-b1.jsonl", beside.into_bytes());
    home.write("projects/-w/agent-b1.meta.json", "{}");
    let elsewhere = Session::new().id(ID).folder("/v").sub_agent("b2").prompt("look").reply("seen");
    home.write("projects/-v/agent-b2.jsonl", elsewhere.into_bytes());
    home.write(format!("projects/-v/{ID}/tool-results/t.txt"), "far");
    home.write(format!("session-env/{ID}/hook.sh"), "x");
    home.write(format!("image-cache/{ID}/1.png"), "png");
    home.write(format!("tasks/{ID}/.lock"), "");
    let neighbour = Session::new().id(OTHER).folder("/w").prompt("other").reply("ok");
    home.write(format!("projects/-w/{OTHER}.jsonl"), neighbour.into_bytes());
    home.write(format!("todos/{OTHER}-agent-{OTHER}.json"), "[]");
    let entry = |id: &str| format!("    {{\n      \"sessionId\": \"{id}\"\n    }}");
    let index = format!("{{\n  \"version\": 1,\n  \"entries\": [\n{},\n{}\n  ]\n}}", entry(ID), entry(OTHER));
    home.write("projects/-w/sessions-index.json", index);
    let prompt = |id: &str, paste: &str| {
        format!(
            r#"{{"display":"x","pastedContents":{{"1":{{"contentHash":"{paste}"}}}},"sessionId":"{id}"}}"#
        )
    };
    let both = [prompt(ID, "aa"), prompt(OTHER, "bb"), prompt(ID, "bb"), prompt(ID, "aa")].join("\n") + "\n";
    home.write("history.jsonl", both);
    home.write("paste-cache/aa.txt", "only his");
    home.write("paste-cache/bb.txt", "of both");
    (home, path)
}

fn trash_plan(home: &Home, paths: &[PathBuf], prompts: PromptHistory) -> TrashPlan {
    plan(paths, &Store::open(home.config_dir()).discover(), prompts).unwrap()
}

fn names(home: &Home) -> Vec<String> {
    let root = home.config_dir();
    let name = |path: &PathBuf| path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
    tree(&root).keys().map(name).collect()
}

#[test]
fn everything_goes_and_comes_back_from_every_step() {
    for prompts in [PromptHistory::Keep, PromptHistory::Remove] {
        let make = || {
            let (home, path) = store();
            let plan = trash_plan(&home, &[path], prompts).plan;
            (home, plan)
        };
        let (home, plan) = make();
        apply(&plan, &DataDir::new(home.data_dir()), &CountingSource::default(), &mut go).unwrap();
        let pastes = if prompts == PromptHistory::Remove {
            &["paste-cache/bb.txt"][..]
        } else {
            &["paste-cache/aa.txt", "paste-cache/bb.txt"]
        };
        let mut left: Vec<String> = vec!["history.jsonl".into()];
        left.extend(pastes.iter().map(|name| (*name).to_owned()));
        left.push(format!("projects/-w/{OTHER}.jsonl"));
        left.push("projects/-w/sessions-index.json".into());
        left.push(format!("todos/{OTHER}-agent-{OTHER}.json"));
        assert_eq!(names(&home), left);
        let read = |name: &str| fs::read_to_string(home.config_dir().join(name)).unwrap();
        assert!(!read("projects/-w/sessions-index.json").contains(ID));
        assert!(read("projects/-w/sessions-index.json").contains(OTHER));
        assert_eq!(
            read("history.jsonl").matches(ID).count(),
            if prompts == PromptHistory::Remove { 0 } else { 3 }
        );
        assert!(!home.config_dir().join(format!("tasks/{ID}")).exists(), "not even the lock is left");
        come_back_from_every_step(10, make, |_, before, after| assert!(before.len() > after.len() + 10));
    }
}

#[cfg(unix)]
#[test]
fn a_history_that_its_owner_linked_elsewhere_is_changed_there() {
    let (home, path) = store();
    let link = home.config_dir().join("history.jsonl");
    let target = home.path().join("dotfiles/history.jsonl");
    fs::create_dir_all(target.parent().unwrap()).unwrap();
    fs::rename(&link, &target).unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let old = fs::read(&target).unwrap();
    let (data, source) = (DataDir::new(home.data_dir()), CountingSource::default());
    apply(&trash_plan(&home, &[path], PromptHistory::Remove).plan, &data, &source, &mut go).unwrap();
    assert!(!fs::read_to_string(&target).unwrap().contains(ID));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    apply(&restoring(&home), &data, &source, &mut go).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&target).unwrap().matches(ID).count(), 3);
    assert_eq!(fs::read(&target).unwrap(), old);
}

/// The restore of the only session in the trash.
fn restoring(home: &Home) -> annals_surgery::Plan {
    let mut all = sessions(&DataDir::new(home.data_dir()));
    assert_eq!(all.len(), 1);
    restore::plan(&all.remove(0)).unwrap()
}

#[test]
fn a_restore_brings_back_every_byte_and_can_be_stopped_at_every_step() {
    for stop_at in 0.. {
        let (home, path) = store();
        let (data, source) = (DataDir::new(home.data_dir()), CountingSource::default());
        let whole = tree(&home.config_dir());
        apply(&trash_plan(&home, &[path], PromptHistory::Remove).plan, &data, &source, &mut go).unwrap();
        let trashed = tree(&home.config_dir());
        let mut watch =
            |step| if step == stop_at { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let finished = apply(&restoring(&home), &data, &source, &mut watch).is_ok();
        let journal = Journal::new(&data);
        if finished {
            assert_eq!(tree(&home.config_dir()), whole);
            assert!(sessions(&data).is_empty(), "what came back is not in the trash");
        }
        if let Some(entry) = journal.entries().into_iter().find(|entry| entry.what.starts_with("restore")) {
            assert_eq!(entry.stage == Stage::Done, finished);
            journal.undo(entry).unwrap();
        }
        let mut after = tree(&home.config_dir());
        after.retain(|path, _| !path.to_string_lossy().ends_with(".annals-new"));
        assert_eq!(after, trashed, "stopped at step {stop_at}");
        // Whatever was tried, the trash can still be undone.
        let entry = journal.entries().into_iter().find(|entry| entry.what.starts_with("trash")).unwrap();
        journal.undo(entry).unwrap();
        let mut after = tree(&home.config_dir());
        after.retain(|path, _| !path.to_string_lossy().ends_with(".annals-new"));
        assert_eq!(after, whole);
        if finished {
            assert!(stop_at > 10, "only {stop_at} steps");
            return;
        }
    }
}

#[test]
fn a_session_in_a_folder_of_its_project_comes_back_with_its_own() {
    let home = Home::new();
    let session = Session::new().id(ID).folder("/w").prompt("one").reply("1");
    let path = home.write(format!("projects/-w/team/{ID}.jsonl"), session.into_bytes());
    home.write(format!("projects/-w/team/{ID}/tool-results/t.txt"), "out");
    let (data, source) = (DataDir::new(home.data_dir()), CountingSource::default());
    let before = tree(&home.config_dir());
    apply(&trash_plan(&home, &[path], PromptHistory::Remove).plan, &data, &source, &mut go).unwrap();
    assert!(tree(&home.config_dir()).is_empty());
    apply(&restoring(&home), &data, &source, &mut go).unwrap();
    assert_eq!(tree(&home.config_dir()), before);
}

#[test]
fn nothing_is_overwritten_by_what_comes_back() {
    let (home, path) = store();
    let data = DataDir::new(home.data_dir());
    apply(&trash_plan(&home, &[path], PromptHistory::Keep).plan, &data, &CountingSource::default(), &mut go)
        .unwrap();
    let there = home.write(format!("todos/{ID}-agent-{ID}.json"), "new");
    let trashed = sessions(&data).remove(0);
    let refused = restore::plan(&trashed);
    assert!(matches!(&refused, Err(TrashRestoreError::InTheWay { path }) if *path == there), "{refused:?}");
    fs::remove_file(there).unwrap();
    restore::plan(&trashed).unwrap();
}

#[test]
fn what_a_session_of_the_same_id_shares_stays() {
    let (home, path) = store();
    let twin = Session::new().id(ID).folder("/v").prompt("copied").reply("ok");
    home.write(format!("projects/-v/{ID}.jsonl"), twin.into_bytes());
    let before = names(&home);
    let trash_plan = trash_plan(&home, &[path], PromptHistory::Keep);
    // The far sub-agent, two lists, a task, a copy, an environment, an image.
    assert_eq!(trash_plan.plan.notes, [format!("7 files stay: {ID} is also a session of -v")]);
    let data = DataDir::new(home.data_dir());
    apply(&trash_plan.plan, &data, &CountingSource::default(), &mut go).unwrap();
    let after = names(&home);
    let gone: Vec<_> = before.iter().filter(|name| !after.contains(name)).collect();
    assert!(gone.iter().all(|name| name.starts_with("projects/-w/")), "{gone:#?}");
    assert!(after.contains(&format!("projects/-v/{ID}/tool-results/t.txt")));
    assert_eq!(gone.len(), 6, "{gone:#?}");
}

#[test]
fn what_a_fork_speaks_of_stays() {
    let (home, path) = store();
    // The client's own forks keep calls and snapshots, and copy neither agents nor outputs.
    let output = format!("/elsewhere/{ID}/tool-results/toolu_9.txt");
    let fork = Session::new()
        .id(OTHER)
        .folder("/w")
        .prompt("other")
        .reply(&format!("see agent-a0123456789abcdef.jsonl\nand {output}"))
        .side("file-history-snapshot", |object| {
            object
                .raw("snapshot", br#"{"trackedFileBackups":{"a":{"backupFileName":"00ff00ff00ff00ff@v1"}}}"#);
        });
    let fork = home.write(format!("projects/-w/{OTHER}.jsonl"), fork.into_bytes());
    let trash_plan = trash_plan(&home, std::slice::from_ref(&path), PromptHistory::Keep);
    assert_eq!(trash_plan.plan.notes, [format!("4 files stay: {} refers to them", fork.display())]);
    let data = DataDir::new(home.data_dir());
    let before = tree(&home.config_dir());
    apply(&trash_plan.plan, &data, &CountingSource::default(), &mut go).unwrap();
    let left = names(&home);
    for name in [
        format!("projects/-w/{ID}/subagents/agent-a0123456789abcdef.jsonl"),
        format!("projects/-w/{ID}/subagents/agent-a0123456789abcdef.meta.json"),
        format!("projects/-w/{ID}/tool-results/toolu_9.txt"),
        format!("file-history/{ID}/00ff00ff00ff00ff@v1"),
    ] {
        assert!(left.contains(&name), "{name} is gone");
    }
    assert!(!path.exists() && !left.contains(&format!("tasks/{ID}/1.json")));
    apply(&restoring(&home), &data, &CountingSource::from(1_800_000_000_000), &mut go).unwrap();
    assert_eq!(tree(&home.config_dir()), before);
    // With its own copies, the fork needs none of the original's.
    home.write(format!("file-history/{OTHER}/00ff00ff00ff00ff@v1"), "own");
    let again = self::trash_plan(&home, &[path], PromptHistory::Keep);
    assert!(again.plan.notes[0].starts_with("3 files stay"), "{:?}", again.plan.notes);
}

#[test]
fn several_sessions_go_as_one_and_come_back_alone() {
    let (home, path) = store();
    let other = home.config_dir().join(format!("projects/-w/{OTHER}.jsonl"));
    let (data, source) = (DataDir::new(home.data_dir()), CountingSource::default());
    let before = tree(&home.config_dir());
    let trash_plan = trash_plan(&home, &[path, other.clone(), other.clone()], PromptHistory::Remove);
    assert_eq!((trash_plan.sessions, trash_plan.plan.what.as_str()), (2, "trash 2 sessions"));
    apply(&trash_plan.plan, &data, &source, &mut go).unwrap();
    assert_eq!(names(&home), ["history.jsonl", "projects/-w/sessions-index.json"]);
    while let Some(trashed) = sessions(&data).into_iter().next() {
        apply(&restore::plan(&trashed).unwrap(), &data, &source, &mut go).unwrap();
        assert!(trashed.file.from.exists());
    }
    let mut after = tree(&home.config_dir());
    // The index is a cache, which the caller refreshes.
    let index = home.config_dir().join("projects/-w/sessions-index.json");
    after.insert(index.clone(), before[&index].clone());
    assert_eq!(after, before);
}

#[test]
fn what_is_no_session_or_is_in_use_is_refused() {
    let (home, path) = store();
    let discovery = Store::open(home.config_dir()).discover();
    let agent = home.config_dir().join("projects/-w/agent-b1.jsonl");
    let refused = plan(&[agent], &discovery, PromptHistory::Keep);
    assert!(matches!(refused, Err(TrashPlanError::NotASession { .. })));
    let inside = home.write(format!("projects/-w/{ID}/kept/{OTHER}.jsonl"), "{}\n");
    let discovery = Store::open(home.config_dir()).discover();
    let refused = plan(std::slice::from_ref(&path), &discovery, PromptHistory::Keep);
    assert!(matches!(refused, Err(TrashPlanError::Inside { .. })), "{refused:?}");
    fs::remove_file(inside).unwrap();
    let trash_plan = trash_plan(&home, std::slice::from_ref(&path), PromptHistory::Keep);
    let data = DataDir::new(home.data_dir());
    let before = tree(&home.config_dir());
    for locked in [path, home.config_dir().join("projects/-w/agent-b1.jsonl")] {
        let lock = annals_store::lock::FileLock::try_take(&data, &locked).unwrap();
        let refused = apply(&trash_plan.plan, &data, &CountingSource::default(), &mut go);
        assert!(matches!(refused, Err(ApplyError::InUse(_))), "{refused:?}");
        drop(lock);
    }
    assert_eq!(tree(&home.config_dir()), before);
}

/// Trashes sessions one after the other, restores them in that order, and undoes it: every byte is there again.
fn there_and_back(home: &Home, most: usize, what: &str) {
    let (data, source) = (DataDir::new(home.data_dir()), CountingSource::default());
    let before = tree(&home.config_dir());
    let all = Store::open(home.config_dir()).discover().sessions;
    let some: Vec<_> = all.iter().step_by((all.len() / most).max(1)).collect();
    assert!(!some.is_empty(), "{what}");
    for session in &some {
        let trash_plan = trash_plan(home, std::slice::from_ref(&session.path), PromptHistory::Remove);
        apply(&trash_plan.plan, &data, &source, &mut go).unwrap();
        assert!(!session.path.exists());
    }
    let empty = tree(&home.config_dir());
    let trashed = sessions(&data);
    assert_eq!(trashed.len(), some.len(), "{what}");
    for trashed in &trashed {
        apply(&restore::plan(trashed).unwrap(), &data, &source, &mut go).unwrap();
    }
    assert!(tree(&home.config_dir()) == before, "{what}: restored");
    let journal = Journal::new(&data);
    for entry in journal.entries().into_iter().filter(|entry| entry.what.starts_with("restore")) {
        journal.undo(entry).unwrap();
    }
    assert!(tree(&home.config_dir()) == empty, "{what}: undone");
}

#[test]
fn the_demo_store_there_and_back() {
    let home = Home::new();
    home.fill(&Demo::default());
    there_and_back(&home, usize::MAX, "demo");
}

#[test]
fn the_corpus_there_and_back() {
    let Some(corpus) = corpus::or_skip("the_corpus_there_and_back") else { return };
    for folder in corpus.config_dirs() {
        let home = Home::new();
        copy(&folder, &home.config_dir());
        if !Store::open(home.config_dir()).discover().sessions.is_empty() {
            there_and_back(&home, 6, &corpus.name_of(&folder));
        }
    }
}

/// Copies a folder's files, except for huge ones.
pub(crate) fn copy(from: &Path, to: &Path) {
    for (path, bytes) in tree(from).into_iter().filter(|(_, bytes)| bytes.len() < 4_000_000) {
        let there = to.join(path.strip_prefix(from).unwrap());
        fs::create_dir_all(there.parent().unwrap()).unwrap();
        fs::write(there, bytes).unwrap();
    }
}
