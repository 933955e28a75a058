//! A session with one very long line: a command holds the line once, and what it makes of it at most once more.
//!
//! Each command runs over a short line and over a long one; what the second takes more, at its peak, is compared with the
//! length of the line.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use annals_testkit::builder::Session;
use annals_testkit::home::Home;

const ID: &str = "3f2a0000-1111-4222-8333-444444444444";

/// The bytes of the long line.
const LONG: usize = 12_000_000;

/// Text as it is in code and in logs: full of escapes, which are shorter once they are read.
const ESCAPES: &str = "fn main() {\n\t\"a\\b\" // é\n}\n";

fn write_session(home: &Home, bytes: usize) -> PathBuf {
    let text = ESCAPES.repeat(bytes / 40);
    let session = Session::new().id(ID).folder("/w").prompt("short").reply("yes").prompt(&text).reply("done");
    home.write(format!("projects/-w/{ID}.jsonl"), session.into_bytes())
}

/// Runs a command to its end, and returns its exit code and the most memory that it had.
fn peak(home: &Home, arguments: &[&str]) -> (Option<i32>, u64) {
    let mut command = home.command(env!("CARGO_BIN_EXE_annals"));
    // What is freed goes back at once, so that the peak is what is in use.
    command.env("MALLOC_MMAP_THRESHOLD_", "65536").env("MALLOC_TRIM_THRESHOLD_", "65536");
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    loop {
        if let Ok(text) = fs::read_to_string(&status)
            && let Some(line) = text.lines().find(|line| line.starts_with("VmHWM:"))
        {
            let digits: String = line.chars().filter(char::is_ascii_digit).collect();
            most = most.max(digits.parse::<u64>().unwrap() * 1024);
        }
        if let Some(ended) = child.try_wait().unwrap() {
            return (ended.code(), most);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Checks how often a command holds the line, at most.
fn check(arguments: &[&str], expected_code: i32, limit: f64) {
    check_of(arguments, expected_code, limit, "prompt", &write_session);
}

fn check_of(
    arguments: &[&str],
    expected_code: i32,
    limit: f64,
    kind: &str,
    write: &dyn Fn(&Home, usize) -> PathBuf,
) {
    let home = Home::new();
    let run = |bytes: usize| {
        let path = write(&home, bytes);
        let length = fs::metadata(&path).unwrap().len();
        let (code, most) = peak(&home, arguments);
        assert_eq!(code, Some(expected_code), "{arguments:?}");
        // A copy of the session would be found as well.
        fs::remove_dir_all(home.config_dir().join("projects")).unwrap();
        (length, most)
    };
    let share = || {
        // A command that ends soon may end before its peak was seen.
        let least = (0..4).map(|_| run(10_000).1).max().unwrap();
        let (length, most) = run(LONG);
        most.saturating_sub(least) as f64 / length as f64
    };
    // How many pages of the program itself are in memory differs from run to run; what it allocates does not.
    let mut shares = Vec::new();
    while shares.len() < 3 && shares.last().is_none_or(|share| *share > limit) {
        shares.push(share());
    }
    let enough = shares.last().is_some_and(|share| *share <= limit);
    assert!(enough, "{arguments:?} takes {shares:.2?} times the line of a {kind}, not {limit}");
}

#[test]
fn checks_and_repairs_hold_a_long_line_once() {
    check(&["check", ID], 0, 1.3);
    check(&["repair", ID, "--dry-run"], 0, 1.3);
}

#[test]
fn a_search_for_secrets_holds_a_long_line_and_its_text() {
    check(&["redact", ID, "--scan"], 0, 2.6);
}

#[test]
fn markdown_holds_a_long_line_and_its_text() {
    check(&["show", ID, "--as", "markdown"], 0, 2.2);
}

#[test]
fn messages_hold_a_long_line_and_its_content() {
    check(&["show", ID, "--as", "messages"], 0, 2.3);
    check(&["show", ID, "--as", "api"], 0, 2.3);
}

#[test]
fn a_conversation_holds_a_long_line_and_its_text() {
    check(&["show", ID], 0, 2.5);
    check(&["show", ID, "--full"], 0, 2.5);
}

type SessionMaker<'m> = &'m dyn Fn(&str) -> Session;

/// Wherever the long text stands, its lines are drawn one by one.
#[test]
fn a_full_conversation_holds_replies_thoughts_calls_and_results_once() {
    let tool = |name: &str, input: &str, result: &str| {
        Session::new().id(ID).prompt("short").tool_use(name, input).tool_result(result).reply("done")
    };
    let string = |text: &str| {
        let mut json = Vec::new();
        annals_json::write_string(&mut json, text);
        String::from_utf8(json).unwrap()
    };
    let kinds: [(&str, SessionMaker<'_>); 4] = [
        ("reply", &|text| Session::new().id(ID).prompt("short").reply(text)),
        ("result", &|text| tool("Bash", r#"{"command":"ls"}"#, text)),
        ("command", &|text| tool("Bash", &format!(r#"{{"command":{}}}"#, string(text)), "ok")),
        ("file", &|text| tool("Write", &format!(r#"{{"file_path":"/a","content":{}}}"#, string(text)), "ok")),
    ];
    for (kind, session) in kinds {
        let texts = if kind == "reply" { &[ESCAPES, "words without an end "][..] } else { &[ESCAPES] };
        for text in texts {
            let write = |home: &Home, bytes: usize| {
                let session = session(&text.repeat(bytes / 40));
                home.write(format!("projects/-w/{ID}.jsonl"), session.into_bytes())
            };
            check_of(&["show", ID, "--full"], 0, 3.5, kind, &write);
        }
    }
}

#[test]
fn streams_hold_a_long_line_once() {
    check(&["show", ID, "--as", "records"], 0, 1.3);
    check(&["show", ID, "--as", "raw"], 0, 1.3);
}

#[test]
fn copies_hold_a_long_line_and_its_copy() {
    check(&["clone", ID, "--yes"], 0, 2.3);
    check(&["fork", ID, "--yes"], 0, 3.3);
}

#[test]
fn what_is_sent_holds_a_long_line_and_its_text() {
    check(&["collect", "--to", "-"], 0, 2.5);
}
