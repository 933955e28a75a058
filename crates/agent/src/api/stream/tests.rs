//! Streams as they come, as they should not come, and cut at every byte.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

fn data(json: &str) -> String {
    let name = json.split('"').nth(3).unwrap();
    format!("event: {name}\ndata: {json}\n\n")
}

const START: &str = r#"{"type":"message_start","message":{"id":"msg_1","model":"m","content":[],"usage":{"input_tokens":5,"output_tokens":1}}}"#;
const END: &str = r#"{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":9,"input_tokens":null}}"#;
const STOP: &str = r#"{"type":"message_stop"}"#;

fn opened(index: u64, block: &str) -> String {
    data(&format!(r#"{{"type":"content_block_start","index":{index},"content_block":{block}}}"#))
}

fn delta(index: u64, delta: &str) -> String {
    data(&format!(r#"{{"type":"content_block_delta","index":{index},"delta":{delta}}}"#))
}

fn text_delta(index: u64, raw: &str) -> String {
    delta(index, &format!(r#"{{"type":"text_delta","text":"{raw}"}}"#))
}

fn stopped(index: u64) -> String {
    data(&format!(r#"{{"type":"content_block_stop","index":{index}}}"#))
}

fn text_block(index: u64, raw: &str) -> String {
    [opened(index, r#"{"type":"text","text":""}"#), text_delta(index, raw), stopped(index)].concat()
}

/// A whole message around these parts.
fn message(parts: &[String]) -> String {
    [data(START), parts.concat(), data(END), data(STOP)].concat()
}

type Read = (Vec<StreamEvent>, Result<(), StreamError>);

fn read_pieces<'p>(pieces: impl IntoIterator<Item = &'p [u8]>) -> Read {
    let mut reader = StreamReader::default();
    let mut events = Vec::new();
    for piece in pieces {
        if let Err(fault) = reader.feed(piece, &mut events) {
            return (events, Err(fault));
        }
    }
    let end = reader.end();
    (events, end)
}

fn read(stream: &str) -> Read {
    read_pieces([stream.as_bytes()])
}

fn blocks(events: &[StreamEvent]) -> Vec<String> {
    let done = events.iter().filter_map(|event| match event {
        StreamEvent::BlockDone(block) => Some(String::from_utf8(block.json.clone()).unwrap()),
        _ => None,
    });
    done.collect()
}

/// The blocks of a stream that ends well.
fn whole(parts: &[String]) -> Vec<String> {
    let (events, end) = read(&message(parts));
    assert_eq!(end, Ok(()), "{events:?}");
    blocks(&events)
}

/// The blocks that were done before a stream failed, and why it did.
fn failed(parts: &[String]) -> (Vec<String>, String) {
    let (events, end) = read(&message(parts));
    (blocks(&events), end.unwrap_err().to_string())
}

#[test]
fn a_message_from_start_to_stop() {
    let (events, end) = read(&message(&[text_block(0, "Hi"), data(r#"{"type":"ping"}"#)]));
    assert_eq!(end, Ok(()));
    let said: Vec<String> = events.iter().map(|event| format!("{event:?}")).collect();
    let is = |at: usize, beginning: &str| assert!(said[at].starts_with(beginning), "{at}: {}", said[at]);
    is(0, r#"MessageStart(MessageStart { id: "msg_1", model: "m""#);
    is(1, "BlockStart { index: 0, kind: Text, tool: None }");
    is(2, r#"TextDelta { index: 0, text: "Hi" }"#);
    is(3, "BlockDone(");
    is(4, "Ping");
    let StreamEvent::Usage(usage) = &events[5] else { panic!("{said:?}") };
    assert_eq!((usage.context(), usage.output()), (5, 9));
    let stop = StopInfo { reason: StopReason::EndTurn, sequence: None, details: None };
    assert_eq!((&events[6], events.len()), (&StreamEvent::Stop(stop), 7));
}

#[test]
fn blocks_are_as_they_were_served() {
    let parts = [
        opened(0, r#"{"type":"thinking","thinking":"","signature":""}"#),
        delta(0, r#"{"type":"thinking_delta","thinking":"pl\u00e4n\n"}"#),
        delta(0, r#"{"type":"signature_delta","signature":"Si\/g=="}"#),
        stopped(0),
        opened(1, r#"{"type":"redacted_thinking","data":"AA\u002b="}"#),
        stopped(1),
        opened(2, r#"{"type":"text","text":""}"#),
        // The halves of one character come apart.
        text_delta(2, r"é😀 \ud83d"),
        text_delta(2, r"\ude00 \\"),
        text_delta(2, "x"),
        stopped(2),
        opened(3, r#"{"type":"thinking","thinking":"","signature":""}"#),
        delta(3, r#"{"type":"signature_delta","signature":"only"}"#),
        stopped(3),
    ];
    assert_eq!(
        whole(&parts),
        [
            r#"{"type":"thinking","thinking":"pl\u00e4n\n","signature":"Si\/g=="}"#,
            r#"{"type":"redacted_thinking","data":"AA\u002b="}"#,
            r#"{"type":"text","text":"é😀 \ud83d\ude00 \\x"}"#,
            r#"{"type":"thinking","thinking":"","signature":"only"}"#,
        ]
    );
}

fn call(pieces: &[&str]) -> Vec<StreamEvent> {
    let mut parts = vec![opened(
        0,
        r#"{"type":"tool_use","id":"t","name":"Bash","input":{},"caller":{"type":"direct"}}"#,
    )];
    for piece in pieces {
        parts.push(delta(0, &format!(r#"{{"type":"input_json_delta","partial_json":"{piece}"}}"#)));
    }
    parts.push(stopped(0));
    read(&message(&parts)).0
}

#[test]
fn an_input_is_its_pieces_joined() {
    let json = |pieces: &[&str]| blocks(&call(pieces)).concat();
    let with = |input: &str| {
        format!(
            r#"{{"type":"tool_use","id":"t","name":"Bash","input":{input},"caller":{{"type":"direct"}}}}"#
        )
    };
    assert_eq!(
        json(&["", r#"{\"b\": 1.0, \"a\":"#, r#" \"\\ud83d"#, r#"\\ude00\ud83d"#, r#"\ude00\"}"#]),
        with(r#"{"b": 1.0, "a": "\ud83d\ude00😀"}"#)
    );
    assert_eq!(json(&[]), with("{}"));
    assert_eq!(json(&["", " "]), with("{}"));
}

#[test]
fn an_input_that_is_cut_is_told_and_not_run() {
    let events = call(&[r#"{\"command\":\"rm -r"#]);
    let Some(StreamEvent::BlockDone(block)) =
        events.iter().find(|event| matches!(event, StreamEvent::BlockDone(_)))
    else {
        panic!("{events:?}")
    };
    assert_eq!(block.unreadable_input.as_deref(), Some(r#"{"command":"rm -r"#));
    assert!(String::from_utf8_lossy(&block.json).contains(r#""input":{}"#));
    assert_eq!(block.unreadable_input_json().unwrap(), br#"{"INVALID_JSON":"{\"command\":\"rm -r"}"#);
    assert_eq!((block.text("id"), block.text("none")), ("t".to_owned(), String::new()));
}

#[test]
fn an_input_that_is_no_object_is_never_sent_back() {
    let call =
        |input: &str| opened(0, &format!(r#"{{"type":"tool_use","id":"t","name":"B","input":{input}}}"#));
    let piece = delta(0, r#"{"type":"input_json_delta","partial_json":"[1,2]"}"#);
    for (events, said) in [
        (vec![call("{}"), piece, stopped(0)], "[1,2]"),
        (vec![call("[1,2]"), stopped(0)], "[1,2]"),
        (vec![call("null"), stopped(0)], "null"),
        (vec![call(r#""x""#), stopped(0)], r#""x""#),
    ] {
        assert_eq!(whole(&events), [r#"{"type":"tool_use","id":"t","name":"B","input":{}}"#], "{said}");
        let (taken, _) = read(&message(&events));
        let Some(StreamEvent::BlockDone(block)) =
            taken.iter().find(|event| matches!(event, StreamEvent::BlockDone(_)))
        else {
            panic!("{taken:?}")
        };
        assert_eq!(block.unreadable_input.as_deref(), Some(said));
    }
}

#[test]
fn an_input_that_came_whole_stands_and_one_that_was_cut_does_not() {
    let opening = opened(0, r#"{"type":"tool_use","id":"t","name":"B","input":{"a":1}}"#);
    let piece = delta(0, r#"{"type":"input_json_delta","partial_json":"{\"a"}"#);
    assert_eq!(
        whole(&[opening.clone(), stopped(0)]),
        [r#"{"type":"tool_use","id":"t","name":"B","input":{"a":1}}"#]
    );
    assert_eq!(
        whole(&[opening, piece, stopped(0)]),
        [r#"{"type":"tool_use","id":"t","name":"B","input":{}}"#]
    );
}

#[test]
fn what_is_new_is_carried_or_let_pass() {
    let parts = [
        data(r#"{"type":"weather","sun":1}"#),
        "event: odd\ndata: no json\n\n".to_owned(),
        opened(0, r#"{"type":"hologram","beam":{"a": 1},"text":"so"}"#),
        delta(0, r#"{"type":"hologram_delta","more":1}"#),
        text_delta(0, " far"),
        stopped(0),
        opened(1, r#"{"type":"text","text":"","citations":[{"n":0}]}"#),
        delta(1, r#"{"type":"citations_delta","citation":{"n":1}}"#),
        text_delta(1, "x"),
        stopped(1),
        opened(2, r#"{"type":"text"}"#),
        delta(2, r#"{"type":"citations_delta","citation":{"n":2}}"#),
        text_delta(2, "y"),
        stopped(2),
    ];
    assert_eq!(
        whole(&parts),
        [
            r#"{"type":"hologram","beam":{"a":1},"text":"so far"}"#,
            r#"{"type":"text","text":"x","citations":[{"n":0},{"n":1}]}"#,
            r#"{"type":"text","text":"y","citations":[{"n":2}]}"#,
        ]
    );
    let (events, _) = read(&message(&parts));
    let names: Vec<_> = events.iter().filter(|event| matches!(event, StreamEvent::Unknown(_))).collect();
    let unknown = |name: &str| StreamEvent::Unknown(name.to_owned());
    assert_eq!(names, [&unknown("weather"), &unknown("odd"), &unknown("hologram_delta")]);
}

#[test]
fn events_go_by_the_name_in_their_data_too() {
    let stream = message(&[text_block(0, "x")]);
    let nameless: String =
        stream.lines().filter(|line| !line.starts_with("event")).map(|line| format!("{line}\n")).collect();
    assert_eq!(read(&nameless), read(&stream));
}

#[test]
fn what_can_be_forgiven_is() {
    let gap = whole(&[text_block(7, "a"), text_block(3, "b")]);
    assert_eq!(gap, [r#"{"type":"text","text":"a"}"#, r#"{"type":"text","text":"b"}"#]);
    let late = [text_block(0, "a"), text_delta(0, "late"), stopped(0), text_delta(9, "nobody's"), stopped(9)];
    assert_eq!(whole(&late), [r#"{"type":"text","text":"a"}"#]);
    let after = format!("{}event: error\ndata: nonsense\n\ndata: \u{0}", message(&[text_block(0, "a")]));
    assert_eq!(read(&after).1, Ok(()));
    let mut torn = message(&[text_block(0, "a")]).into_bytes();
    torn.extend_from_slice(b"data: \xff\n\n");
    assert_eq!(read_pieces([torn.as_slice()]).1, Ok(()), "nobody listens after the end");
}

#[test]
fn what_cannot_be_trusted_ends_it_and_keeps_what_was_done() {
    let kept = vec![r#"{"type":"text","text":"a"}"#.to_owned()];
    let after_one = |part: &str| failed(&[text_block(0, "a"), part.to_owned()]);
    let malformed = |event: &str, what: &str| format!("the stream event {event:?} is malformed: {what}");
    for (part, expected) in [
        (data(START), malformed("message_start", "a message has already started")),
        (text_block(0, "again"), malformed("content_block_start", "its index was used before")),
        (opened(1, "{}"), malformed("content_block_start", "it has no block")),
        ("data: {\"type\n\n".to_owned(), malformed("", "its data is not a JSON object")),
        (
            "event: message_delta\ndata: {\"delta\":\u{0}}\n\n".to_owned(),
            malformed("message_delta", "its data is not a JSON object"),
        ),
        (data(r#"{"type":"content_block_stop"}"#), malformed("content_block_stop", "it has no index")),
        (data(STOP), malformed("message_stop", "it has no stop reason")),
        (
            data(r#"{"type":"error","error":{"type":"overloaded_error","message":"busy"}}"#),
            "the API ended the response: busy (overloaded_error)".to_owned(),
        ),
    ] {
        assert_eq!(after_one(&part), (kept.clone(), expected), "{part}");
    }
    let open = [text_block(0, "a"), opened(1, r#"{"type":"text","text":""}"#)];
    assert_eq!(failed(&open), (kept.clone(), malformed("message_stop", "a block is still open")));
    let twice = [r#"{"type":"tool_use","id":"t","name":"A","input":{}}"#; 2];
    let twice = [opened(0, twice[0]), stopped(0), opened(1, twice[1]), stopped(1)];
    let (done, fault) = failed(&twice);
    assert_eq!((done.len(), fault.as_str()), (1, "two tool calls of one response have the id \"t\""));
    assert_eq!(
        read(&text_block(0, "x")).1.unwrap_err().to_string(),
        malformed("content_block_start", "no message has started")
    );
}

#[test]
fn reasons_come_with_their_details() {
    let refusal = r#"{"type":"message_delta","delta":{"stop_reason":"refusal","stop_sequence":null,"stop_details":{"category":"x"}}}"#;
    let (events, end) = read(&[data(START), data(refusal), data(STOP)].concat());
    let Some(StreamEvent::Stop(stop)) = events.last() else { panic!("{events:?}") };
    assert_eq!((end, &stop.reason), (Ok(()), &StopReason::Refusal));
    assert_eq!(stop.details.as_ref().unwrap().raw(), br#"{"category":"x"}"#);
}

#[test]
fn the_end_of_the_bytes_is_an_end_only_after_a_reason() {
    let parts = [data(START), text_block(0, "a")].concat();
    assert_eq!(read(&parts).1, Err(StreamError::Unfinished));
    assert_eq!(read(&(parts.clone() + &data(END))).1, Ok(()), "the reason is told and no block is open");
    let open = opened(1, r#"{"type":"text","text":""}"#);
    assert_eq!(read(&(parts + &open + &data(END))).1, Err(StreamError::Unfinished));
    assert_eq!(read("").1, Err(StreamError::Unfinished));
}

fn sample() -> String {
    let parts = [
        opened(0, r#"{"type":"thinking","thinking":"","signature":""}"#),
        delta(0, r#"{"type":"thinking_delta","thinking":"é"}"#),
        delta(0, r#"{"type":"signature_delta","signature":"s"}"#),
        stopped(0),
        text_block(1, r"é😀\ud83d\ude00"),
        opened(2, r#"{"type":"tool_use","id":"t","name":"Bash","input":{}}"#),
        delta(2, r#"{"type":"input_json_delta","partial_json":"{\"a\":\"😀\"}"}"#),
        stopped(2),
    ];
    message(&parts).replace('\n', "\r\n")
}

#[test]
fn every_split_reads_the_same() {
    let stream = sample();
    let expected = read(&stream);
    assert_eq!((blocks(&expected.0).len(), &expected.1), (3, &Ok(())));
    for at in 0..=stream.len() {
        let (head, tail) = stream.as_bytes().split_at(at);
        assert_eq!(read_pieces([head, tail]), expected, "split at {at}");
    }
    for size in 1..40 {
        assert_eq!(read_pieces(stream.as_bytes().chunks(size)), expected, "pieces of {size}");
    }
}

#[test]
fn a_cut_at_any_byte_loses_no_block_and_repeats_none() {
    let stream = sample();
    let all = read(&stream).0;
    for at in 0..stream.len() {
        let (events, end) = read_pieces([&stream.as_bytes()[..at]]);
        assert_eq!(events[..], all[..events.len()], "cut at {at}");
        let is_done = events.iter().any(|event| matches!(event, StreamEvent::Stop(_)));
        assert_eq!(end, if is_done { Ok(()) } else { Err(StreamError::Unfinished) }, "cut at {at}");
    }
}

/// The sample with parts of it removed, repeated, moved or overwritten.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let cut = (0..3_u8, any::<proptest::sample::Index>(), 0..200_usize, any::<u8>());
    vec(cut, 1..6).prop_map(|cuts| {
        let mut stream = sample().into_bytes();
        for (kind, place, length, byte) in cuts {
            let from = place.index(stream.len());
            let to = (from + length).min(stream.len());
            match kind {
                0 => drop(stream.drain(from..to)),
                1 => stream.splice(from..from, stream[from..to].to_vec()).for_each(drop),
                _ => stream[from] = byte,
            }
            if stream.is_empty() {
                stream.push(byte);
            }
        }
        stream
    })
}

proptest! {
    #[test]
    fn damage_is_an_end_or_an_error_and_pieces_do_not_matter(stream in damaged(), size in 1..50_usize) {
        let read = read_pieces([stream.as_slice()]);
        prop_assert_eq!(&read_pieces(stream.chunks(size)), &read);
        for event in &read.0 {
            if let StreamEvent::BlockDone(block) = event {
                prop_assert!(annals_json::RawJson::parse(&block.json).is_ok());
                prop_assert!(std::str::from_utf8(&block.json).is_ok());
            }
        }
    }
}
