//! `annals strip` and `annals compress`: previews, results, undo, and errors.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;

use annals_testkit::api::{Script, ScriptedApi};
use annals_testkit::builder::Session;
use annals_testkit::home::{CommandOutput, Home};

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

/// `compress` by a model of an API that plays this script.
fn by_model(home: &Home, api: &ScriptedApi, more: &[&str]) -> CommandOutput {
    let mut command = home.command(env!("CARGO_BIN_EXE_annals"));
    command.env("ANTHROPIC_API_KEY", "sk-of-the-tests").env("ANTHROPIC_BASE_URL", api.url());
    command.args(["compress", "3f2a", "--keep-turns", "1", "--model", "haiku"]).args(more);
    home.finish(&mut command)
}

#[test]
fn a_model_may_write_the_summary() {
    let (home, path) = home();
    let before = fs::read(&path).unwrap();
    let script = r#"{"look-here":[[{"type":"text","text":"They looked\nand found one file."}]]}"#;
    let api = ScriptedApi::start(Script::parse(script, "/w").unwrap()).unwrap();
    let text = String::from_utf8(before.clone()).unwrap().replace("\"look\"", "\"look @@look-here@@\"");
    fs::write(&path, &text).unwrap();
    let before = text.into_bytes();
    // It is asked for what is shown, and nothing is written.
    let shown = by_model(&home, &api, &["--dry-run"]);
    assert_eq!(shown.code, Some(0), "{}{}", shown.out, shown.error);
    assert!(shown.out.starts_with("They looked\nand found one file.\n\n"), "{}", shown.out);
    assert!(
        shown.out.contains("claude-haiku-5-5 wrote the summary: ") && shown.out.contains(", $0."),
        "{}",
        shown.out
    );
    assert_eq!(fs::read(&path).unwrap(), before);
    // It read what is summed up and not what stays, and no tools came with it.
    let sent = String::from_utf8(api.requests()[0].body.clone()).unwrap();
    for part in ["look @@look-here@@", "[call of Bash: ", "[result: README.md]", "One file."] {
        assert!(sent.contains(part), "{part}: {sent}");
    }
    assert!(!sent.contains("and now?") && !sent.contains(r#""tools""#), "{sent}");
    assert_eq!(api.requests()[0].violations, []);
    let answer = by_model(&home, &api, &["--json", "--yes"]);
    assert_eq!(answer.code, Some(0), "{}{}", answer.out, answer.error);
    keep_schema("change", &[answer.out.trim_end().as_bytes()], "compress");
    assert!(
        answer.out.contains("found one file.") && answer.out.contains("wrote the summary"),
        "{}",
        answer.out
    );
    let after = fs::read_to_string(&path).unwrap();
    assert!(
        after.contains(r"They looked\nand found one file.") && after.contains("isCompactSummary"),
        "{after}"
    );
    annals_exits(&home, &["check", "3f2a"], 0);
    annals_exits(&home, &["undo", "--yes"], 0);
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn where_the_model_fails_nothing_is_written() {
    let (home, path) = home();
    let before = fs::read(&path).unwrap();
    let api = ScriptedApi::start(Script::parse("{}", "/w").unwrap()).unwrap();
    // There is nothing to sum up: nobody is asked.
    let mut command = home.command(env!("CARGO_BIN_EXE_annals"));
    command.env("ANTHROPIC_API_KEY", "sk-of-the-tests").env("ANTHROPIC_BASE_URL", api.url());
    command.args(["compress", "3f2a", "--keep-turns", "2", "--model", "haiku", "--yes"]);
    assert_eq!(home.finish(&mut command).code, Some(1));
    assert!(api.requests().is_empty());
    let without_key =
        annals_exits(&home, &["compress", "3f2a", "--keep-turns", "1", "--model", "haiku", "--yes"], 2);
    assert!(without_key.error.contains("no API key found"), "{}", without_key.error);
    // Somebody who takes the request and hangs up, as often as it is tried.
    let mut command = home.command(env!("CARGO_BIN_EXE_annals"));
    command.env("ANTHROPIC_API_KEY", "sk-of-the-tests").env("ANTHROPIC_BASE_URL", refusing());
    command.args(["compress", "3f2a", "--keep-turns", "1", "--model", "haiku", "--yes"]);
    let failed = home.finish(&mut command);
    assert_eq!(failed.code, Some(74), "{}{}", failed.out, failed.error);
    assert!(failed.error.contains("no summary from claude-haiku-5-5"), "{}", failed.error);
    assert_eq!(fs::read(&path).unwrap(), before);
}

/// An API that says no to everything.
fn refusing() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut taken = [0; 65536];
            let _ = stream.read(&mut taken);
            let body = r#"{"type":"error","error":{"type":"invalid_request_error","message":"no"}}"#;
            let head = "HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\nconnection: close";
            let _ = write!(stream, "{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        }
    });
    url
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
    refuse(&["strip", "3f2a"], 2, "nothing selected to remove");
    refuse(&["strip", "3f2a", "--keep-calls"], 2, "--tools");
    refuse(&["strip", "3f2a", "--thinking", "--oldest-percent", "101"], 2, "1..=100");
    refuse(&["strip", "3f2a", "--tools", "Bash,Glob"], 1, "never calls the tool Glob\n  it calls Bash");
    refuse(&["strip", "3f2a", "--images"], 1, "nothing to remove in the session");
    refuse(&["strip", "3f2a", "--thinking", "--older-than-turns", "2"], 1, "older than the last 2");
    refuse(&["compress", "3f2a"], 1, "nothing to compress: 2 turns");
    refuse(&["compress", "3f2a", "--keep-turns", "0"], 2, "--keep-turns");
    refuse(&["compress", "nothing-such"], 1, "");
    assert_eq!(fs::read(&path).unwrap(), before);
}

const STRIP_SHOWN: &str = "FILE
  - line 2: thinking
  - line 3: call of Bash
  - line 4: result of Bash
  ~ line 5: it referred to a removed line
3 lines removed, 1 changed, 0 new; 3.9 KB → 2.0 KB
  2.0.76   6 messages → 4 messages, about 141 → 62 tokens
  2.1.112  6 messages → 4 messages, about 141 → 62 tokens
  2.1.325  6 messages → 4 messages, about 141 → 62 tokens
recorded usage stays as it was and no longer matches what a request would cost
would strip 3f2a0000-1111-4222-8333-444444444444: 3.9 KB → 2.0 KB
[EOF]";
const STRIP_DONE: &str = "stripped 3f2a0000-1111-4222-8333-444444444444: 3.9 KB → 2.0 KB
  to revert: annals undo ID
  recorded usage stays as it was and no longer matches what a request would cost
[EOF]";
const COMPRESS_SHOWN: &str = "FILE
  + line 5: the summarized part ends here
  + line 5: the summary
  ~ line 6: it follows the summary
0 lines removed, 1 changed, 2 new; 3.9 KB → 5.1 KB
  2.0.76   6 messages → 2 messages, about 141 → 114 tokens
  2.1.112  6 messages → 2 messages, about 141 → 114 tokens
  2.1.325  6 messages → 2 messages, about 141 → 114 tokens
recorded usage stays as it was and no longer matches what a request would cost
would compress 3f2a0000-1111-4222-8333-444444444444 to a summary and 1 turn
[EOF]";
const COMPRESS_DONE: &str = "compressed 3f2a0000-1111-4222-8333-444444444444 to a summary and 1 turn
  to revert: annals undo ID
  recorded usage stays as it was and no longer matches what a request would cost
[EOF]";
