//! Broken streams: the request is sent again only if nothing was received yet.

use std::time::Duration;

use annals_agent::api::call::{CallError, CallProgress, Caller};
use annals_agent::api::retry::GiveUpReason;

use super::{Still, Talk, request};

/// Events: 0 start · 1–5 thinking · 6–8 text · 9–12 call · 13 reason · 14 stop.
const CONTENT: &str = r#""content":[{"type":"thinking","thinking":"plän"},{"type":"text","text":"Hallo 😀"},
    {"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"ls"}}]"#;
const TEXT: &str = r#"{"type":"text","text":"Hallo 😀"}"#;
/// Longer than a busy machine keeps a server from answering.
const SHORT: Duration = Duration::from_secs(2);
const CALL: &str = r#"{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"ls"}}"#;

fn step(parts: &str, times: &str) -> Talk {
    Talk::step(&format!(r#"{{{CONTENT},"play":[{parts}]{times}}}"#))
}

#[tokio::test]
async fn a_reset_before_anything_stands_is_tried_again() {
    for parts in [
        r#""reset""#,
        r#""head","reset""#,
        r#""head",{"bytes":[0,40]},"reset""#,
        r#""head",{"events":[0,1]},{"wait_ms":200},"reset""#,
        r#""head",{"events":[0,1]}"#,
        r#""head",{"events":[0,1]},"end""#,
        r#""head","end""#,
        "",
    ] {
        let talk = step(parts, r#","times":2"#);
        let told = talk.ask("a").await;
        assert_eq!(told.stop(), "tool_use", "{parts}");
        assert_eq!((told.blocks().len(), told.retries().len(), talk.requests().len()), (3, 2, 3), "{parts}");
        let attempts: Vec<_> =
            told.retries().iter().map(|retry| (retry.attempt, retry.max_retries)).collect();
        assert_eq!(attempts, [(1, 10), (2, 10)], "{parts}");
        let bodies: Vec<_> = talk.requests().into_iter().map(|request| request.body).collect();
        assert!(bodies.windows(2).all(|pair| pair[0] == pair[1]), "the same request each time");
    }
}

#[tokio::test]
async fn there_is_an_end_to_trying() {
    let talk = step(r#""reset""#, "");
    let told = talk.ask("a").await;
    let Err(CallError::Failed { why: GiveUpReason::Attempts, retries: 10, failure }) = &told.result else {
        panic!("{:?}", told.result)
    };
    assert!(failure.to_string().contains("127.0.0.1"), "{failure}");
    assert_eq!((told.retries().len(), talk.requests().len()), (10, 11));
}

#[tokio::test]
async fn a_cut_inside_thinking_is_tried_again() {
    let talk = step(r#""head",{"events":[0,4]}"#, r#","times":3"#);
    let told = talk.ask("a").await;
    assert_eq!((told.stop(), told.blocks().len(), talk.requests().len()), ("tool_use", 3, 4));
    assert!(told.has_restarted(), "what was shown is void");
}

#[tokio::test]
async fn thinking_alone_is_given_two_quick_tries_and_never_kept_twice() {
    let talk = step(r#""head",{"events":[0,6]}"#, r#","times":2"#);
    let told = talk.ask("a").await;
    let blocks = told.blocks();
    assert_eq!((told.stop(), blocks.len(), talk.requests().len()), ("tool_use", 3, 3));
    assert!(blocks[0].contains("plän") && blocks[1..] == [TEXT, CALL], "{blocks:?}");
    let talk = step(r#""head",{"events":[0,6]}"#, "");
    let told = talk.ask("a").await;
    assert!(matches!(told.result, Err(CallError::Failed { why: GiveUpReason::Attempts, retries: 2, .. })));
    assert_eq!((told.blocks().len(), talk.requests().len()), (0, 3), "no thoughts without an answer");
}

#[tokio::test]
async fn a_cut_inside_the_second_block_keeps_the_first() {
    for end in ["", r#","reset""#, r#",{"hex":"646174613a20ff0a"},"stall""#] {
        let two = r#""content":[{"type":"text","text":"one"},{"type":"text","text":"two"}]"#;
        // 0 start · 1–4 the first, a ping among them · 5 the second opens · 6 its text.
        let talk =
            Talk::step(&format!(r#"{{{two},"play":["head",{{"events":[0,7]}},{{"wait_ms":200}}{end}]}}"#));
        let told = talk.ask("a").await;
        assert_eq!(told.blocks(), [r#"{"type":"text","text":"one"}"#], "{end}: {}", told.breach());
        assert_eq!((talk.requests().len(), told.retries().len()), (1, 0), "{end}");
        assert!(!told.has_restarted());
    }
}

#[tokio::test]
async fn a_cut_after_a_call_is_not_asked_again() {
    let talk = step(r#""head",{"events":[0,13]}"#, "");
    let told = talk.ask("a").await;
    let blocks = told.blocks();
    assert_eq!((blocks.len(), &blocks[2][..], talk.requests().len()), (3, CALL, 1));
    assert!(!told.breach().is_empty() && told.answer().usage.context() == 10);
    assert_eq!(told.answer().head.request.as_deref(), Some("req_scripted_0000"));
}

#[tokio::test]
async fn the_end_of_the_bytes_after_a_reason_is_the_end() {
    for end in ["", r#","end""#, r#",{"wait_ms":200},"reset""#] {
        let talk = step(&format!(r#""head",{{"events":[0,14]}}{end}"#), "");
        let told = talk.ask("a").await;
        assert_eq!((told.stop(), told.blocks().len(), talk.requests().len()), ("tool_use", 3, 1), "{end}");
        assert_eq!(told.answer().usage.output(), 20);
    }
}

const OVERLOADED: &str = r#"{"text":"event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"busy\"}}\n\n"},"stall""#;

#[tokio::test]
async fn an_error_event_ends_it_though_the_connection_stays() {
    let talk = step(&format!(r#""head",{OVERLOADED}"#), r#","times":2"#);
    let told = talk.ask("a").await;
    assert_eq!((told.stop(), told.blocks().len(), talk.requests().len()), ("tool_use", 3, 3));
    assert!(told.retries()[0].failure.is_overload());
    let talk = step(&format!(r#""head",{{"events":[0,8]}},{OVERLOADED}"#), r#","times":1"#);
    let told = talk.ask("a").await;
    assert_eq!((told.stop(), talk.requests().len()), ("tool_use", 2), "the text was not whole");
    let talk = step(&format!(r#""head",{{"events":[0,9]}},{OVERLOADED}"#), "");
    let told = talk.ask("a").await;
    assert_eq!((told.blocks().len(), talk.requests().len()), (2, 1), "the text was whole");
    assert_eq!(told.breach(), "the API ended the response: busy (overloaded_error)");
    let talk = step(&format!(r#""head",{{"events":[0,13]}},{OVERLOADED}"#), "");
    let told = talk.ask("a").await;
    assert_eq!((told.blocks().len(), talk.requests().len()), (3, 1));
}

#[tokio::test]
async fn silence_is_noticed() {
    let mut talk = step(r#""head",{"events":[0,9]},"stall""#, "");
    talk.retry.idle = SHORT;
    let told = talk.ask("a").await;
    assert_eq!((told.blocks().len(), told.breach().as_str()), (2, "no data for 2 seconds"));
    let mut talk = step(r#""stall""#, r#","times":1"#);
    talk.retry.idle = SHORT;
    let told = talk.ask("a").await;
    assert_eq!((told.stop(), told.retries().len()), ("tool_use", 1));
}

#[tokio::test]
async fn a_call_that_is_dropped_is_gone() {
    let talk = Talk::new(&format!(
        r#"{{"a":[{{{CONTENT},"play":["head",{{"events":[0,9]}},"stall"]}}],"b":[{{{CONTENT}}}]}}"#
    ));
    let (mut stands, asked) = (false, request("@@a@@"));
    let caller = Caller { transport: &talk.client, clock: &Still, retry: talk.retry.clone() };
    let mut report = |told| stands |= matches!(told, CallProgress::Block(_));
    let dropped = tokio::time::timeout(SHORT, caller.call(&asked, &mut report)).await;
    assert!(dropped.is_err() && stands);
    let told = talk.ask("b").await;
    assert_eq!((told.stop(), told.blocks().len(), talk.requests().len()), ("tool_use", 3, 2));
}

#[tokio::test]
async fn what_is_shown_comes_before_what_stands() {
    let talk = Talk::step(&format!("{{{CONTENT}}}"));
    let told = talk.ask("a").await;
    assert!(matches!(told.progress[0], CallProgress::Opened(_)));
    let place =
        |wanted: &str| told.progress.iter().position(|told| format!("{told:?}").starts_with(wanted)).unwrap();
    assert!(place("Event(ThinkingDelta") < place("Block(Block { index: 0"));
    assert!(place("Event(TextDelta { index: 1, text: \"Hallo 😀\"") < place("Block(Block { index: 0"));
    assert!(place("Block(Block { index: 0") < place("Block(Block { index: 1"));
}
