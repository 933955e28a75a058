//! Lines for the shell: they run at once, two user lines record them, and the model answers.

use annals_agent::conversation::ConversationStart;
use annals_agent::protocol::{Commands, Event, Prompt, TurnEnd, TurnReport};
use annals_json::Value;

use super::custom::kinds;
use super::{Stage, say};

const DONE: &str = r#"[{"type":"text","text":"fine"}]"#;

/// Runs a line for the shell; returns what was reported.
macro_rules! run {
    ($agent:expr, $line:expr) => {{
        let (_sender, mut commands) = Commands::channel();
        let mut events = Vec::new();
        let prompt = Prompt::Shell($line.to_owned());
        let finished: TurnReport = $agent.turn(&prompt, &mut commands, &mut |event| events.push(event)).await;
        (finished, events)
    }};
}

fn content(line: &str) -> String {
    let value = Value::parse(line.as_bytes()).unwrap();
    value.get("message").unwrap().get("content").unwrap().text().unwrap().to_string()
}

#[tokio::test]
async fn a_line_is_run_unasked_and_recorded_as_the_original_records_it() {
    let stage = Stage::scripts(&format!(r#"{{"a":[{DONE}],"b":[{DONE}]}}"#));
    let mut agent = stage.with_commands(None, &[]);
    let (finished, events) = run!(agent, "touch made.txt && echo '@@a@@ said'");
    assert_eq!(finished.ending, TurnEnd::Done);
    assert!(stage.home.work_dir().join("made.txt").exists());
    assert!(!events.iter().any(|event| matches!(event, Event::PermissionRequested(_))));
    assert!(events.iter().any(|event| matches!(event, Event::ToolDone { .. })), "the output is shown");
    let lines = stage.lines();
    assert_eq!(kinds(&lines)[1..4], ["user", "user", "assistant"], "{lines:#?}");
    assert_eq!(content(&lines[1]), "<bash-input>touch made.txt && echo '@@a@@ said'</bash-input>");
    assert_eq!(content(&lines[2]), "<bash-stdout>@@a@@ said</bash-stdout><bash-stderr></bash-stderr>");
    let history = std::fs::read_to_string(stage.home.config_dir().join("history.jsonl")).unwrap();
    assert!(history.contains(r#""display":"!touch made.txt"#), "{history}");
    drop(agent);
    let mut agent = stage.with_commands(Some(ConversationStart::Resume(stage.file())), &[]);
    assert!(say(&mut agent, "go on @@b@@").await.is_done());
    let sent = stage.sent();
    assert!(sent[1].iter().any(|message| message.contains("<bash-stdout>@@a@@ said")), "{:?}", sent[1]);
    drop(agent);
    stage.holds();
    stage.only_grew();
}

#[tokio::test]
async fn a_line_that_fails_is_told_to_the_model_too() {
    let stage = Stage::new(DONE);
    let mut agent = stage.with_commands(None, &[]);
    let (finished, _) = run!(agent, "echo '@@a@@ wrong' >&2; exit 3");
    assert_eq!(finished.ending, TurnEnd::Done);
    let output = content(&stage.lines()[2]);
    assert!(
        output.starts_with("<bash-stdout></bash-stdout><bash-stderr>") && output.contains("@@a@@ wrong"),
        "{output}"
    );
    drop(agent);
    stage.holds();
}
