//! Todos, tasks, history, plans, statistics, running clients, overflow files: typed, without loss.

use std::ops::ControlFlow;

use annals_store::file_history::{backups, path_hash};
use annals_store::history::stream_history;
use annals_store::overflow::{OverflowFile, resolve_in};
use annals_store::plans::plans;
use annals_store::running::running;
use annals_store::stats_cache::{StatsCache, read_stats_cache};
use annals_store::todos::{tasks, todo_lists};
use annals_store::{SessionKey, Store};
use annals_testkit::temp::TempDir;

#[test]
fn todos_and_tasks() {
    let temp = TempDir::new("side");
    temp.write(
        "todos/s1-agent-s1.json",
        r#"[{"content":"Build","status":"pending","activeForm":"Building","x":1},2]"#,
    );
    temp.write("todos/s1-agent-a.json", "{}");
    temp.write("todos/s2-agent-s2.json", "[]");
    for number in [10, 9, 1] {
        temp.write(
            format!("tasks/s1/{number}.json"),
            format!(r#"{{"id":"{number}","blockedBy":["1"],"status":"pending"}}"#),
        );
    }
    temp.write("tasks/s1/.lock", "");
    let discovery = Store::open(temp.path()).discover();
    let (lists, problems) = todo_lists(&discovery);
    assert!(problems.is_empty());
    let (items, odd) = lists[1].items();
    assert!(lists[1].is_main() && !lists[0].is_main());
    assert!(items[0].active_form().unwrap().is("Building"));
    assert_eq!((items.len(), odd.len(), items[0].fields().len()), (1, 1, 4));
    assert_eq!(lists[0].items().1.len(), 1);
    assert_eq!(lists[2].items().1, []);
    let (tasks, _) = tasks(&discovery);
    let ids: Vec<_> = tasks.iter().map(|task| task.id.as_str()).collect();
    assert_eq!(ids, ["1", "9", "10"]);
    assert_eq!(tasks[0].task().unwrap().blocked_by().unwrap().count(), 1);
}

#[test]
fn history_with_its_pastes() {
    let temp = TempDir::new("side");
    let long = r#"{"display":"see [Pasted text #2]","pastedContents":{"1":{"id":1,"type":"text","content":"short"},"2":{"id":2,"type":"text","contentHash":"00ff"},"3":{"id":3,"contentHash":"../settings"}},"timestamp":1766607244547,"project":"/p","sessionId":"s1"}"#;
    temp.write("history.jsonl", format!("{{\"display\":\"old\"}}\n{long}\ntorn {{\n"));
    temp.write("paste-cache/00ff.txt", "a long paste");
    temp.write("settings.txt", "not a paste");
    let store = Store::open(temp.path());
    let mut seen = Vec::new();
    let problems = stream_history(store.config_dir(), |line, entry| {
        let pastes = entry.pastes().into_iter().map(|(_, paste)| paste.text(store.config_dir()).unwrap());
        let pastes: Vec<_> = pastes.map(|text| text.map(|text| text.into_owned())).collect();
        seen.push((line.number, entry.display().unwrap().to_string(), entry.millis(), pastes));
        ControlFlow::Continue(())
    });
    assert_eq!(problems.unwrap().len(), 1);
    assert_eq!(seen[0], (1, "old".to_owned(), None, vec![]));
    assert_eq!(seen[1].2, Some(1_766_607_244_547));
    assert_eq!(seen[1].3, [Some("short".to_owned()), Some("a long paste".to_owned()), None]);
    assert_eq!(seen.len(), 2);
    let nothing = TempDir::new("side");
    let empty = Store::open(nothing.path());
    let none = stream_history(empty.config_dir(), |_, _| panic!("there is no history"));
    assert!(none.unwrap().is_empty());
}

#[test]
fn plans_know_their_sessions() {
    let temp = TempDir::new("side");
    temp.write(
        "projects/-a/s1.jsonl",
        r#"{"type":"user","uuid":"u","slug":"calm-sea","message":{"content":"x"}}"#,
    );
    temp.write("plans/calm-sea.md", "# Plan\n");
    temp.write("plans/calm-sea-agent-a1.md", "# Part\n");
    temp.write("plans/lonely.md", "");
    let store = Store::open(temp.path());
    let discovery = store.discover();
    let (summaries, _) = store.summaries(&discovery);
    let found = plans(&discovery, &summaries);
    let names: Vec<_> = found.iter().map(|plan| (plan.name.as_str(), plan.sessions.len())).collect();
    assert_eq!(names, [("calm-sea-agent-a1", 1), ("calm-sea", 1), ("lonely", 0)]);
    assert_eq!(found[0].agent.as_deref(), Some("a1"));
    assert_eq!(found[1].text().unwrap(), "# Plan\n");
}

#[test]
fn statistics_of_both_versions() {
    for (version, more) in [(3, r#""totalSpeculationTimeSavedMs":12"#), (5, r#""dailyModelTokensVersion":2"#)]
    {
        let temp = TempDir::new("side");
        temp.write(
            "stats-cache.json",
            format!(
                r#"{{"version":{version},"lastComputedDate":"2026-02-20","dailyActivity":[{{"date":"2026-02-20","messageCount":4}}],
                "modelUsage":{{"opus":{{"inputTokens":7,"costUSD":0.5}}}},"hourCounts":{{"9":2}},"tomorrow":true,{more}}}"#
            ),
        );
        let store = Store::open(temp.path());
        let file = read_stats_cache(store.config_dir()).unwrap().unwrap();
        let stats = StatsCache::of_file(&file).unwrap();
        assert_eq!(stats.version(), Some(version));
        assert_eq!(stats.days().next().unwrap().message_count(), Some(4));
        let (model, usage) = stats.models().remove(0);
        assert!(model.is("opus") && usage.input() == Some(7) && usage.cost_usd() == Some(0.5));
        assert!(stats.fields().is_true("tomorrow"));
    }
    let temp = TempDir::new("side");
    assert!(read_stats_cache(Store::open(temp.path()).config_dir()).unwrap().is_none());
}

#[test]
fn running_clients() {
    let temp = TempDir::new("side");
    temp.write("sessions/100.json", r#"{"pid":100,"sessionId":"s1","status":"busy","startedAt":1}"#);
    temp.write("sessions/9.json", "{");
    let (clients, problems) = running(&Store::open(temp.path()).discover());
    assert!(problems.is_empty());
    assert_eq!(clients.iter().map(|client| client.pid).collect::<Vec<_>>(), [9, 100]);
    assert!(clients[0].client().is_err());
    assert!(clients[1].client().unwrap().session().unwrap().is("s1"));
}

#[test]
fn overflow_files_are_found_and_nothing_else_is_followed() {
    let temp = TempDir::new("side");
    temp.write("projects/-a/s1.jsonl", "{}");
    let own = temp.write("projects/-a/s1/tool-results/b.txt", "all of it");
    let moved = temp.write("elsewhere/tool-results/c.txt", "");
    let secret = temp.write("secret.txt", "x");
    let discovery = Store::open(temp.path()).discover();
    let folder = discovery.sessions[0].folder();
    let of_another_machine =
        resolve_in(&folder, r"C:\Users\me\.claude\projects\x\s1\tool-results\b.txt").unwrap();
    assert_eq!(of_another_machine, OverflowFile::OfSession(own));
    assert_eq!(of_another_machine.read().unwrap(), b"all of it");
    assert_eq!(resolve_in(&folder, moved.to_str().unwrap()).unwrap(), OverflowFile::AsNamed(moved));
    for path in [secret.to_str().unwrap(), "/nowhere/tool-results/x.txt", "..", "", "tool-results/.."] {
        assert_eq!(resolve_in(&folder, path), None, "{path}");
    }
    assert!(resolve_in(&folder, "b.txt").is_some());
}

#[test]
fn copies_of_a_session_by_file_and_version() {
    let temp = TempDir::new("side");
    let hash = path_hash("/home/me/a.rs");
    for name in [format!("{hash}@v10"), format!("{hash}@v2"), "0000000000000000@v1".to_owned()] {
        temp.write(format!("file-history/s1/{name}"), "");
    }
    temp.write("file-history/s2/0000000000000000@v1", "");
    let found = backups(&Store::open(temp.path()).discover(), &SessionKey::from("s1"));
    let versions: Vec<_> = found.iter().map(|backup| (backup.hash.as_str(), backup.version)).collect();
    assert_eq!(versions, [("0000000000000000", 1), (&hash, 2), (&hash, 10)]);
}
