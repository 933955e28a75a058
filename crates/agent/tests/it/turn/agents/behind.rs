//! Sub-agents in the background: the turn goes on without them, and the model is told when they have ended.

use std::sync::Arc;
use std::time::Duration;

use annals_agent::api::client::Client;
use annals_agent::conversation::{ConversationStart, Persistence};
use annals_agent::protocol::{Approver, Command, Commands, Event, ToolProgress};
use annals_agent::tools::background::{BackgroundAgents, BackgroundWork, SendMessage};
use annals_agent::tools::{CallContext, Tool as _};
use annals_agent::turn::Agent;
use annals_store::session::NewSession;

use super::super::Stage;
use super::super::say;
use super::END;
use crate::api::Still;

/// A call that starts an agent in the background.
fn behind(script: &str) -> String {
    format!(
        r#"{{"type":"tool_use","name":"Agent","input":{{"description":"d","prompt":"work: @@{script}@@","subagent_type":"general-purpose","run_in_background":true}}}}"#
    )
}

fn new_session() -> ConversationStart {
    ConversationStart::New(NewSession::default())
}

const ANSWER: &str = r#"[{"type":"text","text":"the answer"}]"#;

#[tokio::test]
async fn one_that_ends_after_the_turn_opens_another() {
    let stage = Stage::scripts(&format!(
        r#"{{"a":[[{}],{END},[{{"type":"text","text":"heard"}}]],"b":[[{{"type":"tool_use","name":"Peek","input":{{"say":"seen"}}}}],{ANSWER}]}}"#,
        behind("b")
    ));
    let work = BackgroundWork::default();
    let mut agent = stage.with_agents_beside(new_session(), Persistence::File, work.queue());
    let told = say(&mut agent, "do @@a@@").await;
    // Nothing has run it so far.
    assert!(told.is_done() && told.finished.text == "fine" && agent.background.running() == ["d"]);
    let status = |agents: &BackgroundAgents| {
        let one = agents.statuses().remove(0);
        (one.command, one.status, one.output)
    };
    assert_eq!(status(&agent.background), ("d".to_owned(), "running", String::new()));
    let (_sender, mut commands) = Commands::channel();
    let mut events = Vec::new();
    let finished = work
        .beside(async {
            let ended = agent.next_notification().await.unwrap();
            let answer = ended.answer.clone().unwrap();
            assert_eq!(
                (ended.status, answer.text.as_str(), answer.tool_uses),
                ("completed", "the answer", 1)
            );
            let prompt = Command::Prompt(ended.into_prompt());
            let finished = agent.handle(prompt, &mut commands, &mut |event| events.push(event)).await;
            assert!(agent.next_notification().await.is_none(), "it is told once");
            finished.unwrap()
        })
        .await;
    assert_eq!(finished.text, "heard");
    assert_eq!(status(&agent.background), ("d".to_owned(), "completed", "the answer".to_owned()));
    assert!(
        events
            .iter()
            .any(|event| matches!(event, Event::BackgroundEnded(ended) if ended.status == "completed"))
    );
    assert_eq!(
        finished.spent.values().map(|tokens| tokens.output).sum::<u64>(),
        3 * 20,
        "two of its responses count"
    );
    drop((agent, work));
    stage.holds();
    stage.parent_only_grew();
    let text = std::fs::read_to_string(stage.file()).unwrap();
    for part in [
        r#""isAsync":true,"status":"async_launched","agentId":"a"#,
        r#""operation":"enqueue""#,
        r#""operation":"dequeue""#,
        r#""origin":{"kind":"task-notification"}"#,
        "<status>completed</status>\\n<summary>Agent \\\"d\\\" completed</summary>\\n<result>the answer</result>",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(!text.contains(r#""lastPrompt":"<task"#), "nobody typed it");
    assert!(stage.agent_texts()[0].contains("the answer"));
}

#[tokio::test]
async fn what_ended_between_two_turns_is_told_with_the_next_prompt() {
    // Nobody is asked about its calls.
    let asks = r#"[{"type":"tool_use","name":"Forbidden","input":{"say":"x"}}]"#;
    let stage =
        Stage::scripts(&format!(r#"{{"a":[[{}],{END}],"b":[{asks},{ANSWER}],"c":[{END}]}}"#, behind("b")));
    let work = BackgroundWork::default();
    let mut agent = stage.with_agents_beside(new_session(), Persistence::File, work.queue());
    agent.turn_config.approver = Approver::Person;
    assert!(say(&mut agent, "do @@a@@").await.is_done());
    work.beside(async {
        while !agent.background.running().is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    })
    .await;
    let told = say(&mut agent, "do @@a@@ @@c@@").await;
    assert!(
        told.events.iter().any(|event| matches!(event.innermost(), Event::Denied(_))),
        "{:?}",
        told.events
    );
    assert!(say(&mut agent, "do @@a@@ @@c@@ again").await.is_done());
    drop((agent, work));
    stage.holds();
    stage.parent_only_grew();
    let text = std::fs::read_to_string(stage.file()).unwrap();
    assert_eq!(text.matches(r#""commandMode":"task-notification""#).count(), 1, "{text}");
    let sent = stage.sent();
    let told = sent.iter().filter(|sent| sent.last().unwrap().contains("<result>the answer</result>"));
    assert_eq!(told.count(), 1, "{sent:#?}");
}

#[tokio::test]
async fn one_that_is_stopped_completes_its_file() {
    let waits = r#"[{"type":"tool_use","name":"Peek","input":{"say":"slow","wait":true}}]"#;
    let stage = Stage::scripts(&format!(r#"{{"a":[[{}],{END}],"b":[{waits}]}}"#, behind("b")));
    let work = BackgroundWork::default();
    let mut agent = stage.with_agents_beside(new_session(), Persistence::File, work.queue());
    let told = say(&mut agent, "do @@a@@").await;
    let id = told.events.iter().find_map(|event| match event {
        Event::ToolProgress { progress: ToolProgress::SubagentStarted { agent, .. }, .. } => {
            Some(agent.clone())
        }
        _ => None,
    });
    let id = id.unwrap();
    work.beside(async {
        while !stage.done().contains(&"begin slow".to_owned()) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        assert!(agent.background.stop(&id) && !agent.background.stop(&id) && !agent.background.stop("x"));
        let ended = agent.next_notification().await.unwrap();
        assert_eq!((ended.status, ended.answer), ("killed", None));
        while !stage.agent_texts()[0].contains("[Request interrupted by user for tool use]") {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    })
    .await;
    drop((agent, work));
    stage.holds();
}

#[tokio::test]
async fn without_anything_that_runs_it_the_call_waits_for_its_answer() {
    let stage = Stage::scripts(&format!(r#"{{"a":[[{}],{END}],"b":[{ANSWER}]}}"#, behind("b")));
    let mut agent = stage.new_with_agents();
    assert!(say(&mut agent, "do @@a@@").await.is_done());
    drop(agent);
    stage.holds();
    assert!(stage.sent().pop().unwrap()[2].contains("the answer"));
}

/// Sends a message to the only agent of the conversation, as the model would.
async fn send(agent: &Agent<'_, Client, Still>, to: &str, message: &str) -> String {
    let tool = SendMessage::new(Arc::clone(&agent.background));
    let input = format!(r#"{{"to":"{to}","message":"{message}"}}"#);
    let call = CallContext { tool_use: "toolu_message", tell: &|_| {}, agreed: None, parent: None };
    String::from_utf8(tool.run(input.as_bytes(), &call).await.kept).unwrap()
}

fn started(events: &[Event]) -> String {
    let id = events.iter().find_map(|event| match event {
        Event::ToolProgress { progress: ToolProgress::SubagentStarted { agent, .. }, .. } => {
            Some(agent.clone())
        }
        _ => None,
    });
    id.unwrap()
}

#[tokio::test]
async fn one_that_has_ended_continues_with_a_message() {
    for is_behind in [true, false] {
        let call = if is_behind { behind("b") } else { behind("b").replace("true", "false") };
        let stage = Stage::scripts(&format!(
            r#"{{"a":[[{call}],{END}],"b":[{ANSWER}],"c":[[{{"type":"text","text":"the second answer"}}]]}}"#
        ));
        let work = BackgroundWork::default();
        let mut agent = stage.with_agents_beside(new_session(), Persistence::File, work.queue());
        work.beside(async {
            let told = say(&mut agent, "do @@a@@").await;
            let id = started(&told.events);
            if is_behind {
                assert_eq!(agent.next_notification().await.unwrap().answer.unwrap().text, "the answer");
            }
            assert_eq!(agent.background.statuses().len(), usize::from(is_behind), "it was waited for");
            assert!(agent.background.is_idle());
            let answer = send(&agent, &id, "and then @@c@@").await;
            assert!(
                answer.contains(r#""success":true"#) && answer.contains(r#""resumedAgentId":"a"#),
                "{answer}"
            );
            assert!(!agent.background.is_idle() && agent.background.statuses()[0].status == "running");
            let ended = agent.next_notification().await.unwrap();
            assert_eq!((ended.call.as_str(), ended.status), ("toolu_message", "completed"));
            assert_eq!(ended.answer.unwrap().text, "the second answer");
            assert!(agent.next_notification().await.is_none());
        })
        .await;
        drop((agent, work));
        stage.holds();
        let texts = stage.agent_texts();
        assert_eq!(texts.len(), 1, "one file");
        assert!(
            texts[0].contains(r#""isMeta":true"#) && texts[0].contains(r#""origin":{"kind":"coordinator"}"#),
            "{}",
            texts[0]
        );
        let sent = stage.sent().pop().unwrap();
        assert!(sent.iter().any(|message| message.contains("the answer")), "it knows what it said: {sent:?}");
        assert!(sent.last().unwrap().contains("and then @@c@@"), "{sent:?}");
    }
}

#[tokio::test]
async fn one_that_works_gets_a_message_when_it_can() {
    let peeks = r#"[{"type":"tool_use","name":"Peek","input":{"say":"seen"}}]"#;
    let more = r#"[{"type":"text","text":"more"}]"#;
    // With the results of its calls, or behind its last answer.
    for (steps, answer) in
        [(format!("{peeks},{ANSWER}"), "the answer"), (format!("{ANSWER},{more}"), "the answer\n\nmore")]
    {
        let stage = Stage::scripts(&format!(r#"{{"a":[[{}],{END}],"b":[{steps}]}}"#, behind("b")));
        let work = BackgroundWork::default();
        let mut agent = stage.with_agents_beside(new_session(), Persistence::File, work.queue());
        // Nothing runs it yet.
        let told = say(&mut agent, "do @@a@@").await;
        let sent = send(&agent, &started(&told.events), "also this").await;
        assert!(sent.contains(r#""success":true"#) && !sent.contains("resumedAgentId"), "{sent}");
        for (to, why) in [("nobody", "Cannot reach agent"), ("main", "main is this conversation")] {
            let sent = send(&agent, to, "x").await;
            assert!(sent.contains(r#""success":false"#) && sent.contains(why), "{sent}");
        }
        work.beside(async {
            assert_eq!(agent.next_notification().await.unwrap().answer.unwrap().text, answer);
            assert!(agent.next_notification().await.is_none());
        })
        .await;
        drop((agent, work));
        stage.holds();
        let file = &stage.agent_texts()[0];
        let record = match steps.contains("Peek") {
            true => r#""origin":{"kind":"coordinator"},"isMeta":true}"#,
            false => r#""origin":{"kind":"coordinator"}"#,
        };
        assert!(file.contains(record) && !file.contains("queue-operation"), "{file}");
        let last = stage.sent().pop().unwrap();
        assert!(last.last().unwrap().contains("also this"), "{last:?}");
    }
}

#[tokio::test]
async fn a_message_for_one_that_has_just_ended_loses_no_answer() {
    let more = r#"[{"type":"text","text":"more"}]"#;
    let stage = Stage::scripts(&format!(r#"{{"a":[[{}],{END}],"b":[{ANSWER},{more}]}}"#, behind("b")));
    let work = BackgroundWork::default();
    let mut agent = stage.with_agents_beside(new_session(), Persistence::File, work.queue());
    work.beside(async {
        let told = say(&mut agent, "do @@a@@").await;
        while agent.background.statuses()[0].status == "running" {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        // Nobody was told of its end.
        let sent = send(&agent, &started(&told.events), "also this").await;
        assert!(sent.contains("resumedAgentId"), "{sent}");
        let ended = agent.next_notification().await.unwrap();
        assert_eq!(ended.answer.unwrap().text, "the answer\n\nmore");
        assert!(agent.next_notification().await.is_none(), "it is told once");
    })
    .await;
    drop((agent, work));
    stage.holds();
}

#[tokio::test]
async fn a_message_for_one_that_is_being_stopped_is_answered() {
    let more = r#"[{"type":"text","text":"more"}]"#;
    let stall = r#"{"content":[{"type":"text","text":"never"}],"play":["stall"]}"#;
    let stage = Stage::scripts(&format!(r#"{{"a":[[{}],{END}],"b":[{stall}],"c":[{more}]}}"#, behind("b")));
    let work = BackgroundWork::default();
    let mut agent = stage.with_agents_beside(new_session(), Persistence::File, work.queue());
    work.beside(async {
        let told = say(&mut agent, "do @@a@@").await;
        let id = started(&told.events);
        tokio::time::sleep(Duration::from_millis(50)).await;
        send(&agent, &id, "before the stop").await;
        assert!(agent.background.stop(&id));
        // It has not run since.
        let sent = send(&agent, &id, "then @@c@@").await;
        assert!(sent.contains("resumedAgentId"), "{sent}");
        let ended = agent.next_notification().await.unwrap();
        assert_eq!((ended.status, ended.answer.unwrap().text.as_str()), ("completed", "more"));
        assert!(agent.next_notification().await.is_none(), "it is told once");
    })
    .await;
    drop((agent, work));
    stage.holds();
    let file = &stage.agent_texts()[0];
    assert!(file.contains("then @@c@@") && !file.contains("before the stop"), "{file}");
}
