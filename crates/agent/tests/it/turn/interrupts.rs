//! Interrupts in every phase: written records stay, every call has a result, and the next turn works.

use annals_agent::api::stream::StreamEvent;
use annals_agent::protocol::{Approver, Command, Commands, Event, TurnEnd, UsageStorage};

use super::{Stage, interrupting, say, say_with};

async fn interrupted(stage: &Stage, approver: Approver, when: impl Fn(&Event) -> bool + Send) -> String {
    let mut agent = stage.new_agent();
    agent.turn_config.approver = approver;
    let (sender, mut commands) = Commands::channel();
    let told = say_with(&mut agent, "do @@a@@", &mut commands, interrupting(sender, when)).await;
    assert_eq!(told.finished.ending, TurnEnd::Interrupted);
    stage.holds();
    let file = std::fs::read_to_string(stage.file()).unwrap();
    assert!(file.contains("[Request interrupted by user"), "{file}");
    // Live, and by somebody who reads the file: the same request.
    let told = say(&mut agent, "and then?").await;
    assert!(told.is_done(), "{:?}", told.finished.ending);
    drop(agent);
    stage.holds();
    stage.only_grew();
    let mut agent = stage.resumed();
    assert!(say(&mut agent, "once more").await.is_done());
    drop(agent);
    stage.holds();
    stage.only_grew();
    file
}

#[tokio::test]
async fn while_nothing_has_come() {
    let stage = Stage::new(r#"{"content":[],"play":["head","stall"]}"#);
    let mut agent = stage.new_agent();
    let (sender, mut commands) = Commands::channel();
    // The prompt is written; nothing of the response is.
    let later = tokio::spawn(async move {
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        sender.send(Command::Interrupt).unwrap();
    });
    let told = say_with(&mut agent, "do @@a@@", &mut commands, |_| {}).await;
    later.await.unwrap();
    assert_eq!(told.finished.ending, TurnEnd::Interrupted);
    drop(agent);
    stage.holds();
}

#[tokio::test]
async fn while_it_streams() {
    // 0 start · 1–3 text · 4–7 call · 8 the second call opens
    let content = r#""content":[{"type":"text","text":"one"},{"type":"tool_use","name":"Peek","input":{}},
        {"type":"tool_use","name":"Peek","input":{}}]"#;
    let stage = Stage::new(&format!(r#"{{{content},"play":["head",{{"events":[0,10]}},"stall"]}}"#));
    let is_second_open = |event: &Event| {
        matches!(event, Event::Streamed(annals_agent::api::stream::StreamEvent::BlockStart { index: 2, .. }))
    };
    let file = interrupted(&stage, Approver::Nobody, is_second_open).await;
    assert!(stage.done().is_empty(), "nothing ran");
    assert_eq!(file.matches(r#""type":"tool_use""#).count(), 1, "{file}");
}

#[tokio::test]
async fn while_tools_run() {
    let stage = Stage::new(
        r#"[{"type":"tool_use","name":"Peek","input":{"say":"quick"}},
            {"type":"tool_use","name":"Peek","input":{"say":"slow","wait":true}},
            {"type":"tool_use","name":"Change","input":{"say":"never"}}]"#,
    );
    let file = interrupted(&stage, Approver::Nobody, {
        let done = std::sync::Arc::clone(&stage.done);
        move |event| {
            let quick = done.lock().unwrap().iter().any(|step| step == "end quick");
            matches!(event, Event::ToolProgress { .. }) || quick
        }
    })
    .await;
    assert!(!stage.done().iter().any(|step| step.contains("never") || step == "end slow"));
    assert!(file.contains("interrupted by user for tool use"), "{file}");
}

#[tokio::test]
async fn while_a_person_is_asked() {
    let stage = Stage::new(
        r#"[{"type":"tool_use","name":"Forbidden","input":{}},{"type":"tool_use","name":"Change","input":{}}]"#,
    );
    interrupted(&stage, Approver::Person, |event| matches!(event, Event::PermissionRequested(_))).await;
    assert!(stage.done().is_empty());
}

#[tokio::test]
async fn what_an_interrupted_response_counted_is_counted() {
    // 0 start · 1–4 text · 5 the second opens
    let content = r#""content":[{"type":"text","text":"one"},{"type":"text","text":"two"}],"usage":{"input_tokens":5000}"#;
    for (events, storage) in [(6, UsageStorage::Session), (2, UsageStorage::None)] {
        let stage =
            Stage::new(&format!(r#"{{{content},"play":["head",{{"events":[0,{events}]}},"stall"]}}"#));
        let mut agent = stage.new_agent();
        let (sender, mut commands) = Commands::channel();
        let last = if events == 6 { 1 } else { 0 };
        let when = move |event: &Event| matches!(event, Event::Streamed(StreamEvent::BlockStart { index, .. }) if *index == last);
        let told = say_with(&mut agent, "do @@a@@", &mut commands, interrupting(sender, when)).await;
        assert_eq!(told.finished.ending, TurnEnd::Interrupted);
        assert_eq!(told.finished.spent["claude-opus-4-8"].input, 5000);
        let counted = told.events.iter().filter_map(|event| match event {
            Event::Usage { storage, .. } => Some(*storage),
            _ => None,
        });
        assert_eq!(counted.collect::<Vec<_>>(), [storage]);
        drop(agent);
        stage.holds();
    }
}
