//! The end of sub-agents by a failure, an interrupt or a kill; and permission questions passed to the parent.

use std::sync::Mutex;

use annals_agent::api::stream::StreamEvent;
use annals_agent::conversation::{ConversationStart, Persistence};
use annals_agent::protocol::{
    Approver, Command, Commands, Event, Notice, Permit, Prompt, ToolProgress, TurnEnd,
};

use super::super::{Stage, interrupting, say, say_with};
use super::{END, agent, depth};

#[tokio::test]
async fn one_that_fails_is_an_error_and_the_turn_goes_on() {
    let fails = r#"{"status":400,"error":"invalid_request_error","message":"no","content":[]}"#;
    let stage = Stage::scripts(&format!(
        r#"{{"a":[[{},{}],{END}],"b":[{fails}],"c":[{END}]}}"#,
        agent("peeker", "b"),
        agent("peeker", "c")
    ));
    let mut agent = stage.new_with_agents();
    let told = say(&mut agent, "do @@a@@").await;
    assert!(told.is_done());
    drop(agent);
    stage.holds();
    stage.parent_only_grew();
    let results = stage.sent().pop().unwrap()[2].clone();
    assert!(
        results.contains("The agent failed")
            && results.contains(r#""is_error":true"#)
            && results.contains("fine"),
        "{results}"
    );
    assert!(stage.agent_texts().iter().any(|text| text.contains("isApiErrorMessage")));
}

#[tokio::test]
async fn an_interrupt_ends_all_and_leaves_their_files_whole() {
    let waits = r#"[{"type":"text","text":"so"},{"type":"tool_use","name":"Peek","input":{"say":"slow","wait":true}}]"#;
    let stalls = r#"{"content":[{"type":"text","text":"one"},{"type":"text","text":"two"}],"play":["head",{"events":[0,6]},"stall"]}"#;
    let calls = [agent("general-purpose", "b"), agent("general-purpose", "c"), agent("general-purpose", "d")]
        .join(",");
    let stage = Stage::scripts(&format!(
        r#"{{"a":[[{calls}],{END}],"b":[{waits}],"c":[{stalls}],"d":[[{}],{END}],"e":[{waits}]}}"#,
        agent("general-purpose", "e")
    ));
    let mut agent = stage.new_with_agents();
    let (sender, mut commands) = Commands::channel();
    let seen = Mutex::new((0, 0));
    // Two tools wait, one of them two deep, and a response has begun.
    let when = |event: &Event| {
        let mut seen = seen.lock().unwrap();
        match event.innermost() {
            Event::ToolProgress { progress: ToolProgress::Output { .. }, .. } => seen.0 += 1,
            Event::Streamed(StreamEvent::BlockStart { index: 1, .. }) if depth(event) == 1 => seen.1 += 1,
            _ => {}
        }
        seen.0 >= 2 && seen.1 >= 2
    };
    let told = say_with(&mut agent, "do @@a@@", &mut commands, interrupting(sender, when)).await;
    assert_eq!(told.finished.ending, TurnEnd::Interrupted);
    stage.holds();
    assert_eq!(stage.agent_files().len(), 4);
    for text in stage.agent_texts() {
        assert!(text.contains("[Request interrupted by user"), "{text}");
    }
    assert!(!stage.done().iter().any(|step| step.starts_with("end")));
    // The next turn works, live and read again.
    assert!(say(&mut agent, "and then?").await.is_done());
    drop(agent);
    let mut agent = stage.with_agents(ConversationStart::Resume(stage.file()), Persistence::File);
    assert!(say(&mut agent, "once more").await.is_done());
    drop(agent);
    stage.holds();
    stage.parent_only_grew();
}

#[tokio::test]
async fn a_person_is_asked_from_inside_and_each_answer_finds_its_call() {
    let asks = |said: &str| {
        format!(
            r#"[{{"type":"tool_use","name":"Forbidden","input":{{"say":"{said}"}}}}],[{{"type":"text","text":"{said} over"}}]"#
        )
    };
    let calls = [agent("general-purpose", "b"), agent("general-purpose", "c"), agent("general-purpose", "d")]
        .join(",");
    let stage = Stage::scripts(&format!(
        r#"{{"a":[[{calls}],{END}],"b":[{}],"c":[{}],"d":[[{}],{END}],"e":[{}]}}"#,
        asks("yes-b"),
        asks("no-c"),
        agent("general-purpose", "e"),
        asks("yes-e")
    ));
    let mut agent = stage.new_with_agents();
    agent.turn_config.approver = Approver::Person;
    let (sender, mut commands) = Commands::channel();
    let mut waiting = Vec::new();
    // Only when all three wait are they answered, the last one first.
    let answer = move |event: &Event| {
        if let Event::PermissionRequested(question) = event.innermost() {
            waiting.push(question.clone());
            if waiting.len() == 3 {
                for question in waiting.iter().rev() {
                    let allowed = String::from_utf8_lossy(&question.input).contains("yes");
                    let permit = if allowed { Permit::Allow } else { Permit::Deny(Some("not that".into())) };
                    sender.send(Command::Permit { question: question.id.clone(), permit }).unwrap();
                }
            }
        }
    };
    let told = say_with(&mut agent, "do @@a@@", &mut commands, answer).await;
    assert!(told.is_done(), "{:?}", told.finished);
    drop(agent);
    stage.holds();
    let mut done = stage.done();
    done.sort();
    assert_eq!(done, ["begin yes-b", "begin yes-e", "end yes-b", "end yes-e"]);
    assert!(stage.agent_texts().iter().any(|text| text.contains("not that")));
    assert_eq!(told.finished.denials.len(), 1, "what is denied inside counts outside");
}

#[tokio::test]
async fn one_yes_is_for_one_question_though_two_calls_have_one_id() {
    let asks = |said: &str| {
        format!(
            r#"[{{"type":"tool_use","id":"call_1","name":"Forbidden","input":{{"say":"{said}"}}}}],[{{"type":"text","text":"over"}}]"#
        )
    };
    let calls = [agent("general-purpose", "b"), agent("general-purpose", "c")].join(",");
    let stage = Stage::scripts(&format!(
        r#"{{"a":[[{calls}],{END}],"b":[{}],"c":[{}]}}"#,
        asks("yes-b"),
        asks("no-c")
    ));
    let mut agent = stage.new_with_agents();
    agent.turn_config.approver = Approver::Person;
    let (sender, mut commands) = Commands::channel();
    let mut waiting = Vec::new();
    let answer = move |event: &Event| {
        if let Event::PermissionRequested(question) = event.innermost() {
            assert_eq!(question.call, "call_1");
            waiting.push(question.clone());
            // The yes comes first, while both wait.
            waiting.sort_by_key(|question| !String::from_utf8_lossy(&question.input).contains("yes"));
            if waiting.len() == 2 {
                for (question, permit) in waiting.iter().zip([Permit::Allow, Permit::Deny(None)]) {
                    sender.send(Command::Permit { question: question.id.clone(), permit }).unwrap();
                }
            }
        }
    };
    assert!(say_with(&mut agent, "do @@a@@", &mut commands, answer).await.is_done());
    drop(agent);
    stage.holds();
    assert_eq!(stage.done(), ["begin yes-b", "end yes-b"]);
}

#[tokio::test]
async fn where_nobody_is_asked_inside_is_denied_too() {
    let stage = Stage::scripts(&format!(
        r#"{{"a":[[{}],{END}],"b":[[{{"type":"tool_use","name":"Forbidden","input":{{}}}}],{END}]}}"#,
        agent("general-purpose", "b")
    ));
    let mut agent = stage.new_with_agents();
    let told = say(&mut agent, "do @@a@@").await;
    assert!(told.is_done() && told.finished.denials.len() == 1 && stage.done().is_empty());
}

#[tokio::test]
async fn killed_while_one_works_it_goes_on() {
    let stage = Stage::scripts(&format!(
        r#"{{"a":[[{}],{END}],"b":[[{{"type":"tool_use","name":"Peek","input":{{"wait":true}}}}]]}}"#,
        agent("general-purpose", "b")
    ));
    let mut agent = stage.new_with_agents();
    let (_sender, mut commands) = Commands::channel();
    let (tell, told) = tokio::sync::oneshot::channel::<()>();
    let mut tell = Some(tell);
    let mut report = |event: Event| {
        if matches!(event.innermost(), Event::ToolProgress { progress: ToolProgress::Output { .. }, .. }) {
            tell.take().map(|tell| tell.send(()));
        }
    };
    let prompt = Command::Prompt(Prompt::Text("do @@a@@".into()));
    tokio::select! {
        _ = agent.handle(prompt, &mut commands, &mut report) => panic!("it never ends"),
        _ = told => {}
    }
    drop(agent);
    let inside = stage.agent_texts();
    assert!(inside[0].ends_with('\n') && inside[0].contains("tool_use"));
    let mut agent = stage.with_agents(ConversationStart::Resume(stage.file()), Persistence::File);
    assert!(say(&mut agent, "what now?").await.is_done());
    drop(agent);
    let sent = stage.sent().pop().unwrap();
    assert!(sent[2].contains("The session ended before this call was answered"), "{sent:#?}");
    assert_eq!(stage.agent_texts(), inside, "what was inside stays as it was");
    for request in stage.api.requests() {
        assert_eq!(request.violations, []);
    }
}

#[tokio::test]
async fn one_that_cannot_be_written_works_in_memory() {
    let stage = Stage::scripts(&format!(
        r#"{{"a":[[{}],{END}],"b":[[{{"type":"tool_use","name":"Peek","input":{{"say":"x"}}}}],{END}]}}"#,
        agent("general-purpose", "b")
    ));
    let mut parent = stage.new_with_agents();
    assert!(say(&mut parent, "hello").await.is_done());
    // Where the folder should be, there is a file.
    let folder = stage.file().with_extension("");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("subagents"), "").unwrap();
    let told = say(&mut parent, "do @@a@@").await;
    assert!(told.is_done());
    let is_told = |event: &Event| {
        depth(event) == 1 && matches!(event.innermost(), Event::Notice(Notice::NotWritten(_)))
    };
    assert!(told.events.iter().any(is_told), "nobody was told");
    assert_eq!(stage.done(), ["begin x", "end x"]);
    drop(parent);
    stage.holds();
}
