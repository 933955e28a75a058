//! Unusual streams, and responses with every stop reason.

use annals_agent::api::stream::BlockKind;

use super::Talk;

fn quoted(text: &str) -> String {
    let mut out = Vec::new();
    annals_json::write_string(&mut out, text);
    String::from_utf8(out).unwrap()
}

/// A stream of these bytes.
fn playing(stream: &str) -> Talk {
    Talk::step(&format!(r#"{{"content":[],"play":["head",{{"text":{}}},"end"]}}"#, quoted(stream)))
}

const START: &str = r#"data: {"type":"message_start","message":{"id":"msg_1","model":"m","usage":{"input_tokens":3}}}

"#;
const TEXT: &str = r#"data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"one"}}

data: {"type":"content_block_stop","index":0}

"#;
const END: &str = r#"data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}

data: {"type":"message_stop"}

"#;

#[tokio::test]
async fn oddities_that_are_allowed() {
    let strange = [
        "\u{feff}".to_owned() + START + TEXT + END,
        format!(": hello\n\n{START}id: 7\nretry: 1\n{TEXT}event: news\ndata: nothing\n\n{END}"),
        format!("{START}{TEXT}{END}").replace('\n', "\r\n"),
        format!("{START}{TEXT}{END}").replace('\n', "\r"),
        format!("{START}{TEXT}{END}").replace("data: {", "data: {\ndata:"),
        format!(
            "{START}{TEXT}{}{END}",
            r#"data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"late"}}
"#
            .to_owned()
                + "\n"
        ),
    ];
    for stream in strange {
        let told = playing(&stream).ask("a").await;
        assert_eq!(told.stop(), "end_turn", "{stream:?}");
        assert_eq!(told.blocks(), [r#"{"type":"text","text":"one"}"#], "{stream:?}");
    }
}

#[tokio::test]
async fn oddities_that_are_not() {
    for (odd, kept) in [
        (format!("{START}{TEXT}{START}{END}"), 1),
        (format!("{START}{TEXT}{TEXT}{END}"), 1),
        (format!("{START}{TEXT}data: {{\"type\":\n\n{END}"), 1),
        (format!("{START}{TEXT}data: \0\n\n{END}"), 1),
    ] {
        let talk = playing(&odd);
        let told = talk.ask("a").await;
        assert_eq!((told.blocks().len(), talk.requests().len()), (kept, 1), "{odd:?}: {}", told.breach());
    }
    let talk = playing(&format!("{TEXT}{END}"));
    let told = talk.ask("a").await;
    assert!(told.result.is_err() && told.blocks().is_empty());
    assert_eq!(talk.requests().len(), 3, "what makes no sense is asked for twice more");
}

#[tokio::test]
async fn ten_megabytes_in_one_line() {
    let open = r#"data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":""#;
    let close = "\"}}\n\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n";
    let parts = format!(
        r#""head",{{"text":{}}},{{"filler":10485760}},{{"text":{}}},"end""#,
        quoted(&format!("{START}{open}")),
        quoted(&format!("{close}{END}"))
    );
    let talk = Talk::step(&format!(r#"{{"content":[],"play":[{parts}]}}"#));
    let told = talk.ask("a").await;
    assert_eq!((told.stop(), told.blocks()[0].len()), ("end_turn", (10 << 20) + 25));
}

#[tokio::test]
async fn bytes_that_are_no_text_keep_what_stands() {
    let parts = format!(
        r#""head",{{"text":{}}},{{"hex":"646174613a20ff0a0a"}},"stall""#,
        quoted(&format!("{START}{TEXT}"))
    );
    let talk = Talk::step(&format!(r#"{{"content":[],"play":[{parts}]}}"#));
    let told = talk.ask("a").await;
    assert_eq!((told.blocks().len(), talk.requests().len()), (1, 1));
    assert!(told.breach().contains("is not UTF-8"), "{}", told.breach());
}

#[tokio::test]
async fn a_call_that_is_cut_is_marked() {
    let cut = r#"data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"Bash","input":{}}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"command\":\"rm -rf /ho"}}

data: {"type":"content_block_stop","index":0}

"#;
    let end = END.replace("end_turn", "max_tokens");
    let told = playing(&format!("{START}{cut}{end}")).ask("a").await;
    assert_eq!(told.stop(), "max_tokens");
    let block = &told.answer().blocks[0];
    assert_eq!(block.kind, BlockKind::ToolUse);
    assert_eq!(block.unreadable_input.as_deref(), Some(r#"{"command":"rm -rf /ho"#));
    assert_eq!(told.blocks(), [r#"{"type":"tool_use","id":"t","name":"Bash","input":{}}"#]);
}

#[tokio::test]
async fn two_calls_of_one_id_are_one_call() {
    let call = r#"{"type":"tool_use","id":"toolu_1","name":"Bash","input":{}}"#;
    let talk = Talk::step(&format!(r#"{{"content":[{call},{call}]}}"#));
    let told = talk.ask("a").await;
    assert_eq!((told.blocks(), talk.requests().len()), (vec![call.to_owned()], 1));
    assert_eq!(told.breach(), "two tool calls of one response have the id \"toolu_1\"");
}

#[tokio::test]
async fn every_reason_is_told() {
    for reason in [
        "pause_turn",
        "refusal",
        "model_context_window_exceeded",
        "stop_sequence",
        "max_tokens",
        "a_newer_one",
    ] {
        let talk =
            Talk::step(&format!(r#"{{"content":[{{"type":"text","text":"x"}}],"stop_reason":"{reason}"}}"#));
        let told = talk.ask("a").await;
        assert_eq!((told.stop(), told.blocks().len(), talk.requests().len()), (reason, 1, 1));
    }
}
