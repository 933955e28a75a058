//! `annals todos set`: written files, output and errors; `annals todos` still works.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;

use annals_json::Value;
use annals_testkit::builder::Session;
use annals_testkit::home::{CommandOutput, Home};

use crate::schemas::keep_schema;
use crate::{annals_exits, expect};

const ID: &str = "3f2a0000-1111-4222-8333-444444444444";

fn home() -> (Home, PathBuf) {
    let home = Home::new();
    home.write(format!("projects/-p/{ID}.jsonl"), Session::new().id(ID).prompt("hi").into_bytes());
    let list = home.config_dir().join(format!("todos/{ID}-agent-{ID}.json"));
    (home, list)
}

/// Runs `annals todos set` with this on standard input.
fn set(home: &Home, arguments: &[&str], input: &str, code: i32) -> CommandOutput {
    let mut command = home.command(env!("CARGO_BIN_EXE_annals"));
    command.args(["todos", "set"]).args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program that refuses its arguments never reads: its pipe may be gone.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let answer = CommandOutput::from(child.wait_with_output().unwrap());
    assert_eq!(answer.code, Some(code), "{arguments:?}\n{}{}", answer.out, answer.error);
    answer
}

#[test]
fn a_list_is_set_and_shown() {
    let (home, list) = home();
    let items = r#"["write it",{"content":"plan it","status":"completed","mine":[ 1.0 ]}]"#;
    let answer = set(&home, &["3f2a"], items, 0);
    let expected = "[\n  {\n    \"content\": \"write it\",\n    \"status\": \"pending\"\n  },\n  {\n    \"content\": \"plan it\",\n    \"status\": \"completed\",\n    \"mine\": [ 1.0 ]\n  }\n]";
    assert_eq!(fs::read_to_string(&list).unwrap(), expected);
    let shown = format!("hi  {ID}  todos\n  [ ] write it\n  [x] plan it\n");
    let (said, undo) = answer.out.rsplit_once(' ').unwrap();
    let expected = format!("{shown}{}: 2 items\n  to revert: annals undo[EOF]", list.display());
    expect(said, &expected);
    assert!(undo.trim().starts_with("20"), "{undo}");
    expect(&annals_exits(&home, &["todos", ID], 0).out, &format!("{shown}[EOF]"));
    expect(&annals_exits(&home, &["todos"], 0).out, &format!("{shown}[EOF]"));
    assert!(
        annals_exits(&home, &["todos", "--all", "--json"], 0)
            .out
            .starts_with(r#"{"lists":[{"session":"3f2a"#)
    );
}

#[test]
fn the_answer_for_programs_keeps_its_schema() {
    let (home, list) = home();
    set(&home, &[ID], "[\"a\"]", 0);
    let before = fs::metadata(&list).unwrap().len();
    let answer = set(&home, &["last", "--json"], "[]", 0);
    keep_schema("change", &[answer.out.trim_end().as_bytes()], "todos set last --json");
    let value = Value::parse(answer.out.as_bytes()).unwrap();
    assert!(value.get("session").unwrap().text().unwrap().is(ID));
    assert!(value.get("file").unwrap().text().unwrap().is(list.to_str().unwrap()));
    let number = |key: &str| value.get(key).unwrap().count().unwrap();
    assert_eq!((number("bytesBefore"), number("bytesAfter")), (before, 2));
    assert_eq!(fs::read(&list).unwrap(), b"[]");
}

#[test]
fn the_list_of_a_sub_agent_and_items_from_a_file() {
    let (home, list) = home();
    let items = home.path().join("items.json");
    fs::write(&items, r#"["a"]"#).unwrap();
    let arguments = ["todos", "set", ID, "--agent", "a7f", "--file", items.to_str().unwrap()];
    let answer = annals_exits(&home, &arguments, 0);
    assert!(answer.out.contains(&format!("hi  {ID}  todos of sub-agent a7f\n  [ ] a\n")), "{}", answer.out);
    assert!(home.config_dir().join(format!("todos/{ID}-agent-a7f.json")).is_file() && !list.exists());
}

#[test]
fn what_is_refused_is_said_and_changes_nothing() {
    let (home, list) = home();
    set(&home, &[ID], "[\"old\"]", 0);
    let before = fs::read(&list).unwrap();
    let refused = |arguments: &[&str], input: &str, code: i32, said: &str| {
        let answer = set(&home, arguments, input, code);
        let first = answer.error.lines().next().unwrap_or_default();
        assert!(first.starts_with(&format!("annals: {said}")), "{}", answer.error);
        assert_eq!(answer.out, "");
    };
    refused(&[ID], "[", 2, "standard input: byte 1: not JSON");
    refused(&[ID], "{}", 2, "standard input: not a list of items");
    let second = r#"["a",{"content":"b","status":"done"}]"#;
    refused(&[ID], second, 2, "standard input: item 2: `status` is \"done\", but must be pending");
    refused(&[ID, "--agent", "../x"], "[]", 2, "\"../x\" is not valid as the id of an agent");
    refused(&["zzzz"], "[]", 1, "no session has the id or title");
    let gone = home.path().join("gone.json").display().to_string();
    refused(&[ID, "--file", &gone], "", 2, &format!("{gone}: no such file"));
    let elsewhere = home.path().join("other.jsonl");
    fs::write(&elsewhere, "").unwrap();
    let elsewhere = elsewhere.display().to_string();
    refused(&[&elsewhere], "[]", 2, &format!("{elsewhere}: not a session of "));
    let agent = home.write("projects/-p/agent-a1.jsonl", "{}\n").display().to_string();
    refused(&[&agent], "[]", 2, &format!("{agent}: the file of a sub-agent"));
    assert_eq!(fs::read(&list).unwrap(), before);
    assert_eq!(fs::read_dir(home.config_dir().join("todos")).unwrap().count(), 1);
}

#[test]
fn a_session_and_set_do_not_mix() {
    let (home, _) = home();
    annals_exits(&home, &["todos", "set"], 2);
    annals_exits(&home, &["todos", "--all", "set", ID], 2);
    annals_exits(&home, &["todos", ID, "--all"], 1);
}
