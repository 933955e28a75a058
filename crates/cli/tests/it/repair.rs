//! `annals repair`: the preview, the result, the undo, and what programs are told.

use std::fs;

use annals_json::Value;
use annals_testkit::builder::Session;
use annals_testkit::home::Home;

use crate::schemas::keep_schema;
use crate::{annals_exits, expect};

const ID: &str = "5e550000-0000-4000-8000-000000000000";

/// A session with a torn line, a cut chain and a call without a result, and one that is whole.
fn store() -> (Home, String, Vec<u8>) {
    let home = Home::new();
    let bytes = Session::new()
        .prompt("before")
        .reply("one")
        .raw(b"{\"type\":\"user\",\"uuid\":\"x\n")
        .wait(90)
        .parent(Some("x"))
        .prompt("after")
        .tool_use("Bash", r#"{"command":"ls"}"#)
        .into_bytes();
    let path = home.write(format!("projects/-p/{ID}.jsonl"), &bytes);
    (home, path.display().to_string(), bytes)
}

#[test]
fn a_preview_shows_each_line_and_touches_nothing() {
    let (home, path, bytes) = store();
    let answer = annals_exits(&home, &["repair", ID, "--dry-run"], 0);
    let expected = format!(
        "\
{path}
  - line 3: torn-line: the line has no complete record
  ~ line 4: dangling-parent: it follows line 2: the line before it
  + line 5: unanswered-tool-use: an error result is inserted for toolu_000000000002000000000000
1 line removed, 1 changed, 1 new; 2.0 KB → 2.6 KB
  2.0.76   2 messages → 6 messages, about 34 → 137 tokens
  2.1.112  2 messages → 6 messages, about 34 → 152 tokens
  2.1.325  4 messages → 6 messages, about 110 → 137 tokens
would repair {ID}
[EOF]"
    );
    expect(&answer.out, &expected);
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn a_repair_can_be_taken_back_and_a_second_finds_nothing() {
    let (home, path, bytes) = store();
    let answer = annals_exits(&home, &["repair", ID, "--yes"], 0);
    assert!(answer.out.starts_with(&format!("repaired {ID}\n  to revert: annals undo ")), "{}", answer.out);
    let mended = fs::read(&path).unwrap();
    assert_ne!(mended, bytes);
    expect(&annals_exits(&home, &["repair", ID, "--yes"], 0).out, "nothing to do\n[EOF]");
    assert_eq!(fs::read(&path).unwrap(), mended);
    assert!(!annals_exits(&home, &["check", ID, "--json"], 0).out.contains("torn-line"));
    annals_exits(&home, &["undo", "--yes"], 0);
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn only_the_kinds_that_are_named_are_mended() {
    let (home, path, bytes) = store();
    annals_exits(&home, &["repair", ID, "--yes", "--only", "torn-line"], 0);
    let left = fs::read(&path).unwrap();
    assert_eq!(left.len(), bytes.len() - b"{\"type\":\"user\",\"uuid\":\"x\n".len());
    let answer = annals_exits(&home, &["repair", ID, "--only", "everything"], 2);
    assert!(answer.error.contains("unknown repair \"everything\""), "{}", answer.error);
}

#[test]
fn programs_are_told_which_repair_is_for_which_problem() {
    let (home, _, _) = store();
    let answer = annals_exits(&home, &["check", ID, "--json"], 3);
    let value = Value::parse(answer.out.as_bytes()).unwrap();
    let session = value.get("sessions").unwrap().items().next().unwrap();
    let repair_of = |kind: &str| {
        let problems = session.get("problems").unwrap().items();
        let is_kind = |problem: &Value<'_>| problem.get("kind").unwrap().text().unwrap().is(kind);
        let found = problems.into_iter().find(is_kind).unwrap_or_else(|| panic!("no {kind}"));
        found.get("repair").unwrap().text().map(|text| text.to_string())
    };
    assert_eq!(repair_of("torn-line").as_deref(), Some("lines"));
    assert_eq!(repair_of("dangling-parent").as_deref(), Some("dangling-parent"));
    assert_eq!(repair_of("unanswered-tool-use").as_deref(), Some("unanswered-tool-use"));
    let answer = annals_exits(&home, &["repair", ID, "--yes", "--json"], 0);
    keep_schema("change", &[&answer.bytes], "repair --json");
}

#[test]
fn the_files_of_sub_agents_are_mended_too_unless_they_are_to_be_left() {
    let home = Home::new();
    let bytes = Session::new().prompt("one").reply("two").into_bytes();
    home.write(format!("projects/-p/{ID}.jsonl"), bytes);
    let said = Session::new().sub_agent("a1b2c3d4e5f60718").prompt("look").reply("seen").into_bytes();
    let torn = [said.as_slice(), b"{\"type\":\"user\",\"uuid\":\"x\n"].concat();
    let path = home.write(format!("projects/-p/{ID}/subagents/agent-a1b2c3d4e5f60718.jsonl"), &torn);
    let left = annals_exits(&home, &["repair", ID, "--no-agents", "--yes"], 0);
    expect(&left.out, "nothing to do\n[EOF]");
    let preview = annals_exits(&home, &["repair", ID, "--dry-run"], 0);
    let expected = format!(
        "\
{}
  - line 3: torn-line: the line has no complete record
1 line removed, 0 changed, 0 new; 1.0 KB → 1.0 KB
would repair {ID}
[EOF]",
        path.display()
    );
    expect(&preview.out, &expected);
    annals_exits(&home, &["repair", ID, "--yes"], 0);
    assert_eq!(fs::read(&path).unwrap(), said);
    annals_exits(&home, &["undo", "--yes"], 0);
    assert_eq!(fs::read(&path).unwrap(), torn);
}

#[test]
fn programs_are_told_what_clients_will_send_and_what_was_left() {
    let (home, path, _) = store();
    let again = Session::new().prompt("one").reply("first").parent(None).prompt("one").reply("second");
    let other = "5e550000-0000-4000-8000-000000000001";
    home.write(format!("projects/-p/{other}.jsonl"), again.id(other).into_bytes());
    let answer = annals_exits(&home, &["repair", &path, "--dry-run", "--json"], 0);
    let value = Value::parse(answer.out.as_bytes()).unwrap();
    let newest = value.get("clients").unwrap().items().last().unwrap();
    let count = |key: &str| newest.get(key).and_then(Value::count);
    assert_eq!((count("messagesBefore"), count("messagesAfter")), (Some(4), Some(6)));
    let answer = annals_exits(&home, &["repair", other, "--json", "--yes"], 0);
    let value = Value::parse(answer.out.as_bytes()).unwrap();
    let note = value.get("notes").unwrap().items().next().unwrap().text().unwrap().to_string();
    assert!(note.contains("started over"), "{note}");
    keep_schema("change", &[&answer.bytes], "repair --json");
}
