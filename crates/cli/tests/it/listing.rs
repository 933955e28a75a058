//! Plain output of lists.

use annals_index::Index;
use annals_store::lock::FileLock;
use annals_store::{DataDir, Store};
use annals_testkit::builder::Session;
use annals_testkit::home::Home;

use crate::{annals, annals_exits, expect};

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
    let heads: Vec<&str> = lines.next().unwrap().split_whitespace().collect();
    assert_eq!(heads, ["session", "active", "age", "size", "branch", "project", "title"]);
    let row = lines.next().unwrap();
    assert!(row.starts_with(&format!("{ID}  2026-06-01 00:00  ")), "{row}");
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
    let questions: [&[&str]; 7] = [
        &[],
        &["--json"],
        &["ls", "--json", "--limit", "12"],
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

#[test]
fn ids_are_as_long_as_they_must_be_and_a_fork_names_its_origin() {
    let home = Home::new();
    let talk = |id: &str| Session::new().id(id).folder("/w").prompt("The same title").reply("yes");
    let (one, fork) = ("images-inline", "images-input");
    home.write(format!("projects/-w/{one}.jsonl"), talk(one).into_bytes());
    let copied = String::from_utf8(talk(fork).into_bytes()).unwrap();
    let origin =
        format!("\"forkedFrom\":{{\"sessionId\":\"{one}\",\"messageUuid\":\"x\"}},\"type\":\"user\"");
    home.write(format!("projects/-w/{fork}.jsonl"), copied.replacen("\"type\":\"user\"", &origin, 1));
    let mut command = home.command(env!("CARGO_BIN_EXE_annals"));
    let narrow = home.finish(command.args(["ls"]).env("COLUMNS", "80")).out;
    let ids: Vec<&str> = narrow.lines().skip(1).map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(ids, ["images-inl", "images-inp"], "{narrow}");
    for id in ids {
        annals_exits(&home, &["show", id], 0);
    }
    assert!(narrow.contains("[fork of images-inl] The same title"), "{narrow}");
    let piped = annals_exits(&home, &["ls"], 0).out;
    assert!(
        piped.contains("\nimages-input  ") && piped.contains("[fork of images-inline] The same"),
        "{piped}"
    );
    let json = annals_exits(&home, &["ls", "--json"], 0).out;
    assert!(json.contains(r#""forkedFrom":"images-inline""#), "{json}");
    let long = home
        .finish(home.command(env!("CARGO_BIN_EXE_annals")).args(["ls", "--long"]).env("COLUMNS", "80"))
        .out;
    assert!(long.contains("\nimages-inline  "), "{long}");
}

/// Sets how many days ago a file was written.
fn age(path: &std::path::Path, days: u64) {
    let time = std::time::SystemTime::now() - std::time::Duration::from_secs(days * 24 * 3600);
    std::fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

#[test]
fn who_is_about_to_lose_sessions_is_warned_until_they_are_archived() {
    let home = Home::new();
    let path = |id: u32| format!("projects/-w/{id}0000000-1111-4222-8333-444444444444.jsonl");
    for (id, days) in [(1, 24), (2, 40), (3, 2)] {
        let talk = Session::new().id(&path(id)[12..48]).prompt("hello").reply("yes").into_bytes();
        age(&home.write(path(id), talk), days);
    }
    let overview = annals_exits(&home, &[], 0).out;
    let warning =
        "2 sessions are not archived, and Claude Code deletes them within 7 days, 1 of them when it starts";
    assert!(overview.contains(warning) && overview.contains("annals archive --all"), "{overview}");
    let listed = annals_exits(&home, &["ls"], 0);
    assert!(listed.error.contains(warning) && !listed.out.contains("archive"), "{}", listed.error);
    assert!(annals_exits(&home, &["--json"], 0).out.contains(r#""sessions":2,"overdue":1"#));
    home.write("settings.json", r#"{"cleanupPeriodDays":60}"#);
    assert!(!annals_exits(&home, &[], 0).out.contains("archive"), "the setting counts");
    home.write("settings.json", "{");
    assert!(annals_exits(&home, &[], 0).out.contains(warning), "a broken setting is none");
    annals_exits(&home, &["archive", "--all"], 0);
    assert!(!annals_exits(&home, &[], 0).out.contains("archive"));
    assert_eq!(annals_exits(&home, &["ls"], 0).error, "");
}

#[test]
fn the_history_names_sessions_and_todos_are_headed_by_titles() {
    let home = home();
    home.write(
        "history.jsonl",
        format!("{{\"display\":\"hello\",\"timestamp\":1000,\"project\":\"/w\",\"sessionId\":\"{ID}\"}}\n"),
    );
    let out = annals_exits(&home, &["history"], 0).out;
    assert!(out.contains(&format!("1970-01-01 00:00  {ID}  w        hello")), "{out}");
    home.write(format!("todos/{ID}-agent-{ID}.json"), r#"[{"content":"dig","status":"pending"}]"#);
    home.write(format!("tasks/{ID}/1.json"), r#"{"id":"1","subject":"plant","status":"pending"}"#);
    let out = annals_exits(&home, &["todos"], 0).out;
    let heads: Vec<&str> = out.lines().filter(|line| line.contains(ID)).collect();
    assert_eq!(
        heads,
        [format!("What is in this folder?  {ID}  todos"), format!("What is in this folder?  {ID}  tasks")]
    );
}

#[test]
fn the_names_that_people_try_are_commands() {
    let home = home();
    let id = annals_exits(&home, &["ls", "--json"], 0).out;
    let id = id.split(r#""id":""#).nth(1).unwrap().split('"').next().unwrap().to_owned();
    let pairs: [(&[&str], &[&str]); 5] = [
        (&["list"], &["ls"]),
        (&["grep", "folder"], &["search", "folder"]),
        (&["cost", "--by", "model"], &["usage", "--by", "model"]),
        (&["rm", &id, "--dry-run"], &["trash", &id, "--dry-run"]),
        (&["delete", &id, "--dry-run"], &["trash", &id, "--dry-run"]),
    ];
    for (tried, meant) in pairs {
        assert_eq!(annals_exits(&home, tried, 0).out, annals_exits(&home, meant, 0).out, "{tried:?}");
    }
    let [tried, meant] =
        [&["resume", "nothing"][..], &["chat", "--resume", "nothing"]].map(|line| annals(&home, line));
    assert_eq!((tried.code, tried.error.lines().next()), (meant.code, meant.error.lines().next()));
}

#[test]
fn nothing_to_show_is_said() {
    let home = home();
    let undo = annals_exits(&home, &["undo"], 1);
    assert!(undo.error.contains("nothing to revert"), "{}", undo.error);
    assert_eq!(annals_exits(&home, &["undo", "--list"], 1).out, "no changes\n");
    let config = annals_exits(&home, &["config", "get"], 1);
    assert!(config.error.contains("no key is set; keys are stores"), "{}", config.error);
}

#[test]
fn sessions_that_may_be_meant_are_listed_by_their_last_activity() {
    let home = Home::new();
    let line = |time: &str| {
        format!(
            "{{\"type\":\"user\",\"uuid\":\"u\",\"timestamp\":\"{time}\",\"cwd\":\"/w\",\"message\":{{\"role\":\"user\",\"content\":\"Water the plants\"}}}}\n"
        )
    };
    let ids = ["aaaa0000-1111-4222-8333-444444444444", "bbbb0000-1111-4222-8333-444444444444"];
    // The older one was copied later.
    for (id, time, written) in [(ids[0], "2026-03-01T10:00:00Z", 10), (ids[1], "2026-02-01T10:00:00Z", 20)] {
        let path = home.write(format!("projects/-w/{id}.jsonl"), line(time));
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_790_000_000 + written);
        std::fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
    }
    // No line of this one says when it was active.
    home.write(
        "projects/-w/cccc0000-1111-4222-8333-444444444444.jsonl",
        "{\"type\":\"custom-title\",\"customTitle\":\"Stub\"}\n",
    );
    let error = annals_exits(&home, &["show", "Water the plants"], 2).error;
    let hints: Vec<&str> = error.lines().skip(1).collect();
    assert!(hints[0].contains("aaaa0000") && hints[0].contains("2026-03-01"), "{error}");
    assert!(hints[1].contains("bbbb0000") && hints[1].contains("2026-02-01"), "{error}");
    let listed = annals_exits(&home, &["ls"], 0).out;
    let last: Vec<&str> = listed.lines().nth(3).unwrap().split_whitespace().collect();
    assert!(last[0].starts_with("cccc0000") && !last[1].starts_with("20"), "{listed}");
    assert!(annals_exits(&home, &["show", "last"], 0).out.contains("aaaa0000"));
}
