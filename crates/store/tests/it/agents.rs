//! Sub-agents of a session: grouping, details, warm-ups.

use annals_store::agents::{details, is_warm_up};
use annals_store::{Discovery, SessionKey, Store};
use annals_testkit::temp::TempDir;

fn line(kind: &str, text: &str) -> String {
    let content = format!(r#"[{{"type":"text","text":"{text}"}}]"#);
    let content = if kind == "user" { format!("\"{text}\"") } else { content };
    format!(
        r#"{{"type":"{kind}","uuid":"u","isSidechain":true,"sessionId":"s1","message":{{"content":{content}}}}}"#
    ) + "\n"
}

#[test]
fn one_agent_may_have_files_in_two_projects() {
    let temp = TempDir::new("agents");
    temp.write("projects/-a/s1.jsonl", "");
    temp.write("projects/-a/agent-x.jsonl", line("user", "Look"));
    temp.write("projects/-b/s1/subagents/agent-x.jsonl", line("user", "Look"));
    temp.write("projects/-b/s1/subagents/agent-y.jsonl", "");
    let discovery = Store::open(temp.path()).discover();
    let session = SessionKey::from("s1");
    let agents: Vec<_> = discovery.agents_of(&session).map(|agent| agent.key.as_str()).collect();
    assert_eq!(agents, ["x", "x", "y"]);
}

#[test]
fn a_file_outside_a_store_has_its_surroundings() {
    let temp = TempDir::new("agents");
    let session = temp.write("loose/s1.jsonl", "");
    temp.write("loose/s1/subagents/deep/agent-under.jsonl", "");
    temp.write("loose/s1/tool-results/t.txt", "");
    temp.write("loose/agent-mine.jsonl", line("user", "Look"));
    temp.write("loose/agent-other.jsonl", line("user", "Look").replace("s1", "s2"));
    temp.write("loose/s2.jsonl", "");
    let near = Discovery::near(&session).unwrap();
    let agents: Vec<_> = near.agents.iter().map(|agent| agent.key.as_str()).collect();
    assert_eq!((near.sessions.len(), agents), (1, vec!["mine", "under"]));
    assert_eq!(near.tool_results().count(), 1);
    assert!(Discovery::near(&temp.path().join("loose")).is_err());
}

#[test]
fn details_hold_what_linking_needs() {
    let temp = TempDir::new("agents");
    let folder = "projects/-a/s1/subagents/workflows/wf_7";
    temp.write(format!("{folder}/agent-x.jsonl"), line("user", "Look here"));
    temp.write(
        format!("{folder}/agent-x.meta.json"),
        r#"{"agentType":"Explore","toolUseId":"toolu_1","spawnDepth":2,"new":[1]}"#,
    );
    temp.write("projects/-a/s1/subagents/agent-y.jsonl", "");
    temp.write("projects/-a/s1/subagents/agent-y.meta.json", "{");
    let discovery = Store::open(temp.path()).discover();
    let (details, problems) = details(&discovery.agents.iter().collect::<Vec<_>>());
    let (y, x) = (&details[0], &details[1]);
    assert_eq!(x.facts.meta_tool_use.as_deref(), Some("toolu_1"));
    assert_eq!(x.facts.workflow_run.as_deref(), Some("wf_7"));
    assert_eq!(x.facts.prompt.as_deref(), Some("Look here"));
    let meta = x.meta().unwrap().unwrap();
    assert!(meta.agent_type().unwrap().is("Explore"));
    assert_eq!((meta.spawn_depth(), meta.fields().get("new").unwrap().raw()), (Some(2), &b"[1]"[..]));
    assert!(y.meta().unwrap().is_err() && y.facts.prompt.is_none());
    assert_eq!(problems.len(), 1);
}

#[test]
fn warm_ups_are_told_from_work() {
    let temp = TempDir::new("agents");
    let files = [
        ("asked", line("user", "Warmup") + &line("assistant", "Ready!"), true),
        ("answered", line("assistant", "Hello!"), true),
        ("worked", line("user", "Warmup the oven") + &line("assistant", "Done"), false),
        ("went-on", line("user", "Warmup") + &line("user", "Now work"), false),
        ("empty", String::new(), false),
    ];
    for (name, text, _) in &files {
        temp.write(format!("projects/-a/agent-{name}.jsonl"), text);
    }
    let discovery = Store::open(temp.path()).discover();
    for (name, _, expected) in files {
        let agent = discovery.agents.iter().find(|agent| agent.key == name).unwrap();
        assert_eq!(is_warm_up(agent), expected, "{name}");
    }
}
