//! Plain output of lists.

use annals_index::Index;
use annals_store::lock::FileLock;
use annals_store::{DataDir, Store};
use annals_testkit::builder::Session;
use annals_testkit::home::Home;

use crate::{annals_exits, expect};

const ID: &str = "3f2a0000-1111-4222-8333-444444444444";

/// A small session with a tool call, in a home of its own.
fn home() -> Home {
    let home = Home::new();
    let session = Session::new()
        .id(ID)
        .prompt("What is in this folder?")
        .tool_use("Bash", r#"{"command":"ls -l","description":"List files"}"#)
        .tool_result("total 0")
        .reply("Nothing at all.")
        .prompt("Thank you");
    let path = home.write(format!("projects/-home-ada-shop/{ID}.jsonl"), session.into_bytes());
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_millis(1_767_455_098_000);
    std::fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
    home
}

#[test]
fn sessions_tools_and_turns_as_tables() {
    let home = home();
    let out = annals_exits(&home, &["ls"], 0).out;
    let mut lines = out.lines();
    assert_eq!(lines.next(), Some("session   active              size  project  title"));
    let row = lines.next().unwrap();
    assert!(row.starts_with("3f2a0000  2026-06-01 00:00  "), "{row}");
    assert!(row.ends_with("What is in this folder?"), "{row}");
    expect(
        &annals_exits(&home, &["show", "3f2a", "--as", "tools"], 0).out,
        "line  tool   took  result  input\n   2  Bash  1.0 s  ok      ls -l\n\n1 call, 0 failed, 0 unanswered\n[EOF]",
    );
    let turns = annals_exits(&home, &["show", "3f2a", "--as", "turns"], 0).out;
    assert_eq!(turns.lines().count(), 3, "{turns}");
    assert!(turns.contains("What is in this folder?") && turns.contains("Thank you"));
}

#[test]
fn filters_select() {
    let home = home();
    annals_exits(&home, &["ls", "--project", "shop"], 0);
    annals_exits(&home, &["ls", "--project", "elsewhere"], 1);
    annals_exits(&home, &["ls", "--since", "2026-06-01", "--until", "2026-06"], 0);
    annals_exits(&home, &["ls", "--since", "2026-06-02"], 1);
    annals_exits(&home, &["ls", "--model", "no-such-model"], 1);
}

#[test]
fn completions_and_manual_are_there() {
    let home = Home::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(annals_exits(&home, &["completions", shell], 0).out.contains("annals"), "{shell}");
    }
    let page = annals_exits(&home, &["man"], 0).out;
    assert!(page.starts_with(".ie") || page.contains(".TH annals"), "{}", &page[..200]);
    for command in ["show", "check", "demo"] {
        assert!(page.contains(&format!(".SS annals {command}")), "{command}");
    }
    assert!(annals_exits(&home, &["show", "--help"], 0).out.contains("Examples:"));
}

#[test]
fn what_the_index_tells_is_what_a_pass_over_the_files_tells() {
    let home = Home::new();
    home.fill(&annals_demo::Plan { sessions: Some(30), ..annals_demo::Plan::default() });
    let questions: [&[&str]; 6] = [
        &[],
        &["--json"],
        &["ls", "--long", "--limit", "12"],
        &["ls", "--long", "--limit", "12", "--sort", "cost"],
        &["ls", "--long", "--limit", "12", "--sort", "tokens"],
        &["ls", "--long", "--limit", "12", "--sort", "size", "--project", "lantern"],
    ];
    // A line that is still being written, or was when the power failed.
    let torn =
        home.write("projects/-w/70270000-0000-4000-8000-000000000000.jsonl", "{\"type\":\"user\",\"mess");
    let ask = || questions.map(|question| annals_exits(&home, question, 0).out);
    let of_files = ask();
    assert!(torn.exists() && of_files[1].contains("\"damagedFiles\":2"), "{}", of_files[1]);
    assert!(!home.data_dir().join("index").exists(), "a glance makes no index");
    annals_exits(&home, &["index"], 0);
    for (question, (of_files, of_index)) in questions.iter().zip(of_files.iter().zip(ask())) {
        assert_eq!(of_files, &of_index, "{question:?}");
    }
    // What comes later is told, too.
    let id = "5e551011-0000-4000-8000-000000000000";
    let session = Session::new().id(id).folder("/w").prompt("something new").reply("yes").into_bytes();
    home.write(format!("projects/-w/{id}.jsonl"), session);
    let newest = annals_exits(&home, &["ls", "--long", "--limit", "40"], 0).out;
    assert!(newest.contains("5e551011"), "{newest}");
}

#[test]
fn copies_of_a_session_have_their_own_numbers() {
    let home = Home::new();
    let id = "c0b1e500-0000-4000-8000-000000000000";
    let session = Session::new().id(id).folder("/w").prompt("one").reply("1");
    home.write(format!("projects/-w/{id}.jsonl"), session.clone().into_bytes());
    home.write(format!("projects/-v/{id}.jsonl"), session.prompt("two").reply("2").into_bytes());
    let question = ["ls", "--long", "--limit", "5"];
    let of_files = annals_exits(&home, &question, 0).out;
    annals_exits(&home, &["index"], 0);
    assert_eq!(annals_exits(&home, &question, 0).out, of_files);
}

#[test]
fn while_another_brings_the_index_up_to_date_the_files_answer() {
    let home = Home::new();
    home.fill(&annals_demo::Plan { sessions: Some(3), ..annals_demo::Plan::default() });
    annals_exits(&home, &["index"], 0);
    let session = Session::new().id(ID).prompt("something new").reply("yes").into_bytes();
    home.write(format!("projects/-w/{ID}.jsonl"), session);
    let (store, data) = (Store::open(home.config_dir()), DataDir::new(home.data_dir()));
    let lock = FileLock::try_take(&data, &Index::path_of(store.config_dir(), &data)).unwrap();
    assert!(lock.is_some());
    let questions: [&[&str]; 3] =
        [&["--json"], &["ls", "--long", "--limit", "9"], &["usage", "--by", "session"]];
    let busy = questions.map(|question| annals_exits(&home, question, 0).out);
    drop(lock);
    annals_exits(&home, &["index"], 0);
    assert_eq!(busy, questions.map(|question| annals_exits(&home, question, 0).out));
}

#[test]
fn the_history_is_sorted_by_time_and_its_limit_keeps_the_newest() {
    let home = Home::new();
    let line = |text: &str, time: &str| format!("{{\"display\":\"{text}\",{time}\"project\":\"/w\"}}\n");
    let lines = [
        line("third", "\"timestamp\":3000,"),
        line("behind the third", ""),
        line("first", "\"timestamp\":1000,"),
        line("second", "\"timestamp\":2000,"),
    ];
    home.write("history.jsonl", lines.concat());
    let prompts = |arguments: &[&str]| {
        let out = crate::annals_exits(&home, &[&["history", "--json"], arguments].concat(), 0).out;
        let value = annals_json::Value::parse(out.as_bytes()).unwrap();
        let found =
            value.get("prompts").unwrap().items().map(|one| one.get("prompt").unwrap().text().unwrap());
        found.map(|text| text.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(prompts(&[]), ["first", "second", "third", "behind the third"]);
    assert_eq!(prompts(&["--limit", "2"]), ["third", "behind the third"]);
}

#[test]
fn a_long_first_line_has_its_prompt_and_its_project() {
    let home = Home::new();
    let long = "Fix the lamp. ".to_owned() + &"and then some more, ".repeat(100_000);
    let session =
        Session::new().id(ID).folder("/home/ada/the_shop").prompt(&long).reply("Done.").into_bytes();
    home.write(format!("projects/-home-ada-the-shop/{ID}.jsonl"), session);
    for question in [&["ls"][..], &["ls", "--long"], &["usage", "--by", "session", "--no-index"], &[]] {
        let out = annals_exits(&home, question, 0).out;
        assert!(out.contains("Fix the lamp."), "{question:?}\n{out}");
        assert!(!question.starts_with(&["ls"]) || out.contains("the_shop"), "{out}");
    }
}
