//! `annals move-project` and `annals merge`: what they show before, what they say after, what they refuse; and undo.

use std::fs;

use annals_testkit::builder::{Session, uuid};
use annals_testkit::home::Home;
use annals_testkit::tree::tree;

use crate::schemas::keep_schema;
use crate::{annals_exits, expect};

const ONE: &str = "3f2a0000-1111-4222-8333-444444444444";
const TWO: &str = "7b1c0000-1111-4222-8333-444444444444";

/// Output with names for what chance decides.
fn named(home: &Home, out: &str) -> String {
    let out = out
        .replace(&home.config_dir().display().to_string(), "STORE")
        .replace(ONE, "ONE")
        .replace(TWO, "TWO");
    let words = out.split(' ').map(|word| match word.starts_with("20") && word.trim_end().len() > 15 {
        true => word.replace(word.trim_end(), "CHANGE"),
        false => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// A session of four turns, cut in two, of a folder that was moved.
fn home() -> Home {
    let home = Home::new();
    let whole = Session::new()
        .id(ONE)
        .folder("/a/old")
        .prompt("one")
        .reply("1")
        .prompt("two")
        .reply("2")
        .into_bytes();
    let whole = String::from_utf8(whole).unwrap();
    let lines: Vec<_> = whole.lines().map(|line| format!("{line}\n")).collect();
    home.write(format!("projects/-a-old/{ONE}.jsonl"), lines[..2].concat());
    home.write(format!("projects/-a-old/{TWO}.jsonl"), lines[2..].concat().replace(ONE, TWO));
    home.write(
        "history.jsonl",
        format!("{{\"display\":\"one\",\"project\":\"/a/old\",\"sessionId\":\"{TWO}\"}}\n"),
    );
    home
}

#[test]
fn a_project_is_shown_moved_and_taken_back() {
    let home = home();
    let before = tree(&home.config_dir());
    let shown = annals_exits(&home, &["move-project", "/a/old", "/b/new", "--dry-run"], 0);
    let expected = "\
project -a-old → -b-new
session ONE
session TWO
move    STORE/projects/-a-old to STORE/projects/-b-new
edit    STORE/projects/-a-old/ONE.jsonl (2 lines of 970 B)
edit    STORE/projects/-a-old/TWO.jsonl (2 lines of 1.0 KB)
edit    STORE/history.jsonl (1 line of 88 B)
paths inside messages, calls and results stay: they are history
would move 2 sessions (1.9 KB) to the project of /b/new, 5 lines changed
[EOF]";
    expect(&named(&home, &shown.out), expected);
    assert_eq!(tree(&home.config_dir()), before);
    let done = annals_exits(&home, &["move-project", "/a/old", "/b/new", "--yes"], 0);
    let expected = "\
moved 2 sessions (1.9 KB) to the project of /b/new, 5 lines changed
  to revert: annals undo CHANGE
  paths inside messages, calls and results stay: they are history
[EOF]";
    expect(&named(&home, &done.out), expected);
    let listed = annals_exits(&home, &["ls", "--all", "--json"], 0);
    assert!(listed.out.contains("/b/new") && !listed.out.contains("/a/old"), "{}", listed.out);
    annals_exits(&home, &["undo", "--yes"], 0);
    assert_eq!(tree(&home.config_dir()), before);
    // By the name in the store, and to a folder that is given as seen from here.
    let answer = annals_exits(
        &home,
        &["move-project", "--json", "--keep-cwd", "--yes", "--", "-a-old", "sub/../new"],
        0,
    );
    keep_schema("change", &[answer.out.trim().as_bytes()], "move-project --json");
    assert!(answer.out.contains("-work-new\""), "{}", answer.out);
    annals_exits(&home, &["undo", "--yes"], 0);
    assert_eq!(tree(&home.config_dir()), before);
}

#[test]
fn halves_are_shown_merged_and_taken_back() {
    let home = home();
    let before = tree(&home.config_dir());
    let shown = annals_exits(&home, &["merge", "3f2a", "7b1c", "--dry-run"], 0);
    let expected = "\
STORE/projects/-a-old/ONE.jsonl
  + line 2: line 1 of the second
  + line 2: line 2 of the second
STORE/history.jsonl
  ~ line 1: a prompt of the second
trash   STORE/projects/-a-old/TWO.jsonl
0 lines removed, 0 changed, 2 new; 970 B → 1.9 KB
  2.0.76   2 messages → 4 messages, about 28 → 57 tokens
  2.1.112  2 messages → 4 messages, about 28 → 57 tokens
  2.1.325  2 messages → 4 messages, about 28 → 57 tokens
0 lines removed, 1 changed, 0 new; 88 B → 88 B
2.0.76 sends 4 messages: 2 records of the first, 2 of the second
2.1.112 sends 4 messages: 2 records of the first, 2 of the second
2.1.325 sends 4 messages: 2 records of the first, 2 of the second
would merge TWO into ONE: added 2 records, 0 records already there
[EOF]";
    expect(&named(&home, &shown.out), expected);
    assert_eq!(tree(&home.config_dir()), before);
    let answer = annals_exits(&home, &["merge", "3f2a", "7b1c", "--json", "--yes"], 0);
    keep_schema("change", &[answer.out.trim().as_bytes()], "merge --json");
    let after = tree(&home.config_dir());
    assert_eq!(after.len() + 1, before.len());
    assert!(after.values().all(|bytes| !String::from_utf8_lossy(bytes).contains(TWO)));
    annals_exits(&home, &["check", ONE], 0);
    annals_exits(&home, &["undo", "--yes"], 0);
    assert_eq!(tree(&home.config_dir()), before);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let home = home();
    let refused = |arguments: &[&str], code: i32, words: &str| {
        let answer = annals_exits(&home, arguments, code);
        assert!(answer.error.contains(words), "{arguments:?}: {}", answer.error);
    };
    refused(&["merge", TWO, ONE], 2, "ended before");
    refused(&["merge", ONE, ONE], 2, "both arguments name this session");
    refused(&["merge", ONE, "ffff0000"], 1, "ffff0000");
    refused(&["move-project", "/nowhere", "/b"], 1, "no sessions of this folder");
    refused(&["move-project", "/a/old", "/a/old/sub"], 2, "cannot be moved into itself");
    refused(&["move-project", "/a/old", "/a/old/"], 2, "the same");
    let there = home.write(
        format!("projects/-b-new/{ONE}.jsonl"),
        Session::new().id(ONE).folder("/b/new").prompt("x").into_bytes(),
    );
    let before = tree(&home.config_dir());
    refused(&["move-project", "/a/old", "/b/new"], 4, "already has a session of this name");
    fs::remove_file(there).unwrap();
    // In use by somebody else.
    let open = home.config_dir().join(format!("projects/-a-old/{ONE}.jsonl"));
    let data = annals_store::DataDir::new(home.data_dir());
    let lock = annals_store::lock::FileLock::try_take(&data, &open).unwrap();
    refused(&["move-project", "/a/old", "/b/new", "--yes"], 4, "another annals is writing");
    refused(&["merge", ONE, TWO, "--yes"], 4, "another annals is writing");
    drop(lock);
    assert_eq!(tree(&home.config_dir()).len(), before.len() - 1);
    // Both went on from a line that they share.
    let own = Session::new().id(TWO).folder("/a/old").wait(999).prompt("else").reply("E").into_bytes();
    let own = String::from_utf8(own).unwrap().replace(&uuid(1), "own-1").replace(&uuid(2), "own-2");
    let first = fs::read_to_string(&open).unwrap();
    let copied = first.lines().next().unwrap().replace(ONE, TWO);
    let own = own.replace("\"parentUuid\":null", &format!("\"parentUuid\":\"{}\"", uuid(1)));
    let path = home.write(format!("projects/-a-old/{TWO}.jsonl"), format!("{copied}\n{own}"));
    // A while ago: on a slow machine a write of just now would count as that of a client.
    let hour_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    fs::File::options().write(true).open(path).unwrap().set_modified(hour_ago).unwrap();
    refused(&["merge", ONE, TWO], 2, "they diverged at record");
    annals_exits(&home, &["merge", ONE, TWO, "--anyway", "--yes"], 0);
}

/// With as many open files as a shell lets a program have on some systems, halved.
#[test]
#[cfg(unix)]
fn a_project_of_more_sessions_than_files_may_be_open_moves_and_comes_back() {
    let home = Home::new();
    for number in 0..200 {
        let id = uuid(number);
        let session = Session::new().id(&id).folder("/a/old").prompt("one").reply("1").into_bytes();
        home.write(format!("projects/-a-old/{id}.jsonl"), session);
    }
    let before = tree(&home.config_dir());
    let limited = |arguments: &[&str]| {
        let mut command = home.command("bash");
        command.args(["-c", "ulimit -S -n 128 && exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_annals")]);
        let answer = command.args(arguments).output().unwrap();
        assert!(answer.status.success(), "{}", String::from_utf8_lossy(&answer.stderr));
    };
    limited(&["move-project", "/a/old", "/b/new", "--yes"]);
    assert_eq!(fs::read_dir(home.config_dir().join("projects/-b-new")).unwrap().count(), 200);
    limited(&["undo", "--yes"]);
    assert_eq!(tree(&home.config_dir()), before);
}
