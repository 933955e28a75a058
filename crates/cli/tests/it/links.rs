//! A store of somebody else: links in it do not lead out of it, and pipes in it do not make a command wait.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use annals_testkit::builder::Session;
use annals_testkit::home::Home;

use crate::{annals, annals_exits};

const ID: &str = "11111111-0000-4000-8000-000000000000";
const SECRET: &str = "the words of a stranger";

/// Files of a stranger in the forms of the files of a store.
const FILES_IN_JSON: [(&str, &str); 5] = [
    (
        "history",
        r#"{"display":"SECRET","timestamp":1767225600000,"project":"/w","sessionId":"ID","pastedContents":{}}"#,
    ),
    (
        "stats",
        r#"{"version":1,"modelUsage":{"SECRET":{"inputTokens":1,"outputTokens":1}},"totalSessions":1}"#,
    ),
    (
        "index",
        r#"{"version":1,"entries":[{"sessionId":"ID","summary":"SECRET","fileMtime":1}],"originalPath":"SECRET"}"#,
    ),
    ("title", r#"{"customTitle":"SECRET"}"#),
    ("meta", r#"{"agentType":"SECRET","description":"SECRET"}"#),
];

/// A store whose links all lead to files of its reader.
fn linked() -> Home {
    let home = Home::new();
    let line = format!(
        r#"{{"type":"user","uuid":"u9","sessionId":"{ID}","timestamp":"2026-01-01T00:00:00Z","message":{{"role":"user","content":"{SECRET}"}}}}"#
    );
    let private = home.path().join("private");
    fs::create_dir_all(&private).unwrap();
    for name in ["secret.jsonl", "agent-dd.jsonl", "x.md"] {
        fs::write(private.join(name), format!("{line}\n")).unwrap();
    }
    for (name, json) in FILES_IN_JSON {
        fs::write(private.join(name), json.replace("SECRET", SECRET).replace("ID", ID)).unwrap();
    }
    let talk = Session::new().id(ID).prompt("hello").reply("hi").into_bytes();
    home.write(format!("projects/-w/{ID}.jsonl"), talk);
    home.write("todos/x.json", "[]");
    home.write("plans/own.md", "own");
    let config = home.config_dir();
    let link = |target: &Path, place: &str| {
        let place = config.join(place);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        symlink(target, place).unwrap();
    };
    let secret = private.join("secret.jsonl");
    link(&secret, &format!("projects/-w/{ID}/subagents/agent-zz.jsonl"));
    link(&secret, &format!("projects/-w/{ID}/tool-results/out.txt"));
    link(&secret, "projects/-w/22222222-0000-4000-8000-000000000000.jsonl");
    link(&private, &format!("projects/-w/{ID}/subagents/more"));
    link(&private, "projects/-linked");
    link(&private, "projects/-w/memory");
    link(&private.join("x.md"), "plans/stolen.md");
    link(&private, "paste-cache");
    link(&secret, &format!("todos/{ID}-agent-{ID}.json"));
    link(&private.join("history"), "history.jsonl");
    link(&private.join("stats"), "stats-cache.json");
    link(&private.join("index"), "projects/-w/sessions-index.json");
    link(&private.join("title"), &format!("projects/-w/{ID}/custom-title.json"));
    link(&private.join("meta"), &format!("projects/-w/{ID}/subagents/agent-zz.meta.json"));
    link(&private, "shell-snapshots");
    home
}

#[test]
fn no_command_reads_what_a_link_of_the_store_leads_to() {
    let home = linked();
    let all = ["tool-results", "file-history", "todos", "plans", "memory", "pastes"];
    let includes = all.iter().flat_map(|what| ["--include", what]);
    let collect: Vec<&str> = ["collect", "--to", "-"].into_iter().chain(includes).collect();
    let runs: [&[&str]; 22] = [
        &collect,
        &["history"],
        &["usage", "--compare"],
        &["stats"],
        &["check", "--all"],
        &["ls", "--all", "--long"],
        &["show", ID, "--as", "agents"],
        &["gc"],
        &["redact", ID, "--scan", "--pattern", "words"],
        &["redact", ID, "--yes", "--pattern", "words"],
        &["rename", ID, "title", "--yes"],
        &["trash", ID, "--history", "--dry-run"],
        &["merge", ID, ID, "--dry-run"],
        &["search", "stranger"],
        &["search", "--exact", SECRET],
        &["sql", "select * from blocks"],
        &["plans"],
        &["plans", "--memory"],
        &["todos", "--all", "--json"],
        &["ls", "--all", "--json"],
        &["show", ID, "--full"],
        &["show", "agent-zz"],
    ];
    for run in runs {
        let answer = annals(&home, run);
        assert!(!answer.out.contains(SECRET), "{run:?}\n{}", answer.out);
    }
    assert_eq!(annals(&home, &["plans", "stolen"]).code, Some(1));
    // What is left out is reported.
    for run in [&["archive", "--all"][..], &["archive", ID], &["index"]] {
        let errors = annals_exits(&home, run, 3).error;
        assert!(errors.contains("symbolic link") && errors.lines().count() == 1, "{run:?}\n{errors}");
    }
    let clone = annals_exits(&home, &["clone", ID, "--yes"], 0);
    assert!(!clone.out.is_empty());
    for folder in [home.config_dir(), home.data_dir()] {
        let found = Command::new("grep").args(["-rl", SECRET]).arg(&folder).output().unwrap();
        let found = String::from_utf8(found.stdout).unwrap();
        assert_eq!(found, "", "copied into {}", folder.display());
    }
}

#[test]
fn pipes_never_make_a_command_wait() {
    let home = Home::new();
    let talk = Session::new().id(ID).prompt("hello").reply("hi").into_bytes();
    home.write(format!("projects/-w/{ID}.jsonl"), talk);
    home.write("plans/own.md", "own");
    let config = home.config_dir();
    for place in [
        "history.jsonl".to_owned(),
        "stats-cache.json".to_owned(),
        "projects/-w/22222222-0000-4000-8000-000000000000.jsonl".to_owned(),
        "projects/-w/agent-b.jsonl".to_owned(),
        "projects/-w/sessions-index.json".to_owned(),
        "projects/-w/memory/MEMORY.md".to_owned(),
        format!("projects/-w/{ID}/subagents/agent-a.jsonl"),
        format!("projects/-w/{ID}/subagents/agent-a.meta.json"),
        format!("projects/-w/{ID}/tool-results/out.txt"),
        format!("projects/-w/{ID}/custom-title.json"),
        format!("todos/{ID}-agent-{ID}.json"),
        format!("tasks/{ID}/1.json"),
        "plans/pipe.md".to_owned(),
        "paste-cache/0123456789abcdef.txt".to_owned(),
        "sessions/4242.json".to_owned(),
    ] {
        let place = config.join(place);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        assert!(Command::new("mkfifo").arg(place).status().unwrap().success());
    }
    let pipe = config.join("projects/-w/22222222-0000-4000-8000-000000000000.jsonl");
    let pipe = pipe.to_str().unwrap();
    let runs: [&[&str]; 24] = [
        &["ls", "--all"],
        &["history"],
        &["search", "hello"],
        &["search", "--exact", "hello"],
        &["index"],
        &["sql", "select count(*) from blocks"],
        &["usage"],
        &["usage", "--compare"],
        &["stats"],
        &["todos", "--all"],
        &["plans"],
        &["plans", "pipe"],
        &["plans", "--memory"],
        &["show", ID, "--full"],
        &["show", pipe],
        &["show", "/dev/zero"],
        &["check", "--all"],
        &["collect", "--to", "-", "--include", "plans", "--include", "todos", "--include", "memory"],
        &["archive", "--all"],
        &["clone", ID, "--yes"],
        &["redact", ID, "--scan"],
        &["gc"],
        &["rename", ID, "title", "--yes"],
        &["trash", ID, "--yes"],
    ];
    for run in runs {
        let mut command = home.command(env!("CARGO_BIN_EXE_annals"));
        command.args(run).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let begun = Instant::now();
        while child.try_wait().unwrap().is_none() {
            let is_waiting = begun.elapsed() > Duration::from_secs(20);
            if is_waiting {
                child.kill().unwrap();
            }
            assert!(!is_waiting, "annals {} waits for a pipe", run.join(" "));
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
