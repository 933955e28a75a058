//! A snapshot reports what changed since the last one, and nothing else.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{fs, thread};

use annals_store::{Store, StoreChanges, StoreSnapshot};
use annals_testkit::temp::TempDir;

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A store that is looked at again and again, with what is kept in between going through its text.
struct Looks {
    store: Store,
    also: PathBuf,
    known: StoreSnapshot,
    now: i64,
}

impl Looks {
    fn again(&mut self) -> StoreChanges {
        let seen = self.store.rescan(&self.known, std::slice::from_ref(&self.also), self.now);
        let text = self.known.updated(&seen).text().to_owned();
        self.known = StoreSnapshot::parse(text.clone()).unwrap();
        // What is kept says the same as what was seen: brought up to date with the next look, it is still itself.
        let again = self.store.rescan(&self.known, std::slice::from_ref(&self.also), self.now);
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
            Looks { store, also: vault.clone(), known: StoreSnapshot::default(), now: millis() + later };
        let mut expect = |what: &str, changes: StoreChanges| {
            assert_eq!(looks.again(), changes, "{what}");
            assert_eq!(looks.again(), StoreChanges::Nothing, "nothing changed after {what}");
            // "Settled at once" holds from the next tick of the file system's clock on.
            thread::sleep(Duration::from_millis(10));
        };
        expect("an empty store", StoreChanges::Nothing);
        let session = root.join("projects/-p/00000000-0000-4000-8000-000000000001.jsonl");
        write(&session, "{}\n");
        expect("a session", StoreChanges::More);
        write(&session, "{}\n{}\n");
        expect("a session that grew", StoreChanges::Files(vec![session.clone()]));
        let file = fs::File::options().write(true).open(&session).unwrap();
        file.set_modified(SystemTime::now() + Duration::from_secs(60)).unwrap();
        expect("a session of the same size and another time", StoreChanges::Files(vec![session.clone()]));
        let deep = root.join("projects/-p/00000000-0000-4000-8000-000000000001/subagents/agent-a.jsonl");
        write(&deep, "{}\n");
        expect("a sub-agent", StoreChanges::More);
        write(&deep, "{}\n{}\n");
        expect("a sub-agent that grew", StoreChanges::Files(vec![deep.clone()]));
        let other = deep.with_file_name("agent-b.jsonl");
        fs::rename(&deep, &other).unwrap();
        expect("another name", StoreChanges::More);
        let beside = deep.with_file_name("new");
        write(&beside, "{}\n{}\n{}\n");
        fs::rename(&beside, &other).unwrap();
        expect("another file in its place", StoreChanges::Files(vec![other]));
        let output = root.join("projects/-p/00000000-0000-4000-8000-000000000001/tool-results/one.txt");
        write(&output, "printed");
        expect("what a tool printed", StoreChanges::More);
        let second = output.with_file_name("two.txt");
        write(&second, "printed, too");
        expect("what another printed", StoreChanges::More);
        write(&beside, "printed again");
        fs::rename(&beside, &second).unwrap();
        expect("another text in its place", StoreChanges::More);
        fs::remove_file(&output).unwrap();
        expect("what a tool printed, gone", StoreChanges::More);
        write(&beside, "");
        fs::remove_file(&beside).unwrap();
        expect("what came and went", StoreChanges::Nothing);
        write(&root.join("projects/-q/x.jsonl"), "");
        expect("another project", StoreChanges::More);
        fs::rename(root.join("projects/-q"), root.join("projects/-r")).unwrap();
        expect("a project of another name", StoreChanges::More);
        let history = root.join("history.jsonl");
        write(&history, "{}\n");
        expect("history", StoreChanges::More);
        write(&history, "{}\n{}\n");
        expect("history that grew", StoreChanges::Files(vec![history]));
        let todos = root.join("todos/a.json");
        write(&todos, "[]");
        expect("todos", StoreChanges::More);
        write(&todos, "[{}]");
        expect("todos that are others", StoreChanges::Files(vec![todos]));
        write(&vault.join("a.index"), "x");
        expect("another folder", StoreChanges::More);
        fs::remove_file(&session).unwrap();
        expect("a session that went", StoreChanges::More);
        fs::remove_dir_all(root.join("projects/-p")).unwrap();
        expect("a project that went", StoreChanges::More);
    }
}

#[test]
#[cfg(unix)]
fn links_that_lead_out_of_the_store_are_not_followed() {
    let temp = TempDir::new("sighting");
    let (root, elsewhere) = (temp.path().join("config"), temp.path().join("elsewhere"));
    write(&root.join("projects/-p/a.jsonl"), "{}\n");
    write(&elsewhere.join("b.jsonl"), "{}\n");
    std::os::unix::fs::symlink(&elsewhere, root.join("projects/-p/linked")).unwrap();
    std::os::unix::fs::symlink(root.join("projects"), root.join("projects/-p/back")).unwrap();
    std::os::unix::fs::symlink(root.join("projects/-p"), root.join("projects/-again")).unwrap();
    let store = Store::open(&root);
    let mut looks = Looks {
        store,
        also: temp.path().join("none"),
        known: StoreSnapshot::default(),
        now: millis() + LATER,
    };
    assert_eq!(looks.again(), StoreChanges::More);
    assert_eq!(looks.again(), StoreChanges::Nothing);
    write(&elsewhere.join("b.jsonl"), "{}\n{}\n");
    assert_eq!(looks.again(), StoreChanges::Nothing);
    write(&root.join("projects/-p/a.jsonl"), "{}\n{}\n");
    let both = ["-again", "-p"].map(|name| root.join("projects").join(name).join("a.jsonl"));
    assert_eq!(looks.again(), StoreChanges::Files(both.to_vec()));
}

#[test]
#[cfg(unix)]
fn odd_names_and_links_that_come_and_go_are_not_overlooked() {
    use std::os::unix::ffi::OsStrExt;
    let temp = TempDir::new("sighting");
    let root = temp.path().join("config");
    let odd = root.join("projects/-p/two\nlines/sub\nagents/a\nb.jsonl");
    let target = root.join("projects/-s");
    let foreign = root.join("projects/-r").join(std::ffi::OsStr::from_bytes(b"\xff")).join("d.jsonl");
    write(&odd, "{}\n");
    write(&target.join("c.jsonl"), "{}\n");
    std::os::unix::fs::symlink(&target, root.join("projects/-q")).unwrap();
    let also = temp.path().join("none");
    let store = Store::open(&root);
    let mut looks = Looks { store, also, known: StoreSnapshot::default(), now: millis() + LATER };
    assert_eq!(looks.again(), StoreChanges::More);
    assert_eq!(looks.again(), StoreChanges::Nothing);
    write(&odd, "{}\n{}\n");
    assert_eq!(looks.again(), StoreChanges::Files(vec![odd]));
    let away = temp.path().join("away");
    fs::rename(&target, &away).unwrap();
    assert_eq!(looks.again(), StoreChanges::More);
    looks.again();
    fs::rename(&away, &target).unwrap();
    assert_eq!(looks.again(), StoreChanges::More, "what a link leads to is back");
    write(&foreign, "{}\n");
    assert_eq!(looks.again(), StoreChanges::More);
    assert_eq!(looks.again(), StoreChanges::More, "a name that cannot be kept is looked into each time");
}

#[test]
#[cfg(unix)]
fn a_sighting_is_of_one_store_under_one_name() {
    use std::os::unix::ffi::OsStrExt;
    let temp = TempDir::new("sighting");
    let root = temp.path().join("config");
    write(&root.join("projects/-p/a.jsonl"), "{}\n");
    let store = Store::open(&root);
    let known = StoreSnapshot::default();
    let known = known.updated(&store.rescan(&known, &[], millis()));
    assert!(!known.name().is_empty() && StoreSnapshot::default().name().is_empty());
    let other = temp.path().join("link");
    std::os::unix::fs::symlink(&root, &other).unwrap();
    assert!(known.is_of(store.config_dir()) && !known.is_of(Store::open(other).config_dir()));
    // A store whose own name is no text is looked through each time.
    let foreign = temp.path().join(std::ffi::OsStr::from_bytes(b"\xff"));
    write(&foreign.join("projects/-p/a.jsonl"), "{}\n");
    assert_eq!(
        Store::open(foreign).rescan(&StoreSnapshot::default(), &[], millis()).changes,
        StoreChanges::More
    );
}

#[test]
fn folders_that_settled_are_counted_until_that_is_saved() {
    let temp = TempDir::new("sighting");
    let store = Store::open(temp.path());
    for name in ["-p", "-q", "-r"] {
        write(&temp.path().join("projects").join(name).join("a.jsonl"), "{}\n");
    }
    let none = StoreSnapshot::default();
    let fresh = none.updated(&store.rescan(&none, &[], millis()));
    assert_eq!(store.rescan(&fresh, &[], millis()).settled_folders(&fresh), 0);
    let later = store.rescan(&fresh, &[], millis() + LATER);
    assert_eq!((&later.changes, later.settled_folders(&fresh)), (&StoreChanges::Nothing, 4));
    let settled = fresh.updated(&later);
    assert_eq!(store.rescan(&settled, &[], millis() + LATER).settled_folders(&settled), 0);
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
        assert!(StoreSnapshot::parse(text.to_owned()).is_none(), "{text}");
    }
    assert_eq!(StoreSnapshot::parse("name\0s 0000000000000000 /a\0".to_owned()).unwrap().name(), "name");
}
