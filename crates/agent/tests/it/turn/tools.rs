//! Tools in turns: order, results, refusals.

use annals_agent::protocol::{Approver, Command, Commands, Event, Permit, TurnEnd};

use super::{Stage, say, say_with};

const END: &str = r#"[{"type":"text","text":"fine"}]"#;

fn call(tool: &str, input: &str) -> String {
    format!(r#"{{"type":"tool_use","name":"{tool}","input":{input}}}"#)
}

#[tokio::test]
async fn a_turn_is_prompt_thinking_tools_and_an_end() {
    let both = [call("Peek", r#"{"say":"one"}"#), call("Change", r#"{"say":"two"}"#)].join(",");
    let stage = Stage::new(&format!(
        r#"[{{"type":"thinking","thinking":"plän 😀\n"}},{{"type":"text","text":"so"}},{both}],
           [{{"type":"redacted_thinking"}},{}],{END}"#,
        call("Peek", r#"{"say":"three"}"#)
    ));
    let told = stage.turn().await;
    assert!(told.is_done(), "{:?}", told.finished);
    assert_eq!((told.finished.text.as_str(), told.finished.responses), ("fine", 3));
    assert_eq!(stage.done(), ["begin one", "end one", "begin two", "end two", "begin three", "end three"]);
    stage.only_grew();
    let sent = stage.sent();
    assert_eq!(sent.iter().map(Vec::len).collect::<Vec<_>>(), [1, 3, 5]);
    assert!(sent[1][2].matches("tool_result").count() >= 2, "both results in one message: {}", sent[1][2]);
    let file = std::fs::read_to_string(stage.file()).unwrap();
    let kinds: Vec<_> = file.lines().filter_map(|line| line.split(r#""type":""#).nth(1)).collect();
    assert!(kinds[0].starts_with("file-history-snapshot") && kinds[1].starts_with("user"), "{kinds:?}");
    for part in [
        r#""toolUseResult":{"said":"one"}"#,
        "turn_duration",
        "last-prompt",
        "bash_progress",
        "stop_reason\":\"end_turn\"",
    ] {
        assert!(file.contains(part), "{part}");
    }
    let history = std::fs::read_to_string(stage.home.config_dir().join("history.jsonl")).unwrap();
    assert!(history.contains("do @@a@@"), "{history}");
}

#[tokio::test]
async fn those_that_change_nothing_run_beside_each_other() {
    let many: Vec<_> = (0..12).map(|number| call("Peek", &format!(r#"{{"say":"{number}"}}"#))).collect();
    let stage = Stage::new(&format!("[{}],{END}", many.join(",")));
    assert!(stage.turn().await.is_done());
    let done = stage.done();
    assert_eq!(done[..10], (0..10).map(|number| format!("begin {number}")).collect::<Vec<_>>(), "{done:?}");
    assert_eq!(done.len(), 24);
    stage.only_grew();
}

#[tokio::test]
async fn what_cannot_run_is_answered() {
    let calls = [
        call("Nobody", "{}"),
        call("Peek", r#"{"bad":1}"#),
        call("Forbidden", "{}"),
        call("Change", r#"{"fail":"broken"}"#),
    ];
    let stage = Stage::new(&format!("[{}],{END}", calls.join(",")));
    let told = stage.turn().await;
    assert!(told.is_done());
    assert_eq!(stage.done(), ["begin broken", "end broken"]);
    let denied: Vec<_> = told.finished.denials.iter().map(|denial| denial.tool.as_str()).collect();
    assert_eq!(denied, ["Forbidden"]);
    let results = &stage.sent()[1][2];
    for part in ["No such tool", "<tool_use_error>bad must not be given", "was denied", "broken"] {
        assert!(results.contains(part), "{part}: {results}");
    }
    assert_eq!(results.matches(r#""is_error":true"#).count(), 4, "{results}");
    stage.only_grew();
}

#[tokio::test]
async fn a_call_that_was_cut_does_not_run() {
    // 0 start · 1 opens · 2–… its input; the rest is cut, and the reason says so.
    let cut = r#"{"content":[{"type":"tool_use","id":"toolu_9","name":"Change","input":{"say":"rm"}}],"stop_reason":"max_tokens"}"#;
    let stage = Stage::new(&format!("{cut},{END}"));
    let told = stage.turn().await;
    assert!(told.is_done());
    assert!(stage.done().is_empty(), "even if the input looks whole");
    assert!(stage.sent()[1][2].contains("was cut off inside this call"), "{:?}", stage.sent()[1]);
    stage.only_grew();
    let head = r#"{"type":"message_start","message":{"id":"m","model":"x","usage":{}}}"#;
    let events = [
        ("message_start", head),
        (
            "content_block_start",
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_8","name":"Change","input":{}}}"#,
        ),
        (
            "content_block_delta",
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"say\":\"r"}}"#,
        ),
        ("content_block_stop", r#"{"type":"content_block_stop","index":0}"#),
        (
            "message_delta",
            r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":1}}"#,
        ),
        ("message_stop", r#"{"type":"message_stop"}"#),
    ];
    let stream: String =
        events.iter().map(|(name, data)| format!("event: {name}\ndata: {data}\n\n")).collect();
    let mut quoted = Vec::new();
    annals_json::write_string(&mut quoted, &stream);
    let quoted = String::from_utf8(quoted).unwrap();
    let stage = Stage::new(&format!(r#"{{"content":[],"play":["head",{{"text":{quoted}}},"end"]}},{END}"#));
    assert!(stage.turn().await.is_done());
    assert!(stage.done().is_empty());
    assert!(stage.sent()[1][2].contains("INVALID_JSON"), "{:?}", stage.sent()[1]);
    stage.only_grew();
}

#[tokio::test]
async fn an_id_that_comes_twice_is_one_call() {
    let twice = r#"{"type":"tool_use","id":"toolu_7","name":"Peek","input":{"say":"x"}}"#;
    let stage = Stage::new(&format!("[{twice},{twice}],{END}"));
    let mut agent = stage.new_agent();
    let told = say(&mut agent, "@@a@@").await;
    assert!(told.is_done(), "{:?}", told.finished);
    assert_eq!(stage.done(), ["begin x", "end x"]);
    drop(agent);
    stage.holds();
}

#[tokio::test]
async fn a_person_decides_where_there_is_one() {
    for (permit, ran) in [(Permit::Allow, true), (Permit::Deny(Some("not now".into())), false)] {
        let stage = Stage::new(&format!(r#"[{}],{END}"#, call("Forbidden", r#"{"say":"it"}"#)));
        let mut agent = stage.new_agent();
        agent.turn_config.approver = Approver::Person;
        let (sender, mut commands) = Commands::channel();
        let answer = move |event: &Event| {
            if let Event::PermissionRequested(question) = event {
                assert_eq!(question.input, br#"{"say":"it"}"#);
                let command = Command::Permit { question: question.id.clone(), permit: permit.clone() };
                sender.send(command).unwrap();
            }
        };
        let told = say_with(&mut agent, "@@a@@", &mut commands, answer).await;
        assert!(told.is_done());
        assert_eq!(!stage.done().is_empty(), ran);
        assert_eq!(stage.sent()[1][2].contains("not now"), !ran);
        drop(agent);
        stage.holds();
    }
}

#[tokio::test]
async fn there_is_a_limit_to_responses() {
    let stage = Stage::new(&format!("[{}],[{}],{END}", call("Peek", "{}"), call("Peek", "{}")));
    let mut agent = stage.new_agent();
    agent.turn_config.max_responses = Some(2);
    let told = say(&mut agent, "@@a@@").await;
    assert_eq!((&told.finished.ending, told.finished.responses), (&TurnEnd::MaxResponses, 2));
    drop(agent);
    stage.holds();
    stage.only_grew();
}
