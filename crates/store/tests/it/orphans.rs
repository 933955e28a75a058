//! Leftovers in a store.

use annals_store::{Store, orphans};
use annals_testkit::temp::TempDir;

const GONE: &str = "00000000-0000-4000-8000-000000000000";

fn findings(temp: &TempDir) -> Vec<String> {
    let found = orphans(&Store::open(temp.path()).discover());
    let name =
        |path: &std::path::Path| path.strip_prefix(temp.path()).unwrap().to_string_lossy().replace('\\', "/");
    found.iter().map(|found| format!("{} {}", found.problem.kind.name(), name(&found.path))).collect()
}

#[test]
fn files_whose_session_is_gone() {
    let temp = TempDir::new("orphans");
    temp.write("projects/-a/here.jsonl", "{}\n");
    for session in ["here", GONE] {
        temp.write(format!("todos/{session}-agent-{session}.json"), "[]");
        temp.write(format!("tasks/{session}/1.json"), "{}");
        temp.write(format!("file-history/{session}/00@v1"), "");
        temp.write(format!("projects/-a/{session}/subagents/agent-x.jsonl"), "{}\n");
        temp.write(format!("projects/-a/{session}/tool-results/t.txt"), "");
    }
    temp.write("tasks/team-blue/1.json", "{}");
    let line = format!(r#"{{"type":"user","sessionId":"{GONE}"}}"#);
    temp.write("projects/-a/agent-lost.jsonl", line);
    assert_eq!(
        findings(&temp),
        [
            format!("orphan-file file-history/{GONE}/00@v1"),
            format!("orphan-file projects/-a/{GONE}/subagents/agent-x.jsonl"),
            format!("orphan-file projects/-a/{GONE}/tool-results/t.txt"),
            "orphan-file projects/-a/agent-lost.jsonl".to_owned(),
            format!("orphan-file tasks/{GONE}/1.json"),
            format!("orphan-file todos/{GONE}-agent-{GONE}.json"),
        ]
    );
}

#[test]
fn files_without_content() {
    let temp = TempDir::new("orphans");
    let warm_up = r#"{"type":"user","uuid":"u","sessionId":"s","message":{"content":"Warmup"}}"#;
    temp.write("projects/-a/s.jsonl", warm_up);
    temp.write("projects/-a/empty.jsonl", "");
    temp.write("projects/-a/agent-w.jsonl", warm_up);
    assert_eq!(
        findings(&temp),
        [
            "warm-up projects/-a/agent-w.jsonl",
            "empty-file projects/-a/empty.jsonl",
            "warm-up projects/-a/s.jsonl"
        ]
    );
}

#[test]
fn entries_of_an_index_that_are_out_of_date() {
    let temp = TempDir::new("orphans");
    let file = temp.write("projects/-a/fresh.jsonl", "{}\n");
    temp.write("projects/-a/changed.jsonl", "{}\n");
    let modified = std::fs::metadata(&file).unwrap().modified().unwrap();
    let millis = modified.duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
    let index = format!(
        r#"{{"version":1,"entries":[{{"sessionId":"fresh","fileMtime":{millis}.7}},{{"sessionId":"changed","fileMtime":5}},
        {{"sessionId":"missing","fileMtime":5,"fullPath":"/nowhere/missing.jsonl"}},{{}},3]}}"#
    );
    temp.write("projects/-a/sessions-index.json", index);
    let found = orphans(&Store::open(temp.path()).discover());
    let said: Vec<_> = found.iter().map(|found| found.problem.detail.clone().unwrap()).collect();
    assert_eq!(said.len(), 4);
    assert_eq!(said[0], "it is not an index whose entries are objects");
    assert!(said[1].starts_with("session changed: its file was written"), "{}", said[1]);
    assert_eq!(said[2..], ["session missing: its file is gone", "session ?: it names no session"]);
}
