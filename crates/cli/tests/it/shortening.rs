//! `annals strip` and `annals compress`: what they show, do and say; how it comes back; what they refuse.

use std::fs;
use std::path::PathBuf;

use annals_testkit::builder::Session;
use annals_testkit::home::Home;

use crate::schemas::keep_schema;
use crate::{annals_exits, expect};

const ID: &str = "3f2a0000-1111-4222-8333-444444444444";

fn home() -> (Home, PathBuf) {
    let home = Home::new();
    let session = Session::new()
        .id(ID)
        .prompt("look")
        .response(|response| response.thinking("ls will do").tool_use("Bash", r#"{"command":"ls"}"#))
        .tool_result("README.md")
        .reply("One file.")
        .prompt("and now?")
        .reply("Nothing.")
        .into_bytes();
    let path = home.write(format!("projects/-p/{ID}.jsonl"), session);
    (home, path)
}

/// Without the id of the change, which is new each time.
fn without_undo(out: &str) -> String {
    let line = |line: &str| match line.split_once("annals undo ") {
        Some((before, _)) => format!("{before}annals undo ID\n"),
        None => format!("{line}\n"),
    };
    out.lines().map(line).collect()
}

#[test]
fn strip_shows_does_and_comes_back() {
    let (home, path) = home();
    let before = fs::read(&path).unwrap();
    let shown = annals_exits(&home, &["strip", "3f2a", "--tools", "all", "--thinking", "--dry-run"], 0).out;
    expect(&shown.replace(&path.display().to_string(), "FILE"), STRIP_SHOWN);
    assert_eq!(fs::read(&path).unwrap(), before);
    let done = annals_exits(&home, &["strip", "3f2a", "--tools", "all", "--thinking", "--yes"], 0).out;
    expect(&without_undo(&done), STRIP_DONE);
    let after = fs::read_to_string(&path).unwrap();
    assert!(
        !after.contains("tool_use") && !after.contains("thinking") && after.contains("One file."),
        "{after}"
    );
    annals_exits(&home, &["undo", "--yes"], 0);
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn compress_shows_does_and_comes_back() {
    let (home, path) = home();
    let before = fs::read(&path).unwrap();
    let shown = annals_exits(&home, &["compress", "3f2a", "--keep-turns", "1", "--dry-run"], 0).out;
    expect(&shown.replace(&path.display().to_string(), "FILE"), COMPRESS_SHOWN);
    let done = annals_exits(&home, &["compress", "3f2a", "--keep-turns", "1", "--yes"], 0).out;
    expect(&without_undo(&done), COMPRESS_DONE);
    annals_exits(&home, &["check", "3f2a"], 0);
    annals_exits(&home, &["undo", "--yes"], 0);
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn the_answers_for_programs_keep_their_schema() {
    for command in [
        &["strip", "3f2a", "--tools", "Bash", "--keep-calls", "--thinking"][..],
        &["compress", "3f2a", "--keep-turns", "1"],
    ] {
        for care in ["--dry-run", "--yes"] {
            let (home, _) = home();
            let answer = annals_exits(&home, &[command, &["--json", care]].concat(), 0);
            assert!(answer.out.contains("\"usageIsOff\":true"), "{}", answer.out);
            assert_eq!(answer.out.contains("\"undo\""), care == "--yes");
            keep_schema("change", &[answer.out.trim_end().as_bytes()], command[0]);
        }
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let (home, path) = home();
    let before = fs::read(&path).unwrap();
    let refuse = |arguments: &[&str], code: i32, words: &str| {
        let answer = annals_exits(&home, arguments, code);
        assert!(answer.error.contains(words), "{}", answer.error);
    };
    refuse(&["strip", "3f2a"], 2, "nothing was named that should go");
    refuse(&["strip", "3f2a", "--keep-calls"], 2, "--tools");
    refuse(&["strip", "3f2a", "--thinking", "--oldest-percent", "101"], 2, "1..=100");
    refuse(&["strip", "3f2a", "--tools", "Bash,Glob"], 1, "never calls a tool Glob\n  it calls Bash");
    refuse(&["strip", "3f2a", "--images"], 1, "there is nothing of that in the session");
    refuse(&["strip", "3f2a", "--thinking", "--older-than-turns", "2"], 1, "older than the last 2");
    refuse(&["compress", "3f2a"], 1, "it has 2 turns");
    refuse(&["compress", "3f2a", "--keep-turns", "0"], 2, "--keep-turns");
    refuse(&["compress", "nothing-such"], 1, "");
    assert_eq!(fs::read(&path).unwrap(), before);
}

const STRIP_SHOWN: &str = "FILE
  - line 2: thinking
  - line 3: call of Bash
  - line 4: result of Bash
  ~ line 5: it pointed at a line that goes
3 lines removed, 1 changed, 0 new; 3.9 KB → 2.0 KB
  2.0.76   6 messages → 4 messages, about 141 → 62 tokens
  2.1.112  6 messages → 4 messages, about 141 → 62 tokens
  2.1.325  6 messages → 4 messages, about 141 → 62 tokens
usage stays as it was counted: it no longer says what a request would cost
would do: 3f2a0000-1111-4222-8333-444444444444 is stripped: 3.9 KB → 2.0 KB
[EOF]";
const STRIP_DONE: &str = "3f2a0000-1111-4222-8333-444444444444 is stripped: 3.9 KB → 2.0 KB
  take it back: annals undo ID
  usage stays as it was counted: it no longer says what a request would cost
[EOF]";
const COMPRESS_SHOWN: &str = "FILE
  + line 5: what is summed up ends here
  + line 5: the summary
  ~ line 6: it follows the summary
0 lines removed, 1 changed, 2 new; 3.9 KB → 5.1 KB
  2.0.76   6 messages → 2 messages, about 141 → 114 tokens
  2.1.112  6 messages → 2 messages, about 141 → 114 tokens
  2.1.325  6 messages → 2 messages, about 141 → 114 tokens
usage stays as it was counted: it no longer says what a request would cost
would do: 3f2a0000-1111-4222-8333-444444444444 goes on from a summary and 1 turn
[EOF]";
const COMPRESS_DONE: &str = "3f2a0000-1111-4222-8333-444444444444 goes on from a summary and 1 turn
  take it back: annals undo ID
  usage stays as it was counted: it no longer says what a request would cost
[EOF]";
