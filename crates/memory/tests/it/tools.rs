//! What each tool finds, and how it goes on.

use annals_memory::{ToolGroup, brief};
use annals_testkit::builder::Session;
use annals_testkit::home::Home;

use crate::support::{TestServer, memory};

const SESSION: &str = "aaaaaaaa-0000-4000-8000-000000000001";
const OTHER: &str = "aaaaaaaa-0000-4000-8000-000000000002";

fn home() -> Home {
    let home = Home::new();
    let mut long = Session::new().id(SESSION).folder("/work/zoo");
    for number in 0..40 {
        long = long.prompt(&format!("feed animal {number}")).reply(&format!("animal {number} was fed"));
    }
    let long = long
        .prompt("Why is the cage open?")
        .reply("The lock is rusty, so I replace it.")
        .tool_use("Edit", r#"{"file_path":"/work/zoo/src/lock.rs","old_string":"rust","new_string":"steel"}"#)
        .tool_result("done")
        .compaction("Animals were fed.")
        .prompt("after the compaction")
        .into_bytes();
    home.write(format!("projects/-work-zoo/{SESSION}.jsonl"), long);
    let other = Session::new().id(OTHER).folder("/work/farm").prompt("the tractor and the cage").into_bytes();
    home.write(format!("projects/-work-farm/{OTHER}.jsonl"), other);
    home
}

#[test]
fn the_current_project_comes_first_and_others_on_request() {
    let home = home();
    let mut server = TestServer::new(&home, Some("/work/zoo"), None);
    let own = server.call("search_sessions", r#"{"query":"cage"}"#);
    assert!(own.contains(SESSION) && !own.contains(OTHER), "{own}");
    let all = server.call("search_sessions", r#"{"query":"cage","project":"all"}"#);
    assert!(all.contains(SESSION) && all.contains(OTHER), "{all}");
    let farm = server.call("search_sessions", r#"{"query":"cage","project":"farm"}"#);
    assert!(!farm.contains(SESSION) && farm.contains(OTHER), "{farm}");
    let elsewhere = server.call("search_sessions", r#"{"query":"tractor"}"#);
    assert!(elsewhere.contains("nothing in project /work/zoo") && elsewhere.contains(OTHER), "{elsewhere}");
}

#[test]
fn the_session_that_asks_is_not_its_own_past() {
    let home = home();
    let mut server = TestServer::new(&home, Some("/work/zoo"), Some(SESSION));
    assert!(!server.call("search_sessions", r#"{"query":"cage"}"#).contains(SESSION));
    assert!(!server.call("search_sessions", "{}").contains(SESSION));
    assert!(server.call("search_sessions", r#"{"query":"cage","session":"current"}"#).contains("cage open"));
}

#[test]
fn fewer_words_are_used_if_no_message_has_all() {
    let home = home();
    let mut server = TestServer::new(&home, Some("/work/zoo"), None);
    let found =
        server.call("search_sessions", r#"{"query":"why was the rusty lock of the elephant replaced"}"#);
    assert!(found.contains("The lock is rusty") && found.contains("searched for: "), "{found}");
}

#[test]
fn cursors_read_everything_once_and_in_order() {
    let home = home();
    let mut server = TestServer::new(&home, Some("/work/zoo"), None);
    let mut arguments = format!(r#"{{"session":"{SESSION}","max_tokens":300}}"#);
    let mut seen = Vec::new();
    for _ in 0..60 {
        let text = server.call("read_session", &arguments);
        seen.extend(text.lines().filter_map(|line| line.strip_prefix("| feed animal ")).map(str::to_owned));
        let Some(cursor) = text.split("call again with cursor \"").nth(1) else { break };
        let cursor = cursor.split('"').next().unwrap();
        arguments = format!(r#"{{"session":"{SESSION}","max_tokens":300,"cursor":"{cursor}"}}"#);
    }
    let all: Vec<String> = (0..40).map(|number| number.to_string()).collect();
    // The first prompt is also the title.
    seen.retain(|one| all.contains(one));
    assert_eq!(seen, all);
}

#[test]
fn a_long_message_is_read_on_by_its_cursor() {
    let home = Home::new();
    let text = (0..3000).map(|number| format!("word{number}")).collect::<Vec<_>>().join(" ");
    let bytes = Session::new().id(SESSION).folder("/work/zoo").prompt(&text).into_bytes();
    home.write(format!("projects/-work-zoo/{SESSION}.jsonl"), bytes);
    let mut server = TestServer::new(&home, None, None);
    let mut read = String::new();
    let mut arguments = format!(r#"{{"session":"{SESSION}"}}"#);
    for _ in 0..40 {
        let page = server.call("read_session", &arguments);
        let quoted = page.split(" · user").last().unwrap();
        read.extend(quoted.lines().filter_map(|line| line.strip_prefix("| ")));
        let Some(rest) = page.split("the rest: cursor \"").nth(1) else { break };
        arguments = format!(r#"{{"session":"{SESSION}","cursor":"{}"}}"#, rest.split('"').next().unwrap());
    }
    assert_eq!(read, text);
}

#[test]
fn a_line_is_read_with_what_is_before_it() {
    let home = home();
    let mut server = TestServer::new(&home, None, None);
    let text =
        server.call("read_session", &format!(r#"{{"session":"{SESSION}","around":"41","max_tokens":300}}"#));
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("] line ")).collect();
    assert!(lines[0].contains("line 39") && lines[2].contains("line 41"), "{text}");
    let (wrong, is_error) = server.answer("read_session", r#"{"session":"nothing"}"#);
    assert!(is_error && wrong.contains("no session"), "{wrong}");
}

#[test]
fn a_change_is_told_with_its_reason() {
    let home = home();
    let mut server = TestServer::new(&home, Some("/work/zoo"), None);
    let text = server.call("file_history", r#"{"path":"src/lock.rs"}"#);
    for part in ["1 changes", "asked: Why is the cage open?", "said: The lock is rusty", "rust\n| steel"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(server.call("file_history", r#"{"path":"ock.rs"}"#).starts_with("0 changes"));
}

#[test]
fn what_a_compaction_replaced_is_read_backwards() {
    let home = home();
    let mut server = TestServer::new(&home, Some("/work/zoo"), Some(SESSION));
    let text = server.call("before_compaction", r#"{"max_tokens":300}"#);
    assert!(text.contains("The lock is rusty") && !text.contains("after the compaction"), "{text}");
    let cursor =
        text.split("further back: call again with cursor \"").nth(1).unwrap().split('"').next().unwrap();
    let before = server.call("before_compaction", &format!(r#"{{"max_tokens":300,"cursor":"{cursor}"}}"#));
    // It goes on where the other began, and no message is there twice.
    let last = format!("] line {} · ", cursor.parse::<u64>().unwrap() - 1);
    assert!(before.contains(&last) && !text.contains(&last), "{before}");
    assert!(before.contains(" was fed") && !before.contains("The lock is rusty"), "{before}");
    let never = server.call("before_compaction", &format!(r#"{{"session":"{OTHER}"}}"#));
    assert!(never.contains("never compacted"), "{never}");
}

#[test]
fn sessions_change_only_if_that_is_allowed() {
    let home = home();
    let mut server = TestServer::with(memory(&home, None, None), &[ToolGroup::Changes]);
    let arguments = format!(r#"{{"session":"{OTHER}","title":"Farm"}}"#);
    assert_eq!(server.call("rename_session", &arguments), "Done.");
    let (why, is_error) = server.answer("tag_session", &format!(r#"{{"session":"{OTHER}","tag":"a\nb"}}"#));
    assert!(is_error && why.contains("one line"), "{why}");
    let names = annals_memory::tool_names(&[]);
    assert!(names.len() == 7 && !names.contains(&"rename_session"), "{names:?}");
}

#[test]
fn a_brief_names_recent_work_of_this_project_within_its_budget() {
    let home = home();
    let text = brief(&mut memory(&home, Some("/work/zoo"), None), 300).unwrap().unwrap();
    assert!(text.contains(SESSION) && !text.contains(OTHER), "{text}");
    assert!(annals_memory::estimated_tokens(&text) <= 300);
    assert_eq!(brief(&mut memory(&home, Some("/work/none"), None), 300).unwrap(), None);
    assert_eq!(brief(&mut memory(&home, Some("/work/zoo"), Some(SESSION)), 300).unwrap(), None);
}
