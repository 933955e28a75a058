//! A stream split and cut at each of its bytes, over real connections.

use annals_testkit::api::signature;

use super::Talk;

/// Short, with characters of two and four bytes, a pair of escapes, and both line ends.
fn stream() -> Vec<u8> {
    let mut stream = format!(
        r#"event: message_start
data: {{"type":"message_start","message":{{"id":"m","model":"c","usage":{{"input_tokens":1}}}}}}

data: {{"type":"content_block_start","index":0,"content_block":{{"type":"thinking","thinking":"","signature":"{}"}}}}

data: {{"type":"content_block_stop","index":0}}

data: {{"type":"content_block_start","index":1,"content_block":{{"type":"text","text":""}}}}

data: {{"type":"content_block_delta","index":1,"delta":{{"type":"text_delta","text":"é😀\ud83d\ude00"}}}}

data: {{"type":"content_block_stop","index":1}}

"#,
        signature("")
    );
    let rest = r#"data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"t","name":"B","input":{}}}

data: {"type":"content_block_stop","index":2}

data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":2}}

data: {"type":"message_stop"}

"#;
    stream.push_str(&rest.replace('\n', "\r\n"));
    stream.into_bytes()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn blocks() -> Vec<String> {
    vec![
        format!(r#"{{"type":"thinking","thinking":"","signature":"{}"}}"#, signature("")),
        r#"{"type":"text","text":"é😀\ud83d\ude00"}"#.to_owned(),
        r#"{"type":"tool_use","id":"t","name":"B","input":{}}"#.to_owned(),
    ]
}

/// A script with a step for each place; the pieces are given as they are to be played.
fn script(play: impl Fn(&[u8], &[u8]) -> String, times: &str) -> String {
    let stream = stream();
    let steps = (1..stream.len()).map(|at| {
        let (head, tail) = stream.split_at(at);
        format!(r#""at{at}":[{{"content":[],"play":["head",{}]{times}}}]"#, play(head, tail))
    });
    format!("{{{}}}", steps.collect::<Vec<_>>().join(","))
}

#[tokio::test]
async fn every_split_gives_the_same_answer() {
    let talk = Talk::new(&script(
        |head, tail| format!(r#"{{"hex":"{}"}},{{"hex":"{}"}},"end""#, hex(head), hex(tail)),
        "",
    ));
    for at in 1..stream().len() {
        let told = talk.ask(&format!("at{at}")).await;
        assert_eq!((told.stop(), told.blocks()), ("tool_use", blocks()), "split at {at}");
        assert_eq!(told.answer().usage.output(), 2);
    }
    assert_eq!(talk.requests().len(), stream().len() - 1);
}

#[tokio::test]
async fn a_cut_at_every_byte_loses_nothing_and_repeats_nothing() {
    // The second try goes well: it gets the usual line of text.
    let talk = Talk::new(&script(|head, _| format!(r#"{{"hex":"{}"}}"#, hex(head)), r#","times":1"#));
    let whole = stream();
    let place = |words: &str| whole.windows(words.len()).position(|bytes| bytes == words.as_bytes()).unwrap();
    // A block stands with the empty line after its stop.
    let text_stands =
        place(r#""content_block_stop","index":1"#) + r#""content_block_stop","index":1}"#.len() + 2;
    let call_stands =
        place(r#""content_block_stop","index":2"#) + r#""content_block_stop","index":2}"#.len() + 3;
    let reason_told = place(r#""output_tokens":2}}"#) + r#""output_tokens":2}}"#.len() + 3;
    for at in 1..whole.len() {
        let told = talk.ask(&format!("at{at}")).await;
        let retries = told.retries().len();
        let expected = match at {
            at if at < text_stands => (vec![r#"{"type":"text","text":"a scripted reply"}"#.to_owned()], 1),
            at if at < call_stands => (blocks()[..2].to_vec(), 0),
            _ => (blocks(), 0),
        };
        assert_eq!((told.blocks(), retries), expected, "cut at {at}");
        if at < text_stands || at >= reason_told {
            told.stop();
        } else {
            assert!(!told.breach().is_empty());
        }
    }
}
