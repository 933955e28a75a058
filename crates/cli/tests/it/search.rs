//! `annals search`, `index` and `sql`, for people and programs.

mod corpus;
mod passages;
#[cfg(unix)]
mod settling;

use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{fs, thread};

use annals_index::Index;
use annals_index::search::Query;
use annals_json::Value;
use annals_store::lock::FileLock;
use annals_store::{ConfigDir, DataDir};
use annals_testkit::builder::Session;
use annals_testkit::home::{CommandOutput, Home};

use crate::{annals, annals_exits, expect};

const ONE: &str = "11111111-0000-4000-8000-000000000000";

const SHOWN: &str = "\
Please repair the zebra parser
  11111111-0000-4000-8000-000000000000  garden  2026-06-01 00:00  $0.0004  3 matches  main
      1  you              Please repair the zebra parser
      4  reply            The zebra is mended
      3  Bash             error: unexpected zebra at line 7
  annals show 11111111 --around 1

3 matches in 1 session
[EOF]";

fn store() -> Home {
    let home = Home::new();
    let talk = Session::new()
        .id(ONE)
        .prompt("Please repair the zebra parser")
        .tool_use("Bash", r#"{"command":"cargo test"}"#)
        .tool_result("error: unexpected zebra at line 7")
        .reply("The zebra is mended")
        .into_bytes();
    home.write(format!("projects/-w/{ONE}.jsonl"), talk);
    home
}

#[test]
fn hits_are_shown_by_session_with_their_lines() {
    let home = store();
    let answer = annals(&home, &["search", "zebra"]);
    assert_eq!(answer.code, Some(0), "{}", answer.error);
    expect(&answer.out, SHOWN);
    let colored = annals(&home, &["search", "zebra", "--color", "always", "--in", "prompts"]);
    assert!(colored.out.contains("\u{1b}["), "{}", colored.out);
    let exact = annals(&home, &["search", "--exact", "zebra at"]);
    assert_eq!(exact.out.lines().count(), 6, "{}", exact.out);
}

#[test]
fn what_is_new_is_found_at_once_and_what_is_gone_is_said_to_be() {
    let home = store();
    assert_eq!(annals(&home, &["search", "giraffe"]).code, Some(1));
    let path = home.config_dir().join(format!("projects/-w/{ONE}.jsonl"));
    let mut bytes = fs::read(&path).unwrap();
    bytes.extend(Session::new().id(ONE).prompt("and the giraffe").into_bytes());
    fs::write(&path, bytes).unwrap();
    let found = annals(&home, &["search", "giraffe"]);
    assert_eq!(found.code, Some(0), "{}", found.error);
    fs::remove_file(&path).unwrap();
    let gone = annals(&home, &["search", "giraffe"]);
    assert!(gone.out.contains("  deleted"), "{}", gone.out);
    assert!(annals(&home, &["index", "--prune"]).out.contains("1 removed"));
    assert_eq!(annals(&home, &["search", "giraffe"]).code, Some(1));
}

#[test]
fn what_the_client_deleted_is_found_in_the_vault() {
    let home = store();
    let agent = format!("projects/-w/{ONE}/subagents/agent-a1.jsonl");
    home.write(&agent, Session::new().id(ONE).prompt("the zebra digs").into_bytes());
    assert_eq!(annals(&home, &["index"]).code, Some(0));
    assert_eq!(annals(&home, &["archive", "--all"]).code, Some(0));
    fs::remove_file(home.config_dir().join(format!("projects/-w/{ONE}.jsonl"))).unwrap();
    fs::remove_file(home.config_dir().join(agent)).unwrap();
    for _ in 0..2 {
        let found = annals(&home, &["search", "zebra", "parser"]);
        assert_eq!(found.code, Some(0), "{}", found.error);
        assert!(
            found.out.contains("  deleted") && found.out.contains("repair the zebra parser"),
            "{}",
            found.out
        );
        // Also when what is gone was forgotten, and by an index that never saw the session itself.
        assert!(!annals(&home, &["index", "--prune"]).out.contains("removed"));
        let found = annals(&home, &["search", "zebra", "digs"]);
        assert!(found.out.contains("the zebra digs"), "{}", found.out);
        assert_eq!(annals(&home, &["index", "--rebuild"]).code, Some(0));
    }
}

#[test]
fn who_watches_goes_on_when_another_annals_was_at_work() {
    let home = store();
    let (config, data) = (ConfigDir::new(home.config_dir()), DataDir::new(home.data_dir()));
    let path = Index::path_of(&config, &data);
    let take = || FileLock::try_take(&data, &path).unwrap();
    let wait_for = |what: &str, is_done: &mut dyn FnMut() -> bool| {
        let since = Instant::now();
        while !is_done() {
            assert!(since.elapsed() < Duration::from_secs(120), "{what}");
            thread::sleep(Duration::from_millis(20));
        }
    };
    // What a watcher has made of the store, and nobody else.
    let finds = |word: &str| {
        let index = Index::open_to_read(&config, &data).unwrap();
        let query = Query::parse(word).unwrap();
        index.is_some_and(|index| index.search(&query, 1, 0, &mut |_, _| None).unwrap().total > 0)
    };
    // From the beginning, and later.
    let lock = take();
    let mut watcher = home
        .command(env!("CARGO_BIN_EXE_annals"))
        .args(["index", "--watch"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    thread::sleep(Duration::from_millis(500));
    assert_eq!(watcher.try_wait().unwrap(), None, "it ended while another was at work");
    drop(lock);
    wait_for("the first look", &mut || finds("zebra"));
    let mut held = None;
    wait_for("its end", &mut || {
        held = take();
        held.is_some()
    });
    home.write(
        "projects/-w/22222222-0000-4000-8000-000000000000.jsonl",
        Session::new().prompt("a giraffe").into_bytes(),
    );
    thread::sleep(Duration::from_millis(1500));
    assert_eq!(watcher.try_wait().unwrap(), None, "it ended while another was at work");
    drop(held);
    wait_for("the next look", &mut || finds("giraffe"));
    watcher.kill().unwrap();
    watcher.wait().unwrap();
}

#[test]
fn a_query_that_makes_no_sense_is_explained() {
    let home = store();
    for (arguments, said) in [
        (&["search", "x OR"][..], "OR needs a word on both sides"),
        (&["search", "role:nobody x"], "one of user"),
        (&["search", "--role", "nobody", "x"], "unknown role"),
        (&["search", "--", "-x"], "the query only excludes"),
        (&["sql", "DELETE FROM files"], "the statement would write to the index"),
        (&["sql", "SELECT colour FROM sessions"], "no such column"),
    ] {
        let answer = annals(&home, arguments);
        assert_eq!(answer.code, Some(2), "{arguments:?}: {}", answer.error);
        assert!(answer.error.contains(said), "{arguments:?}: {}", answer.error);
    }
}

#[test]
fn sql_answers_by_the_documented_views() {
    let home = store();
    let document = fs::read_to_string(annals_testkit::workspace_root().join("docs/search.md")).unwrap();
    for view in ["sessions", "threads", "blocks", "tool_calls", "usage"] {
        let row = document.lines().find(|line| line.starts_with(&format!("| `{view}` |"))).unwrap();
        // Every word in backticks is a column.
        let columns: Vec<&str> = row.split('|').nth(3).unwrap().split('`').skip(1).step_by(2).collect();
        assert!(columns.len() > 5, "{view}");
        let query = format!("SELECT {} FROM {view} LIMIT 1", columns.join(", "));
        let answer = annals(&home, &["sql", &query]);
        assert!(matches!(answer.code, Some(0 | 1)), "{query}: {}", answer.error);
    }
    for view in ["tool_calls", "calls"] {
        let query = format!("SELECT tool, count(*) AS n FROM {view} GROUP BY tool");
        let answer = annals(&home, &["sql", &query, "--json"]);
        assert_eq!(answer.out.trim(), r#"{"rows":[{"tool":"Bash","n":1}]}"#);
    }
}

#[test]
fn a_damaged_index_is_made_anew_and_said() {
    let home = store();
    annals(&home, &["index"]);
    let folder = home.data_dir().join("index");
    for entry in fs::read_dir(&folder).unwrap().flatten() {
        fs::write(entry.path(), b"this is not what it was, not at all").unwrap();
    }
    let answer = annals(&home, &["search", "zebra"]);
    assert_eq!(answer.code, Some(0), "{}", answer.error);
    assert!(answer.error.contains("rebuilding it"), "{}", answer.error);
}

/// Everything that was there before the searches began is found by each of them, however many run, while the store grows.
#[test]
fn searches_at_once_over_a_growing_store_find_what_was_there() {
    let home = store();
    home.fill(&annals_demo::Plan::default());
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        // Also if an answer is wrong: else the writer would never end.
        let _end = SetAtEnd(&is_done);
        scope.spawn(|| {
            let mut number = 0;
            while !is_done.load(Ordering::Relaxed) {
                number += 1;
                let id = format!("44444444-0000-4000-8000-{number:012}");
                let session = Session::new().id(&id).prompt("something else that grows").reply("It does.");
                home.write(format!("projects/-w/{id}.jsonl"), session.into_bytes());
                thread::sleep(Duration::from_millis(30));
            }
        });
        for round in 0..3 {
            let search = || {
                let mut command = home.command(env!("CARGO_BIN_EXE_annals"));
                command.args(["search", "zebra", "parser"]).stdout(Stdio::piped()).stderr(Stdio::piped());
                command.spawn().unwrap()
            };
            let searches: Vec<_> = (0..6).map(|_| search()).collect();
            for search in searches {
                let answer = CommandOutput::from(search.wait_with_output().unwrap());
                assert_eq!(answer.code, Some(0), "round {round}: {}", answer.error);
                assert!(answer.out.contains("repair the zebra parser"), "round {round}: {}", answer.out);
            }
        }
    });
}

struct SetAtEnd<'f>(&'f AtomicBool);

impl Drop for SetAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn an_index_that_another_annals_does_not_release_answers_as_it_is() {
    let home = store();
    assert_eq!(annals(&home, &["index"]).code, Some(0));
    home.write(
        "projects/-w/22222222-0000-4000-8000-000000000000.jsonl",
        Session::new().prompt("a giraffe").into_bytes(),
    );
    let (config, data) = (ConfigDir::new(home.config_dir()), DataDir::new(home.data_dir()));
    let _lock = FileLock::try_take(&data, &Index::path_of(&config, &data)).unwrap().unwrap();
    let began = Instant::now();
    let found = annals(&home, &["search", "zebra"]);
    assert_eq!(found.code, Some(0), "{}", found.error);
    expect(&found.out, SHOWN);
    assert!(found.error.contains("results may be incomplete"), "{}", found.error);
    assert!(began.elapsed() >= Duration::from_secs(2), "it did not wait");
    // What is not indexed may be what was looked for.
    assert_eq!(annals(&home, &["search", "giraffe"]).code, Some(3));
    for arguments in [&["usage"][..], &["stats"], &["sql", "SELECT count(*) FROM sessions"], &[]] {
        let answer = annals(&home, arguments);
        assert!(matches!(answer.code, Some(0)), "{arguments:?}: {:?} {}", answer.code, answer.error);
    }
}

#[test]
fn a_prompt_is_found_once_and_in_its_session() {
    let home = store();
    let line = |text: &str, time: &str, session: &str| {
        format!(
            "{{\"display\":\"{text}\",\"timestamp\":{time},\"project\":\"/w\",\"sessionId\":\"{session}\"}}\n"
        )
    };
    let gone = "33333333-0000-4000-8000-000000000000";
    let lines = [
        line("Please repair the zebra parser", "1780272000000", ONE),
        line("Where do zebra foals sleep?", "1780272000000", gone),
    ];
    home.write("history.jsonl", lines.concat());
    let found = annals(&home, &["search", "zebra", "--json"]);
    assert_eq!(found.code, Some(0), "{}", found.error);
    assert_eq!(
        found.out.matches(r#""snippet":"Please repair the zebra parser""#).count(),
        1,
        "{}",
        found.out
    );
    assert!(found.out.contains(r#""total":4"#), "{}", found.out);
    assert!(found.out.contains(gone) && !found.out.contains(r#""session":"""#), "{}", found.out);
}

/// A session whose client wrote its title again and again, as 2.1 does, a fork of it, and others.
fn with_repeated_titles() -> Home {
    let home = Home::new();
    let id = |number: usize| format!("{number:08}-0000-4000-8000-000000000000");
    for number in 1..=12 {
        let session = id(number);
        let session_bytes = Session::new()
            .id(&session)
            .prompt(&format!("Does the shell test number {number} pass?"))
            .reply("The shell test passes.")
            .into_bytes();
        // Only a fork has the record ids of another session.
        let own_ids = format!("00000000-0000-4000-8000-{number:04}");
        let mut text =
            String::from_utf8(session_bytes).unwrap().replace("00000000-0000-4000-8000-0000", &own_ids);
        let titles = if number == 3 { 80 } else { 0 };
        for _ in 0..titles {
            text.push_str(&format!(
                "{{\"type\":\"custom-title\",\"customTitle\":\"Shell test\",\"sessionId\":\"{session}\"}}\n"
            ));
        }
        home.write(format!("projects/-w/{session}.jsonl"), &text);
        if number == 3 {
            let fork = text.replace(&session, &id(99));
            home.write(format!("projects/-w/{}.jsonl", id(99)), fork);
        }
    }
    home
}

#[test]
fn repeated_titles_and_forks_count_once_and_every_session_is_on_the_first_page() {
    let home = with_repeated_titles();
    let out = annals_exits(&home, &["search", "shell", "test", "--json", "--limit", "100"], 0).out;
    let value = Value::parse(out.as_bytes()).unwrap();
    let hits: Vec<_> = value.get("hits").unwrap().items().collect();
    let text = |hit: &Value<'_>, key: &str| hit.get(key).unwrap().text().unwrap().to_string();
    let titles = hits.iter().filter(|hit| text(hit, "kind") == "title").count();
    // One of the session and one of its fork; its records are the fork's, too.
    assert_eq!((titles, hits.len()), (2, 12 * 2 + 2), "{out}");
    assert_eq!(value.get("total").unwrap().count(), Some(26));
    let of_third = hits.iter().find(|hit| text(hit, "session").starts_with("00000003")).unwrap();
    assert_eq!(
        (text(of_third, "title"), of_third.get("sessionHits").unwrap().count()),
        ("Shell test".into(), Some(3))
    );
    for form in [&["search", "shell", "test"][..], &["search", "--exact", "shell test"]] {
        let shown = annals_exits(&home, form, 0).out;
        for number in 1..=12 {
            assert!(shown.contains(&format!("{number:08}")), "{form:?} {number}: {shown}");
        }
        let lines: Vec<&str> = shown.lines().filter(|line| line.contains("number 3 pass")).collect();
        assert_eq!(lines.len(), 1 + usize::from(form.len() == 2), "{form:?}: {shown}");
    }
}

#[test]
fn the_command_of_a_hit_opens_its_place() {
    let home = with_repeated_titles();
    let shown = annals_exits(&home, &["search", "number", "7"], 0).out;
    let command = shown.lines().find_map(|line| line.strip_prefix("  annals ")).expect(&shown);
    let words: Vec<&str> = command.split(' ').collect();
    let opened = annals_exits(&home, &words, 0).out;
    assert!(opened.contains("Does the shell test number 7 pass?"), "{opened}");
    annals_exits(&home, &["show", "00000007", "--around", "99999"], 0);
    annals_exits(&home, &["show", "00000007", "--around", "no-such-record"], 1);
    annals_exits(&home, &["show", "00000007", "--around", "1", "--as", "usage"], 2);
}
