//! What surrounds passages, what leads to them, and what is said about queries.

use std::fs;

use annals_json::Value;
use annals_testkit::home::Home;

use super::{ONE, store};
use crate::{annals, annals_exits};

#[test]
fn messages_around_a_passage_are_shown_on_request() {
    let home = store();
    let out = annals_exits(&home, &["search", "mended", "--context", "1"], 0).out;
    assert!(
        out.contains(
            "\
      2  Bash             cargo test
      4  reply            The zebra is mended
"
        ),
        "{out}"
    );
    let json = annals_exits(&home, &["search", "unexpected", "-C", "1", "--json"], 0).out;
    let value = Value::parse(json.as_bytes()).unwrap();
    let hit = value.get("hits").unwrap().items().next().unwrap();
    let line = |key: &str| hit.get(key).unwrap().items().next().unwrap().get("line").unwrap().number();
    assert_eq!((line("before"), line("after")), (Some(1.0), Some(4.0)), "{json}");
    crate::schemas::keep_schema("search", &[json.trim().as_bytes()], "search");
}

#[test]
fn a_mistyped_filter_is_told() {
    let home = store();
    let answer = annals(&home, &["search", "tools:Bash", "zebra"]);
    assert!(answer.error.contains("\"tools:Bash\" is not a filter"), "{}", answer.error);
    assert!(answer.error.contains("did you mean tool:"), "{}", answer.error);
    let answer = annals(&home, &["search", "foo:bar"]);
    assert!(answer.error.contains("\"foo:bar\" is not a filter, treated as words"), "{}", answer.error);
    for plain in ["std::fs zebra", "https://zebra", "tool:Bash zebra", "\"foo:bar\" zebra"] {
        assert!(!annals(&home, &["search", plain]).error.contains("filter"), "{plain}");
    }
}

#[test]
fn a_prompt_of_the_history_belongs_to_its_session_in_exact_search_too() {
    let home = store();
    home.write("history.jsonl", format!("{{\"display\":\"only typed zebras\",\"timestamp\":1000,\"project\":\"/w\",\"sessionId\":\"{ONE}\"}}\n"));
    let json = annals_exits(&home, &["search", "--exact", "only typed", "--json"], 0).out;
    assert!(
        json.contains(&format!("\"session\":\"{ONE}\"")) && json.contains("repair the zebra parser"),
        "{json}"
    );
    let out = annals_exits(&home, &["search", "--exact", "only typed"], 0).out;
    assert!(out.contains("annals show 11111111\n") && !out.contains("(no session)"), "{out}");
}

#[test]
fn outputs_and_sub_agents_are_named_by_the_call_they_belong_to() {
    let home = Home::new();
    home.fill(&annals_demo::Plan::default());
    let out = annals_exits(&home, &["search", "--exact", "node pool entries"], 0).out;
    assert!(out.contains("output of Bash: cat /var/log/shipper/today.log"), "{out}");
    let below = out.rsplit("output of Bash: cat /var/log/shipper/today.log").next().unwrap();
    let command = below.lines().find_map(|line| line.strip_prefix("  annals show ")).unwrap();
    let place: Vec<&str> = command.split(' ').collect();
    let opened = annals_exits(&home, &[&["show"], &place[..]].concat(), 0).out;
    assert!(opened.contains("today.log"), "{opened}");
    let out = annals_exits(&home, &["search", "session:cffa in:replies review"], 0).out;
    assert!(out.contains("sub-agent of Agent: Measure countProduct"), "{out}");
}

#[cfg(target_os = "linux")]
#[test]
fn the_pager_is_used_on_a_terminal_unless_it_is_not_wanted() {
    use std::os::unix::fs::PermissionsExt;

    use annals_testkit::terminal::Terminal;

    let home = store();
    let pager = home.path().join("pager");
    fs::write(&pager, "#!/bin/sh\necho PAGED\ncat\n").unwrap();
    fs::set_permissions(&pager, fs::Permissions::from_mode(0o755)).unwrap();
    let run = |option: &str| {
        let script =
            format!("PAGER={} {} {option} search zebra", pager.display(), env!("CARGO_BIN_EXE_annals"));
        let mut terminal = Terminal::run(|setsid| home.command(setsid), &["sh", "-c", &script], (100, 30));
        terminal.sees("in 1 session");
        assert_eq!(terminal.code(), Some(0));
        terminal.text()
    };
    assert!(run("").contains("PAGED"));
    let plain = run("--no-pager");
    assert!(!plain.contains("PAGED"), "{plain}");
    assert!(plain.replace('\n', " ").contains(&format!("claude --resume {ONE}")), "{plain}");
}
