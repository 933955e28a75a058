//! `annals append --agent`: sub-agents of one session are written at the same time, and nested.

use std::fs;
use std::process::Command;

use annals_json::Value;
use annals_testkit::home::Home;

use crate::annals_exits;
use crate::appending::{Appender, annals_reads, field, new_session};

const REPLY: &str = r#"{"role":"assistant","content":"x","model":"m"}"#;

fn metadata(home: &Home, session: &std::path::Path, agent: &str) -> String {
    assert!(session.starts_with(home.config_dir()));
    fs::read_to_string(session.with_extension("").join(format!("subagents/agent-{agent}.meta.json"))).unwrap()
}

#[test]
fn several_are_written_while_the_session_is() {
    let home = Home::new();
    let (id, path) = new_session(&home);
    let mut main = Appender::new(&home, &id);
    assert!(field(&main.prompt("first"), "uuid").is_some());
    let mut one = Appender::of_agent(&home, &id, "a753668");
    let mut two = Appender::of_agent(&home, &id, "a753999");
    for turn in 0..3 {
        for writer in [&mut one, &mut main, &mut two] {
            let answer = writer.prompt(&format!("turn {turn}"));
            assert!(field(&answer, "uuid").is_some(), "{answer}");
        }
    }
    let same = annals_reads(&home, &["append", &id, "--agent", "a753668"], REPLY);
    assert_eq!(same.code, Some(4), "one writer per file: {}{}", same.out, same.error);
    for writer in [one, two, main] {
        assert_eq!(writer.end().code, Some(0));
    }
    for agent in ["a753668", "a753999"] {
        let lines = path.with_extension("").join(format!("subagents/agent-{agent}.jsonl"));
        let text = fs::read_to_string(lines).unwrap();
        assert_eq!(text.lines().count(), 3);
        for line in text.lines() {
            assert_eq!(field(line, "sessionId").as_deref(), Some(id.as_str()));
            assert_eq!(field(line, "agentId").as_deref(), Some(agent));
            assert!(line.contains(r#""isSidechain":true"#));
        }
    }
    assert_eq!(annals_exits(&home, &["check", &id], 0).code, Some(0));
}

#[test]
fn the_session_may_be_without_lines_and_its_agents_nested() {
    let home = Home::new();
    let (id, path) = new_session(&home);
    let append = |agent: &str, more: &[&str], code: i32| {
        let arguments = [&["append", &id, "--agent", agent], more].concat();
        let answer = annals_reads(&home, &arguments, REPLY);
        assert_eq!(answer.code, Some(code), "{}{}", answer.out, answer.error);
        answer
    };
    append("outer", &[], 0);
    append("middle", &["--parent-agent", "outer", "--tool-use", "toolu_1"], 0);
    append("inner", &["--parent-agent", "middle"], 0);
    let refused = append("lost", &["--parent-agent", "nobody"], 1);
    assert!(refused.error.contains("no sub-agent \"nobody\""), "{}", refused.error);
    assert!(!metadata(&home, &path, "outer").contains("spawnDepth"));
    for (agent, depth, parent) in [("middle", 2.0, "outer"), ("inner", 3.0, "middle")] {
        let text = metadata(&home, &path, agent);
        let meta = Value::parse(text.as_bytes()).unwrap();
        assert_eq!(meta.get("spawnDepth").and_then(Value::number), Some(depth), "{text}");
        assert_eq!(meta.get("parentAgentId").and_then(Value::text).unwrap().to_string(), parent);
    }
    let cwd = home.work_dir().canonicalize().unwrap();
    let line = fs::read_to_string(path.with_extension("").join("subagents/agent-outer.jsonl")).unwrap();
    assert_eq!(field(line.trim(), "cwd").as_deref(), cwd.to_str(), "from the note of `annals new`");
}

#[test]
fn one_beside_its_session_is_continued_there() {
    let home = Home::new();
    let (id, path) = new_session(&home);
    annals_reads(&home, &["append", &id], r#"{"role":"user","content":"hi"}"#);
    let beside = path.with_file_name("agent-a1b2c3d.jsonl");
    let line = format!(
        r#"{{"type":"user","uuid":"11111111-0000-4000-8000-000000000001","parentUuid":null,"isSidechain":true,"agentId":"a1b2c3d","sessionId":"{id}","cwd":"/elsewhere","gitBranch":"side","version":"2.0.76","timestamp":"2026-01-01T00:00:00.000Z","message":{{"role":"user","content":"go"}}}}"#
    );
    fs::write(&beside, line + "\n").unwrap();
    let answer = annals_reads(&home, &["append", &id, "--agent", "a1b2c3d"], REPLY);
    assert_eq!(answer.code, Some(0), "{}{}", answer.out, answer.error);
    let text = fs::read_to_string(&beside).unwrap();
    let last = text.lines().last().unwrap();
    assert_eq!(field(last, "parentUuid").as_deref(), Some("11111111-0000-4000-8000-000000000001"));
    assert_eq!(
        (field(last, "cwd").as_deref(), field(last, "gitBranch").as_deref()),
        (Some("/elsewhere"), Some("side"))
    );
    assert!(!path.with_extension("").join("subagents").exists());
}

#[test]
fn lines_have_the_branch_of_their_time_and_the_folder_that_is_named() {
    let home = Home::new();
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.current_dir(home.work_dir()).args(["-c", "init.defaultBranch=main"]).args(arguments);
        assert!(command.output().unwrap().status.success(), "{arguments:?}");
    };
    git(&["init", "-q"]);
    let (id, path) = new_session(&home);
    let mut main = Appender::new(&home, &id);
    main.prompt("one");
    git(&["checkout", "-q", "-b", "other"]);
    main.prompt("two");
    assert_eq!(main.end().code, Some(0));
    let folder = home.work_dir().join("sub");
    fs::create_dir_all(&folder).unwrap();
    let named = ["append", &id, "--cwd", folder.to_str().unwrap()];
    assert_eq!(annals_reads(&home, &named, r#"{"role":"user","content":"three"}"#).code, Some(0));
    let text = fs::read_to_string(&path).unwrap();
    let said: Vec<_> = text.lines().map(|line| (field(line, "gitBranch"), field(line, "cwd"))).collect();
    let branches: Vec<_> = said.iter().map(|(branch, _)| branch.as_deref().unwrap()).collect();
    assert_eq!(branches, ["main", "other", "other"]);
    assert_eq!(said[2].1.as_deref(), folder.canonicalize().unwrap().to_str());
    assert_eq!(said[1].1.as_deref(), home.work_dir().canonicalize().unwrap().to_str());
}

#[test]
fn records_outside_the_chain_get_what_their_type_has() {
    let home = Home::new();
    let (id, path) = new_session(&home);
    let given = "{\"type\":\"queue-operation\",\"operation\":\"enqueue\",\"content\":\"q\"}\n\
        {\"type\":\"pr-link\",\"prNumber\":1,\"prUrl\":\"u\",\"timestamp\":\"2020-01-01T00:00:00.000Z\"}\n\
        {\"type\":\"tag\",\"tag\":\"t\"}\n{\"type\":\"from-the-future\"}\n";
    assert_eq!(annals_reads(&home, &["append", &id], given).code, Some(0));
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<_> = text.lines().collect();
    for line in &lines[..3] {
        assert_eq!(field(line, "sessionId").as_deref(), Some(id.as_str()), "{line}");
    }
    assert!(field(lines[0], "timestamp").is_some_and(|time| time.len() == 24));
    assert_eq!(field(lines[1], "timestamp").as_deref(), Some("2020-01-01T00:00:00.000Z"));
    assert_eq!((field(lines[2], "timestamp"), lines[3]), (None, r#"{"type":"from-the-future"}"#));
}
