//! A glance is the same as long as nothing has changed, and another one after every change.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use annals_store::{Glance, Store};
use annals_testkit::temp::TempDir;

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn every_change_is_noticed_and_nothing_else() {
    let temp = TempDir::new("glance");
    let root = temp.path().join("config");
    let vault = temp.path().join("vault");
    let store = Store::open(&root);
    let glance = || store.glance(std::slice::from_ref(&vault));
    let mut before: Vec<Glance> = Vec::new();
    let mut is_new = |what: &str| {
        let now = glance();
        assert!(!before.contains(&now), "{what} was not noticed");
        assert_eq!(now, glance(), "nothing changed after {what}");
        before.push(now);
    };
    is_new("an empty store");
    let session = root.join("projects/-p/00000000-0000-4000-8000-000000000001.jsonl");
    write(&session, "{}\n");
    is_new("a session");
    write(&session, "{}\n{}\n");
    is_new("a session that grew");
    let file = fs::File::options().write(true).open(&session).unwrap();
    file.set_modified(SystemTime::now() + Duration::from_secs(60)).unwrap();
    is_new("a session of the same size and another time");
    let deep = root.join("projects/-p/00000000-0000-4000-8000-000000000001/subagents/agent-a.jsonl");
    write(&deep, "{}\n");
    is_new("a sub-agent");
    write(&deep, "{}\n{}\n");
    is_new("a sub-agent that grew");
    fs::rename(&deep, deep.with_file_name("agent-b.jsonl")).unwrap();
    is_new("another name");
    write(&root.join("projects/-q/x.jsonl"), "");
    is_new("another project");
    fs::rename(root.join("projects/-q"), root.join("projects/-r")).unwrap();
    is_new("a project of another name");
    write(&root.join("history.jsonl"), "{}\n");
    is_new("history");
    write(&root.join("todos/a.json"), "[]");
    is_new("todos");
    write(&vault.join("a.index"), "x");
    is_new("another folder");
    fs::remove_file(&session).unwrap();
    is_new("a session that went");
}

#[test]
#[cfg(unix)]
fn links_are_followed_and_never_forever() {
    let temp = TempDir::new("glance");
    let (root, elsewhere) = (temp.path().join("config"), temp.path().join("elsewhere"));
    write(&root.join("projects/-p/a.jsonl"), "{}\n");
    write(&elsewhere.join("b.jsonl"), "{}\n");
    std::os::unix::fs::symlink(&elsewhere, root.join("projects/-p/linked")).unwrap();
    std::os::unix::fs::symlink(root.join("projects"), root.join("projects/-p/back")).unwrap();
    let store = Store::open(&root);
    let before = store.glance(&[]);
    write(&elsewhere.join("b.jsonl"), "{}\n{}\n");
    assert_ne!(before, store.glance(&[]), "what lies behind a link has changed");
}
