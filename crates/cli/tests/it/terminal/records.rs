//! What the session records of a terminal: queued prompts, built-in commands; and calls that never start.

use annals_json::Value;

use super::ChatFixture;

const SCRIPT: &str = r#"{"slow":[[{"type":"tool_use","name":"Bash","input":{"command":"echo begun; sleep 3"}}],
    [{"type":"text","text":"slept well"}]],
    "next":[[{"type":"text","text":"next it is"}]],
    "plan":[[{"type":"tool_use","name":"Write","input":{"file_path":"made.txt","content":"x"}},
        {"type":"tool_use","name":"Nonesuch","input":{"a":1}}],[{"type":"text","text":"as planned"}]]}"#;

/// The operations on the queue, in order.
pub(super) fn operations(fixture: &ChatFixture) -> Vec<String> {
    let session = std::fs::read(fixture.session()).unwrap();
    let lines = session.split(|byte| *byte == b'\n').filter_map(|line| Value::parse(line).ok());
    let text = |line: Value<'_>, key: &str| line.get(key)?.text().map(|text| text.to_string());
    let of_queue = lines.filter(|line| text(*line, "type").as_deref() == Some("queue-operation"));
    of_queue
        .map(|line| {
            format!("{} {}", text(line, "operation").unwrap(), text(line, "content").unwrap_or_default())
        })
        .collect()
}

#[test]
fn prompts_typed_during_a_turn_are_recorded() {
    let fixture = ChatFixture::new(SCRIPT);
    let mut terminal = fixture.chat(&["--allowedTools", "Bash", "@@slow@@"]);
    terminal.sees("Bash: begun");
    terminal.press("then @@next@@\r");
    terminal.sees("queued: then @@next@@");
    terminal.press("/todos\r");
    terminal.press("and @@next@@ again\r");
    terminal.sees_times("next it is", 2);
    terminal.ends_with(">");
    assert_eq!(
        operations(&fixture),
        ["enqueue then @@next@@", "enqueue and @@next@@ again", "dequeue ", "dequeue "],
        "a command of the terminal is no prompt"
    );
    terminal.press("/exit\r");
    assert_eq!(terminal.code(), Some(0));
    fixture.holds();
}

#[test]
fn a_call_that_never_starts_is_shown_with_its_result() {
    let fixture = ChatFixture::new(SCRIPT);
    let mut terminal =
        fixture.chat(&["--permission-mode", "plan", "--disallowedTools", "Write", "--", "@@plan@@"]);
    terminal.sees("● Write");
    terminal.sees("Permission to use Write was denied");
    terminal.sees("● Nonesuch");
    terminal.sees("as planned");
    terminal.ends_with(">");
    terminal.press("/exit\r");
    assert_eq!(terminal.code(), Some(0));
    fixture.holds();
}

#[test]
fn built_in_commands_are_recorded_with_what_they_show() {
    let fixture = ChatFixture::new(SCRIPT);
    let mut terminal = fixture.chat(&[]);
    terminal.sees("· new · /help");
    terminal.press("/context\r");
    terminal.sees("estimated");
    assert!(fixture.sessions().is_empty(), "a session begins with a prompt");
    terminal.press("@@next@@\r");
    terminal.sees("next it is");
    terminal.ends_with(">");
    fixture.is_titled("next it is");
    for (command, shows) in
        [("/context", "counted by the API"), ("/todos", "no todos"), ("/model", "current model")]
    {
        terminal.press(&format!("{command}\r"));
        terminal.sees(shows);
        terminal.ends_with(">");
        let session = std::fs::read_to_string(fixture.session()).unwrap();
        assert!(session.contains(&format!("<command-name>{command}</command-name>")), "{command}");
        let shown = session.lines().rfind(|line| line.contains(r#""subtype":"local_command""#));
        assert!(shown.unwrap().contains(shows), "{command}");
    }
    terminal.press("on @@next@@\r");
    terminal.sees_times("next it is", 2);
    terminal.ends_with(">");
    fixture.agrees();
    terminal.press("/exit\r");
    assert_eq!(terminal.code(), Some(0));
    fixture.holds();
}
