//! `annals trash`, `restore` and `gc`: what they show, say and refuse; and undo.

use std::fs;
use std::time::{Duration, SystemTime};

use annals_demo::Plan;
use annals_json::Value;
use annals_testkit::builder::Session;
use annals_testkit::home::Home;
use annals_testkit::tree::tree;

use crate::schemas::keep_schema;
use crate::{annals, annals_exits, expect};

const ID: &str = "3f2a0000-1111-4222-8333-444444444444";
const OTHER: &str = "77b00000-1111-4222-8333-444444444444";
const GONE: &str = "00000000-0000-4000-8000-000000000000";

fn home() -> Home {
    let home = Home::new();
    let session = Session::new().id(ID).folder("/w").prompt("one").reply("1").prompt("two").reply("2");
    home.write(format!("projects/-w/{ID}.jsonl"), session.into_bytes());
    let agent = Session::new().id(ID).folder("/w").sub_agent("a01").prompt("look").reply("seen");
    home.write(format!("projects/-w/{ID}/subagents/agent-a01.jsonl"), agent.into_bytes());
    home.write(format!("todos/{ID}-agent-{ID}.json"), "[]");
    let other = Session::new().id(OTHER).folder("/w").prompt("other").reply("1");
    home.write(format!("projects/-w/{OTHER}.jsonl"), other.into_bytes());
    let index = format!(r#"{{"version":1,"entries":[{{"sessionId":"{ID}"}},{{"sessionId":"{OTHER}"}}]}}"#);
    home.write("projects/-w/sessions-index.json", index);
    home.write("history.jsonl", format!("{{\"display\":\"one\",\"sessionId\":\"{ID}\"}}\n"));
    home
}

/// Output with names for what the clock decides: the store, the change, the time.
fn named(home: &Home, out: &str) -> String {
    let out = out.replace(&home.config_dir().display().to_string(), "STORE");
    let mut new = String::new();
    for word in out.split_inclusive([' ', '\n', '/']) {
        let bare = word.trim_end();
        let is_change = bare.len() == 24 && bare.starts_with("20") && bare.as_bytes()[17] == b'-';
        new.push_str(&if is_change { word.replace(bare, "CHANGE") } else { word.to_owned() });
    }
    new
}

#[test]
fn a_session_is_shown_trashed_listed_and_restored() {
    let home = home();
    let before = tree(&home.config_dir());
    let shown = annals_exits(&home, &["trash", "3f2a", "--history", "--dry-run"], 0);
    let expected = "\
trash   STORE/projects/-w/3f2a0000-1111-4222-8333-444444444444.jsonl
trash   STORE/todos/3f2a0000-1111-4222-8333-444444444444-agent-3f2a0000-1111-4222-8333-444444444444.json
trash   STORE/projects/-w/3f2a0000-1111-4222-8333-444444444444
replace STORE/projects/-w/sessions-index.json (78 B)
replace STORE/history.jsonl (0 B)
1 prompt of history.jsonl: also removed
would move 3f2a0000-1111-4222-8333-444444444444 to the trash: 3 files, 2.9 KB
[EOF]";
    expect(&named(&home, &shown.out), expected);
    assert_eq!(tree(&home.config_dir()), before);
    let done = annals_exits(&home, &["trash", "3f2a", "--history", "--yes"], 0);
    let expected = "\
moved 3f2a0000-1111-4222-8333-444444444444 to the trash: 3 files, 2.9 KB
  to revert: annals undo CHANGE
  1 prompt of history.jsonl: also removed
[EOF]";
    expect(&named(&home, &done.out), expected);
    annals_exits(&home, &["show", ID], 1);
    assert_eq!(tree(&home.config_dir()).len(), before.len() - 3);
    let listed = annals_exits(&home, &["restore"], 0);
    let row = listed.out.lines().nth(1).unwrap();
    assert!(
        row.starts_with("3f2a0000  ") && row.contains("2.9 KB  trash  trash 3f2a0000-"),
        "{}",
        listed.out
    );
    let listed = annals_exits(&home, &["restore", "--json"], 0);
    keep_schema("restore", &[&listed.bytes], "restore --json");
    let heap = annals_exits(&home, &["trash", "--list", "--json"], 0);
    keep_schema("trash", &[&heap.bytes], "trash --list --json");
    let back = annals_exits(&home, &["restore", "3f2a", "--yes"], 0);
    let expected = "\
restored 3f2a0000-1111-4222-8333-444444444444: 5 files and folders, 2.9 KB
  to revert: annals undo CHANGE
[EOF]";
    expect(&named(&home, &back.out), expected);
    assert_eq!(tree(&home.config_dir()), before);
    annals_exits(&home, &["restore"], 1);
    annals_exits(&home, &["undo", "--yes"], 0);
    assert_eq!(tree(&home.config_dir()).len(), before.len() - 3);
    let id = Value::parse(listed.out.as_bytes()).unwrap().get("sessions").unwrap().items().next().unwrap();
    let id = id.get("change").unwrap().text().unwrap().to_string();
    annals_exits(&home, &["undo", &id, "--yes"], 0);
    assert_eq!(tree(&home.config_dir()), before);
}

#[test]
fn the_trash_is_emptied_for_good() {
    let home = home();
    let answer = annals_exits(&home, &["trash", ID, OTHER, "--json", "--yes"], 0);
    keep_schema("change", &[answer.out.trim().as_bytes()], "trash --json");
    let value = Value::parse(answer.out.as_bytes()).unwrap();
    assert_eq!(value.get("removed").unwrap().count(), Some(2));
    assert_eq!(value.get("bytesAfter").unwrap().count(), Some(0));
    assert!(value.get("bytesBefore").unwrap().count().unwrap() > 3000);
    // Nobody can be asked here: what cannot be undone must be confirmed.
    let refused = annals_exits(&home, &["trash", "--empty"], 2);
    assert!(refused.error.contains("cannot be undone"), "{}", refused.error);
    expect(
        &annals_exits(&home, &["trash", "--empty", "--older-than", "30d"], 0).out,
        "nothing to delete\n[EOF]",
    );
    let shown = annals_exits(&home, &["trash", "--empty", "--dry-run"], 0);
    assert!(shown.out.ends_with("would delete 5 files (4.0 KB) permanently\n"), "{}", shown.out);
    let back = annals_exits(&home, &["restore", OTHER, "--json", "--yes"], 0);
    keep_schema("change", &[back.out.trim().as_bytes()], "restore --json");
    annals_exits(&home, &["show", OTHER], 0);
    let gone = annals_exits(&home, &["trash", "--empty", "--yes", "--json"], 0);
    keep_schema("trash", &[&gone.bytes], "trash --empty --json");
    assert!(gone.out.contains(r#""deleted":true"#));
    annals_exits(&home, &["restore", ID], 1);
    annals_exits(&home, &["trash", "--list"], 1);
    let id = value.get("undo").unwrap().text().unwrap().to_string();
    let refused = annals_exits(&home, &["undo", &id, "--yes"], 1);
    assert!(refused.error.contains("can no longer be undone: the trash was emptied"), "{}", refused.error);
    let listed = annals_exits(&home, &["undo", "--list", "--json"], 0);
    keep_schema("undo", &[&listed.bytes], "undo --list --json");
    assert!(listed.out.contains(r#""state":"emptied""#));
}

#[test]
fn what_is_in_use_or_in_the_way_or_unknown_is_refused() {
    let home = home();
    let before = tree(&home.config_dir());
    let pid = std::process::id();
    let client = home.write(format!("sessions/{pid}.json"), format!(r#"{{"pid":{pid},"sessionId":"{ID}"}}"#));
    let busy = annals_exits(&home, &["trash", ID, OTHER, "--yes"], 4);
    assert!(busy.error.contains("a running client"), "{}", busy.error);
    fs::remove_file(client).unwrap();
    assert_eq!(tree(&home.config_dir()), before);
    annals_exits(&home, &["trash"], 2);
    annals_exits(&home, &["trash", "ffff0000"], 1);
    annals_exits(&home, &["trash", "--list", ID], 2);
    annals_exits(&home, &["trash", "--older-than", "30d", ID], 2);
    annals_exits(&home, &["restore", ID], 1);
    let agent = home.config_dir().join(format!("projects/-w/{ID}/subagents/agent-a01.jsonl"));
    let refused = annals_exits(&home, &["trash", &agent.display().to_string()], 2);
    assert!(refused.error.contains("not a session of a store"), "{}", refused.error);
    annals_exits(&home, &["trash", ID, "--yes"], 0);
    let there = home.write(format!("projects/-w/{ID}.jsonl"), "{}\n");
    let refused = annals_exits(&home, &["restore", ID, "--yes"], 4);
    assert!(refused.error.contains("restore never overwrites"), "{}", refused.error);
    assert_eq!(fs::read(there).unwrap(), b"{}\n");
}

#[test]
fn litter_is_listed_and_only_taken_away_on_request() {
    let home = home();
    let old = SystemTime::now() - Duration::from_secs(3 * 24 * 3600);
    for name in [format!("todos/{GONE}-agent-{GONE}.json"), format!("tasks/{GONE}/1.json")] {
        let path = home.write(name, "[1]");
        fs::File::options().write(true).open(path).unwrap().set_modified(old).unwrap();
    }
    home.write(format!("file-history/{OTHER}x/00ff00ff00ff00ff@v1"), "of today");
    let before = tree(&home.config_dir());
    let expected = "\
kind   files  size  what
todos      1   3 B  todo lists of deleted sessions
tasks      1   3 B  tasks of deleted sessions
2 files (6 B) in total; annals gc --apply moves them to the trash
[EOF]";
    expect(&annals_exits(&home, &["gc"], 0).out, expected);
    expect(&annals_exits(&home, &["gc", "--yes", "--dry-run"], 0).out, expected);
    expect(&annals_exits(&home, &["gc", "--older-than", "7d"], 0).out, "nothing to clean up\n[EOF]");
    annals_exits(&home, &["gc", "--kind", "everything"], 2);
    annals_exits(&home, &["gc", "--older-than", "soon"], 2);
    assert_eq!(tree(&home.config_dir()), before);
    let taken = annals_exits(&home, &["gc", "--kind", "tasks", "--apply", "--yes"], 0);
    let expected = "\
kind   files  size  what
tasks      1   3 B  tasks of deleted sessions
moved 1 file (3 B) to the trash
  to revert: annals undo CHANGE
[EOF]";
    expect(&named(&home, &taken.out), expected);
    assert_eq!(tree(&home.config_dir()).len(), before.len() - 1);
    let rest = annals_exits(&home, &["gc", "--yes", "--json"], 0);
    keep_schema("gc", &[&rest.bytes], "gc --json");
    assert!(rest.out.contains(r#""kinds":[{"kind":"todos","files":1,"bytes":3}]"#), "{}", rest.out);
    assert_eq!(tree(&home.config_dir()).len(), before.len() - 2);
    annals_exits(&home, &["undo", "--yes"], 0);
    annals_exits(&home, &["undo", "--yes"], 0);
    assert_eq!(tree(&home.config_dir()), before);
}

#[test]
fn the_demo_store_is_tidied_and_nothing_else_is_missed() {
    let home = Home::new();
    home.fill(&Plan::default());
    let before = tree(&home.config_dir());
    let all = |home: &Home| annals(home, &["ls"]).out;
    let listed = all(&home);
    let answer = annals_exits(&home, &["gc", "--older-than", "0d", "--yes", "--json"], 0);
    keep_schema("gc", &[&answer.bytes], "gc --json");
    assert_eq!(all(&home), listed, "no session that ls shows has changed");
    assert!(!annals(&home, &["check", "--all", "--json"]).out.contains("orphan-file"));
    annals_exits(&home, &["undo", "--yes"], 0);
    assert_eq!(tree(&home.config_dir()), before);
}
