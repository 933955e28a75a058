//! The items of a conversation.

use annals_transcript::transcript::Transcript;
use annals_ui::view::{BranchDetail, Item, ItemBody, PromptKind};
use annals_ui::{Conversation, ViewOptions};

use crate::session::Session;

fn build(session: &Session, options: ViewOptions) -> Conversation {
    Conversation::build(&Transcript::parse(&session.bytes()), &[], options)
}

/// The items in a word each.
fn outline(conversation: &Conversation) -> Vec<String> {
    let word = |item: &Item| match &item.body {
        ItemBody::Prompt(prompt) => format!("prompt {}", prompt.text),
        ItemBody::Text(speech) => format!("text {}", speech.text),
        ItemBody::ToolCall(call) => format!("call {} {}", call.id, call.result.is_some()),
        ItemBody::Branch(branch) => format!("branch {}", branch.ways.len()),
        ItemBody::Compaction(_) => "compaction".to_owned(),
        ItemBody::Agent(agent) => format!("agent {}", agent.conversation.items.len()),
        ItemBody::Damage(attention) => attention.problem.to_owned(),
        ItemBody::TurnEnd(turn) => format!("end {}", turn.tool_calls),
        other => format!("{other:?}").split(['(', ' ', '{']).next().unwrap_or_default().to_owned(),
    };
    conversation.items.iter().map(word).collect()
}

#[test]
fn parallel_calls_stand_together_with_their_results() {
    // One response whose lines hang on two branches: each result under its own call.
    let line = |uuid: &str, parent: &str, id: &str| {
        format!(
            r#"{{"type":"assistant","uuid":"{uuid}","parentUuid":"{parent}","message":{{"id":"m","model":"x","content":[{{"type":"tool_use","id":"{id}","name":"Bash","input":{{}}}}]}}}}"#
        )
    };
    let result = |uuid: &str, parent: &str, id: &str| {
        format!(
            r#"{{"type":"user","uuid":"{uuid}","parentUuid":"{parent}","message":{{"content":[{{"type":"tool_result","tool_use_id":"{id}","content":"r"}}]}}}}"#
        )
    };
    let session = Session::new()
        .prompt("go")
        .raw(&line("a", "u1", "t1"))
        .raw(&result("ra", "a", "t1"))
        .raw(&line("b", "a", "t2"))
        .raw(&result("rb", "b", "t2"))
        .after("ra")
        .say("done");
    let conversation = build(&session, ViewOptions::default());
    assert_eq!(outline(&conversation), ["prompt go", "call t1 true", "call t2 true", "text done", "end 2"]);
}

#[test]
fn ways_left_are_named_and_told_when_asked() {
    let session =
        Session::new().prompt("one").say("1").prompt("left").say("2").after("u2").prompt("taken").say("3");
    let named = build(&session, ViewOptions::default());
    let expected = ["prompt one", "text 1", "end 0", "branch 1", "prompt taken", "text 3", "end 0"];
    assert_eq!(outline(&named), expected);
    let told = build(&session, ViewOptions { branches: BranchDetail::Full });
    let ItemBody::Branch(branch) = &told.items[3].body else { panic!() };
    assert_eq!(
        (branch.ways[0].line, branch.ways[0].messages, branch.ways[0].opening.as_str()),
        (3, 2, "left")
    );
    assert_eq!(outline(branch.ways[0].conversation.as_ref().unwrap()), ["prompt left", "text 2", "end 0"]);
}

#[test]
fn agents_inside_the_file_stand_under_the_call_that_asked_the_same() {
    let side = |uuid: &str, text: &str| {
        format!(
            r#"{{"type":"user","uuid":"{uuid}","parentUuid":null,"isSidechain":true,"message":{{"content":"{text}"}}}}"#
        )
    };
    let session = Session::new()
        .prompt("go")
        .call("t1", "Task", r#"{"prompt":"find it"}"#)
        .raw(&side("s1", "find it"))
        .raw(&side("s2", "nobody asked"))
        .result("t1", "found", r#"{"content":[],"totalDurationMs":1,"totalTokens":2}"#);
    let conversation = build(&session, ViewOptions::default());
    assert_eq!(outline(&conversation), ["prompt go", "call t1 true", "agent 1", "end 1"]);
    let ItemBody::ToolCall(call) = &conversation.items[1].body else { panic!() };
    assert_eq!(outline(&call.agents[0].conversation), ["prompt find it"]);
}

#[test]
fn a_queued_prompt_that_only_the_queue_knows_is_a_prompt() {
    let queue = |operation: &str, text: &str| {
        format!(r#"{{"type":"queue-operation","operation":"{operation}","content":"{text}"}}"#)
    };
    let session = Session::new()
        .prompt("go")
        .raw(&queue("enqueue", "and that"))
        .raw(&queue("remove", "and that"))
        .raw(&queue("enqueue", "withdrawn"))
        .raw(&queue("popAll", ""))
        .raw(&queue("enqueue", "next"))
        .raw(&queue("dequeue", ""))
        .prompt("next");
    let conversation = build(&session, ViewOptions::default());
    assert_eq!(outline(&conversation), ["prompt go", "prompt and that", "prompt next"]);
    let ItemBody::Prompt(prompt) = &conversation.items[1].body else { panic!() };
    assert_eq!((prompt.author, conversation.items[1].position.is_off_path), (PromptKind::Queued, false));
}

#[test]
fn nothing_unknown_or_damaged_is_dropped() {
    let session = Session::new()
        .prompt("go")
        .raw(r#"{"type":"new-record"}"#)
        .raw(r#"{"no":"type"}"#)
        .raw("not json")
        .block(r#"{"type":"new_block","x":1}"#)
        .line("system", r#""subtype":"new_event","content":"hello""#)
        .line("attachment", r#""attachment":{"type":"new_kind","content":"x"}"#)
        .result("t9", "orphan", "{}");
    let expected = [
        "prompt go",
        "Unknown",
        "Unknown",
        "not-json",
        "Unknown",
        "Note",
        "Attachment",
        "call t9 true",
        "end 0",
    ];
    assert_eq!(outline(&build(&session, ViewOptions::default())), expected);
}

#[test]
fn a_missing_parent_is_said_and_what_came_before_is_still_told() {
    let session = Session::new().prompt("before").say("1").after("gone").prompt("after");
    let conversation = build(&session, ViewOptions::default());
    let expected = ["prompt before", "text 1", "end 0", "dangling-parent", "prompt after"];
    assert_eq!(outline(&conversation), expected);
}

#[test]
fn an_empty_file_and_circles_end() {
    assert!(build(&Session::new(), ViewOptions::default()).items.is_empty());
    let circle = r#"{"type":"user","uuid":"a","parentUuid":"b","message":{"content":"x"}}"#;
    let other = r#"{"type":"user","uuid":"b","parentUuid":"a","message":{"content":"y"}}"#;
    let session = Session::new().raw(circle).raw(other);
    assert_eq!(build(&session, ViewOptions { branches: BranchDetail::Full }).items.len(), 2);
}
