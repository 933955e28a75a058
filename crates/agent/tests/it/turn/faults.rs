//! What goes wrong between us and the API, and why responses end.

use annals_agent::api::call::CallError;
use annals_agent::turn::{Ending, TurnError};

use super::{Stage, say};

const END: &str = r#"[{"type":"text","text":"fine"}]"#;
/// Events: 0 start · 1–5 thinking · 6–8 text · 9–12 call · 13 reason · 14 stop.
const CONTENT: &str = r#""content":[{"type":"thinking","thinking":"plän"},{"type":"text","text":"Hallo 😀"},
    {"type":"tool_use","id":"toolu_1","name":"Change","input":{"say":"x"}}]"#;

#[tokio::test]
async fn f1_f2_retries_leave_one_response_and_notes() {
    for parts in [r#""reset""#, r#""head",{"events":[0,4]}"#, r#""head",{"events":[0,6]}"#] {
        let stage = Stage::new(&format!(r#"{{{CONTENT},"play":[{parts}],"times":2}},{END}"#));
        assert!(stage.turn().await.is_done(), "{parts}");
        let file = std::fs::read_to_string(stage.file()).unwrap();
        assert_eq!(file.matches("api_error").count(), 2, "{parts}");
        assert_eq!(file.matches(r#""type":"thinking""#).count(), 1, "{parts}: thoughts of one try");
        assert_eq!(stage.done(), ["begin x", "end x"]);
    }
}

#[tokio::test]
async fn f3_a_cut_inside_the_second_block_keeps_the_first() {
    let two = r#""content":[{"type":"text","text":"one"},{"type":"text","text":"two"}]"#;
    let stage = Stage::new(&format!(r#"{{{two},"play":["head",{{"events":[0,7]}}]}},{END}"#));
    let mut agent = stage.new_agent();
    let told = say(&mut agent, "do @@a@@").await;
    // What was to come is asked for: the model may not have been done.
    assert!(told.is_done() && told.finished.text == "fine" && stage.sent().len() == 2);
    assert!(told.notices()[0].contains("may be incomplete"), "{:?}", told.notices());
    let told = say(&mut agent, "go on").await;
    assert!(told.is_done());
    drop(agent);
    stage.holds();
    stage.only_grew();
    assert!(!std::fs::read_to_string(stage.file()).unwrap().contains(r#""text":"two""#));
}

#[tokio::test]
async fn f4_a_call_that_stands_is_run_once() {
    let stage = Stage::new(&format!(r#"{{{CONTENT},"play":["head",{{"events":[0,13]}}]}},{END}"#));
    assert!(stage.turn().await.is_done());
    assert_eq!(stage.done(), ["begin x", "end x"]);
    assert_eq!(stage.sent().len(), 2, "nothing is asked for twice");
    stage.only_grew();
}

#[tokio::test]
async fn f4_a_call_that_broke_off_is_asked_for_again_and_the_turn_is_no_success_without_it() {
    let broken = format!(r#"{{{CONTENT},"play":["head",{{"events":[0,11]}}]}}"#);
    let call = r#"[{"type":"tool_use","name":"Change","input":{"say":"y"}}]"#;
    let stage = Stage::new(&format!("{broken},{call},{END}"));
    assert!(stage.turn().await.is_done());
    assert_eq!(stage.done(), ["begin y", "end y"]);
    stage.only_grew();
    // Again and again: it is said that it failed, and the next turn works.
    let stage = Stage::new(&[broken.as_str(); 4].join(","));
    let mut agent = stage.new_agent();
    let told = say(&mut agent, "do @@a@@").await;
    let Ending::Failed(TurnError::Call(CallError::Failed { .. })) = told.finished.ending else {
        panic!("{:?}", told.finished.ending)
    };
    assert_eq!((stage.sent().len(), stage.done().len()), (4, 0));
    assert!(say(&mut agent, "hello").await.is_done());
    drop(agent);
    stage.holds();
    stage.only_grew();
}

#[tokio::test]
async fn counts_that_cannot_be_are_no_reason_to_fall() {
    let most = u64::MAX;
    let stage = Stage::new(&format!(
        r#"{{"content":[{{"type":"text","text":"x"}}],"usage":{{"input_tokens":{most},"output_tokens":{most}}}}}"#
    ));
    assert!(stage.turn().await.is_done());
}

#[tokio::test]
async fn f7_f8_a_failure_is_written_and_the_next_turn_works() {
    for step in [
        r#"{"status":401,"error":"authentication_error","message":"no such key","times":1}"#,
        r#"{"status":529,"error":"overloaded_error","times":11}"#,
    ] {
        let stage = Stage::new(step);
        let mut agent = stage.new_agent();
        let told = say(&mut agent, "do @@a@@").await;
        let Ending::Failed(TurnError::Call(CallError::Failed { .. })) = told.finished.ending else {
            panic!("{:?}", told.finished.ending)
        };
        let file = std::fs::read_to_string(stage.file()).unwrap();
        assert!(file.contains(r#""isApiErrorMessage":true"#) && file.contains("<synthetic>"), "{file}");
        assert!(say(&mut agent, "hello").await.is_done());
        drop(agent);
        stage.holds();
    }
}

#[tokio::test]
async fn f15_every_reason_is_understood() {
    let step = |reason: &str| {
        format!(r#"{{"content":[{{"type":"text","text":"a bit"}}],"stop_reason":"{reason}"}},{END}"#)
    };
    for (reason, requests, notice) in [
        ("end_turn", 1, ""),
        ("stop_sequence", 1, ""),
        ("max_tokens", 2, "limit of tokens"),
        ("refusal", 1, "refused"),
        ("tired", 1, "unknown reason: tired"),
    ] {
        let stage = Stage::new(&step(reason));
        let told = stage.turn().await;
        assert!(told.is_done(), "{reason}");
        assert_eq!(stage.sent().len(), requests, "{reason}");
        assert!(told.notices().join("\n").contains(notice), "{reason}: {:?}", told.notices());
        stage.only_grew();
    }
}

#[tokio::test]
async fn f15_a_response_cut_inside_its_thinking_is_not_sent_back() {
    let thought = r#"{"type":"thinking","thinking":"hm"}"#;
    let text = r#"{"type":"text","text":"a bit"}"#;
    for content in [thought.to_owned(), format!("{text},{thought}")] {
        let stage =
            Stage::new(&format!(r#"{{"content":[{content}],"stop_reason":"max_tokens"}},{END},{END},{END}"#));
        let mut agent = stage.new_agent();
        let told = say(&mut agent, "do @@a@@").await;
        assert!(told.is_done(), "{:?}", told.finished.ending);
        assert!(say(&mut agent, "and then?").await.is_done());
        drop(agent);
        // No request breaks a rule.
        stage.holds();
        assert!(!stage.sent().concat().concat().contains(r#""thinking":"hm""#));
    }
}

#[tokio::test]
async fn f17_thinking_that_is_refused_is_left_out_once() {
    let refused = r#"{"status":400,"error":"invalid_request_error","message":"messages.1.content.0: Invalid `signature` in `thinking` block","times":1}"#;
    let stage = Stage::scripts(&format!(
        r#"{{"a":[[{{"type":"thinking","thinking":"old"}},{{"type":"text","text":"one"}}]],"b":[{}]}}"#,
        refused.replace(r#","times":1"#, r#","times":1,"content":[{"type":"text","text":"two"}]"#)
    ));
    let mut agent = stage.new_agent();
    assert!(say(&mut agent, "@@a@@").await.is_done());
    let told = say(&mut agent, "@@b@@").await;
    assert!(told.is_done(), "{:?}", told.finished.ending);
    let sent = stage.sent();
    assert!(sent[1][1].contains("thinking") && !sent[2][1].contains("thinking"), "{sent:?}");
    drop(agent);
    stage.holds();
    assert!(std::fs::read_to_string(stage.file()).unwrap().contains(r#""thinking":"old""#));
}
