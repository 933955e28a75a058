//! A look at a store says what has changed since the last one, and nothing else.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use annals_store::{Changes, Sighting, Store};
use annals_testkit::temp::TempDir;

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A store that is looked at again and again, with what is kept in between going through its text.
struct Looks {
    store: Store,
    also: PathBuf,
    known: Sighting,
    now: i64,
}

impl Looks {
    fn again(&mut self) -> Changes {
        let seen = self.store.look_again(&self.known, std::slice::from_ref(&self.also), self.now);
        let text = self.known.updated(&seen).text().to_owned();
        self.known = Sighting::parse(text.clone()).unwrap();
        // What is kept says the same as what was seen: brought up to date with the next look, it is still itself.
        let again = self.store.look_again(&self.known, std::slice::from_ref(&self.also), self.now);
        assert_eq!(self.known.updated(&again).text(), text);
        seen.changes
    }
}

fn millis() -> i64 {
    i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
}

/// As the clock of a look: folders count as settled at once, or never.
const LATER: i64 = 3_600_000;

#[test]
fn every_change_is_noticed_and_nothing_else() {
    for later in [LATER, -LATER] {
        let temp = TempDir::new("sighting");
        let root = temp.path().join("config");
        let vault = temp.path().join("vault");
        let store = Store::open(&root);
        let mut looks =
            Looks { store, also: vault.clone(), known: Sighting::default(), now: millis() + later };
        let mut expect = |what: &str, changes: Changes| {
            assert_eq!(looks.again(), changes, "{what}");
            assert_eq!(looks.again(), Changes::Nothing, "nothing changed after {what}");
        };
        expect("an empty store", Changes::Nothing);
        let session = root.join("projects/-p/00000000-0000-4000-8000-000000000001.jsonl");
        write(&session, "{}\n");
        expect("a session", Changes::More);
        write(&session, "{}\n{}\n");
        expect("a session that grew", Changes::Files(vec![session.clone()]));
        let file = fs::File::options().write(true).open(&session).unwrap();
        file.set_modified(SystemTime::now() + Duration::from_secs(60)).unwrap();
        expect("a session of the same size and another time", Changes::Files(vec![session.clone()]));
        let deep = root.join("projects/-p/00000000-0000-4000-8000-000000000001/subagents/agent-a.jsonl");
        write(&deep, "{}\n");
        expect("a sub-agent", Changes::More);
        write(&deep, "{}\n{}\n");
        expect("a sub-agent that grew", Changes::Files(vec![deep.clone()]));
        let other = deep.with_file_name("agent-b.jsonl");
        fs::rename(&deep, &other).unwrap();
        expect("another name", Changes::More);
        let beside = deep.with_file_name("new");
        write(&beside, "{}\n{}\n{}\n");
        fs::rename(&beside, &other).unwrap();
        expect("another file in its place", Changes::Files(vec![other]));
        let output = root.join("projects/-p/00000000-0000-4000-8000-000000000001/tool-results/one.txt");
        write(&output, "printed");
        expect("what a tool printed", Changes::More);
        let second = output.with_file_name("two.txt");
        write(&second, "printed, too");
        expect("what another printed", Changes::More);
        write(&beside, "printed anew");
        fs::rename(&beside, &second).unwrap();
        expect("another text in its place", Changes::More);
        fs::remove_file(&output).unwrap();
        expect("what a tool printed, gone", Changes::More);
        write(&beside, "");
        fs::remove_file(&beside).unwrap();
        expect("what came and went", Changes::Nothing);
        write(&root.join("projects/-q/x.jsonl"), "");
        expect("another project", Changes::More);
        fs::rename(root.join("projects/-q"), root.join("projects/-r")).unwrap();
        expect("a project of another name", Changes::More);
        let history = root.join("history.jsonl");
        write(&history, "{}\n");
        expect("history", Changes::More);
        write(&history, "{}\n{}\n");
        expect("history that grew", Changes::Files(vec![history]));
        let todos = root.join("todos/a.json");
        write(&todos, "[]");
        expect("todos", Changes::More);
        write(&todos, "[{}]");
        expect("todos that are others", Changes::Files(vec![todos]));
        write(&vault.join("a.index"), "x");
        expect("another folder", Changes::More);
        fs::remove_file(&session).unwrap();
        expect("a session that went", Changes::More);
        fs::remove_dir_all(root.join("projects/-p")).unwrap();
        expect("a project that went", Changes::More);
    }
}

#[test]
#[cfg(unix)]
fn links_are_followed_and_never_forever() {
    let temp = TempDir::new("sighting");
    let (root, elsewhere) = (temp.path().join("config"), temp.path().join("elsewhere"));
    write(&root.join("projects/-p/a.jsonl"), "{}\n");
    write(&elsewhere.join("b.jsonl"), "{}\n");
    std::os::unix::fs::symlink(&elsewhere, root.join("projects/-p/linked")).unwrap();
    std::os::unix::fs::symlink(root.join("projects"), root.join("projects/-p/back")).unwrap();
    let store = Store::open(&root);
    let mut looks =
        Looks { store, also: temp.path().join("none"), known: Sighting::default(), now: millis() + LATER };
    assert_eq!(looks.again(), Changes::More);
    assert_eq!(looks.again(), Changes::Nothing);
    write(&elsewhere.join("b.jsonl"), "{}\n{}\n");
    assert_eq!(looks.again(), Changes::Files(vec![root.join("projects/-p/linked/b.jsonl")]));
}

#[test]
#[cfg(unix)]
fn odd_names_and_links_that_come_and_go_are_not_overlooked() {
    use std::os::unix::ffi::OsStrExt;
    let temp = TempDir::new("sighting");
    let root = temp.path().join("config");
    let odd = root.join("projects/-p/two\nlines/sub\nagents/a\nb.jsonl");
    let target = temp.path().join("elsewhere");
    let foreign = root.join("projects/-r").join(std::ffi::OsStr::from_bytes(b"\xff")).join("d.jsonl");
    write(&odd, "{}\n");
    write(&target.join("c.jsonl"), "{}\n");
    fs::create_dir_all(root.join("projects/-q")).unwrap();
    std::os::unix::fs::symlink(&target, root.join("projects/-q/linked")).unwrap();
    let also = temp.path().join("none");
    let store = Store::open(&root);
    let mut looks = Looks { store, also, known: Sighting::default(), now: millis() + LATER };
    assert_eq!(looks.again(), Changes::More);
    assert_eq!(looks.again(), Changes::Nothing);
    write(&odd, "{}\n{}\n");
    assert_eq!(looks.again(), Changes::Files(vec![odd]));
    let away = temp.path().join("away");
    fs::rename(&target, &away).unwrap();
    assert_eq!(looks.again(), Changes::More);
    looks.again();
    fs::rename(&away, &target).unwrap();
    assert_eq!(looks.again(), Changes::More, "what a link leads to is back");
    write(&foreign, "{}\n");
    assert_eq!(looks.again(), Changes::More);
    assert_eq!(looks.again(), Changes::More, "a name that cannot be kept is looked into each time");
}

#[test]
#[cfg(unix)]
fn a_sighting_is_of_one_store_under_one_name() {
    use std::os::unix::ffi::OsStrExt;
    let temp = TempDir::new("sighting");
    let root = temp.path().join("config");
    write(&root.join("projects/-p/a.jsonl"), "{}\n");
    let store = Store::open(&root);
    let known = Sighting::default();
    let known = known.updated(&store.look_again(&known, &[], millis()));
    assert!(!known.name().is_empty() && Sighting::default().name().is_empty());
    let other = temp.path().join("link");
    std::os::unix::fs::symlink(&root, &other).unwrap();
    assert!(known.is_of(store.config_dir()) && !known.is_of(Store::open(other).config_dir()));
    // A store whose own name is no text is looked through each time.
    let foreign = temp.path().join(std::ffi::OsStr::from_bytes(b"\xff"));
    write(&foreign.join("projects/-p/a.jsonl"), "{}\n");
    assert_eq!(Store::open(foreign).look_again(&Sighting::default(), &[], millis()).changes, Changes::More);
}

#[test]
fn what_is_no_sighting_is_none() {
    for text in [
        "",
        "x",
        "name\0f 0000000000000000 name\0",
        "name\0s 00 short\0",
        "name\0z 0000000000000000 /a\0",
        "name\0s 000000000000000é /a\0",
        "name\0s 0000000000000000 /cut",
    ] {
        assert!(Sighting::parse(text.to_owned()).is_none(), "{text}");
    }
    assert_eq!(Sighting::parse("name\0s 0000000000000000 /a\0".to_owned()).unwrap().name(), "name");
}
