//! `annals clone` and `annals fork`: what they show before, what they say after, what they refuse; and undo.

use std::fs;

use annals_json::Value;
use annals_testkit::builder::{Session, uuid};
use annals_testkit::home::Home;
use annals_testkit::tree::tree;

use crate::schemas::keep_schema;
use crate::{annals_exits, expect};

const ID: &str = "3f2a0000-1111-4222-8333-444444444444";
const AGENT: &str = "a0123456789abcdef";

fn home() -> Home {
    let home = Home::new();
    let session = Session::new().id(ID).folder("/w").prompt("one").reply("1").prompt("two").reply("2");
    home.write(format!("projects/-w/{ID}.jsonl"), session.into_bytes());
    let agent = Session::new().id(ID).folder("/w").sub_agent(AGENT).prompt("look").reply("seen");
    home.write(format!("projects/-w/{ID}/subagents/agent-{AGENT}.jsonl"), agent.into_bytes());
    let index = format!(r#"{{"version":1,"entries":[{{"sessionId":"{ID}","fullPath":"x","fileMtime":1}}]}}"#);
    home.write("projects/-w/sessions-index.json", index);
    home
}

/// Output with names for what chance decides: the store, the new session, its sub-agent, the change.
fn named(home: &Home, out: &str) -> String {
    let out = out.replace(&home.config_dir().display().to_string(), "STORE");
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    let mut new = String::new();
    for word in out.split_inclusive(|letter| !is_word(letter)) {
        let id = word.trim_end_matches(|letter| !is_word(letter));
        let name = match id {
            ID => "OLD",
            _ if id.len() == 36 && id.matches('-').count() == 4 => "NEW",
            _ if id.starts_with("agent-a") => "agent-AGENT",
            _ if id.starts_with("20") && id.len() > 15 => "CHANGE",
            _ => id,
        };
        new.push_str(name);
        new.push_str(&word[id.len()..]);
    }
    new
}

#[test]
fn a_clone_is_shown_made_and_taken_back() {
    let home = home();
    let before = tree(&home.config_dir());
    let shown = annals_exits(&home, &["clone", "3f2a", "--dry-run"], 0);
    let expected = "\
create  STORE/projects/-w/NEW.jsonl (1.9 KB)
create  STORE/projects/-w/NEW/subagents/agent-AGENT.jsonl (1.0 KB)
2.0.76 sends 4 messages
2.1.112 sends 4 messages
2.1.325 sends 4 messages
would clone OLD as NEW: 4 records, 2 files; the actual id will differ
[EOF]";
    expect(&named(&home, &shown.out), expected);
    assert_eq!(tree(&home.config_dir()), before);
    let done = annals_exits(&home, &["clone", "3f2a", "--yes"], 0);
    let expected = "\
cloned OLD as NEW: 4 records, 2 files
  to revert: annals undo CHANGE
  2.0.76 sends 4 messages
  2.1.112 sends 4 messages
  2.1.325 sends 4 messages
  to resume it: claude --resume NEW, or annals chat --resume NEW
[EOF]";
    expect(&named(&home, &done.out), expected);
    let after = tree(&home.config_dir());
    assert_eq!(after.len(), before.len() + 2);
    let index = &after[&home.config_dir().join("projects/-w/sessions-index.json")];
    assert_eq!(String::from_utf8_lossy(index).matches(r#""sessionId""#).count(), 2, "the index knows it");
    annals_exits(&home, &["undo", "--yes"], 0);
    assert_eq!(tree(&home.config_dir()), before);
}

#[test]
fn a_clone_goes_to_another_project() {
    let home = home();
    let answer = annals_exits(&home, &["clone", ID, "--into", ".", "--json", "--yes"], 0);
    keep_schema("change", &[answer.out.trim().as_bytes()], "clone --json");
    let value = Value::parse(answer.out.as_bytes()).unwrap();
    let text = |key: &str| value.get(key).unwrap().text().unwrap().to_string();
    let bytes = fs::read(text("file")).unwrap();
    let here = home.work_dir().canonicalize().unwrap();
    assert!(String::from_utf8_lossy(&bytes).contains(&format!(r#""cwd":"{}""#, here.display())));
    assert!(text("file").ends_with(&format!("-work/{}.jsonl", text("session"))));
    assert_eq!(value.get("bytesBefore").unwrap().count(), Some(0));
    assert!(value.get("bytesAfter").unwrap().count().unwrap() > bytes.len() as u64);
    assert!(value.get("removed").is_none());
    annals_exits(&home, &["check", &text("session")], 0);
}

#[test]
fn a_fork_is_shown_made_and_taken_back() {
    let home = home();
    let before = tree(&home.config_dir());
    let shown = annals_exits(&home, &["fork", ID, "--turn", "1", "--dry-run"], 0);
    let expected = "\
create  STORE/projects/-w/NEW.jsonl (1.2 KB)
2.0.76 sends 2 messages
2.1.112 sends 2 messages
2.1.325 sends 2 messages
would fork OLD as NEW: 2 records, 1 file; the actual id will differ
[EOF]";
    expect(&named(&home, &shown.out), expected);
    for arguments in [&["--at", &uuid(3)][..], &["--turn", "2", "--keep-ids"], &[]] {
        let all = [&["fork", ID, "--json", "--yes"], arguments].concat();
        let answer = annals_exits(&home, &all, 0);
        keep_schema("change", &[answer.out.trim().as_bytes()], &all.join(" "));
        let value = Value::parse(answer.out.as_bytes()).unwrap();
        let file = fs::read_to_string(value.get("file").unwrap().text().unwrap().decode().as_ref()).unwrap();
        assert_eq!(
            file.matches(&format!(r#""forkedFrom":{{"sessionId":"{ID}""#)).count(),
            file.lines().count()
        );
        let keeps = arguments.contains(&"--keep-ids");
        assert_eq!(file.contains(&format!(r#""uuid":"{}","timestamp"#, uuid(1))), keeps);
        annals_exits(&home, &["undo", "--yes"], 0);
        assert_eq!(tree(&home.config_dir()), before);
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let home = home();
    let before = tree(&home.config_dir());
    let refused = |arguments: &[&str], words: &str| {
        let answer = annals_exits(&home, arguments, 2);
        assert!(answer.error.contains(words), "{arguments:?}: {}", answer.error);
    };
    refused(&["fork", ID, "--turn", "7"], "no turn 7; the session has 2");
    refused(&["fork", ID, "--turn", "0"], "no turn 0");
    refused(&["fork", ID, "--at", "nothing"], "no record nothing");
    refused(&["fork", ID, "--at", "x", "--turn", "1"], "cannot be used with");
    let agent = home.config_dir().join(format!("projects/-w/{ID}/subagents/agent-{AGENT}.jsonl"));
    refused(&["clone", &agent.display().to_string()], "cannot be cloned without its session");
    annals_exits(&home, &["clone", "ffff0000"], 1);
    assert_eq!(tree(&home.config_dir()), before);
}
