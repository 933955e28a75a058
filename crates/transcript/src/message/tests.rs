//! Messages of odd records and back, and what is said where there is no way back.

use super::*;
use crate::transcript::Transcript;
use annals_json::{Fields, Value};

fn all(file: &str) -> Vec<Message> {
    let transcript = Transcript::parse(file.as_bytes());
    messages(&transcript, transcript.indices())
}

fn one(line: &str) -> Message {
    let mut found = all(line);
    assert_eq!(found.len(), 1, "{line}");
    found.remove(0)
}

fn json(message: &Message) -> String {
    let mut out = Vec::new();
    message.write(&mut out);
    String::from_utf8(out).unwrap()
}

fn parse(json: &str) -> Result<Message, MessageError> {
    let (fields, length) = Fields::scan(json.as_bytes()).unwrap();
    assert_eq!(length, json.len());
    Message::parse(&fields)
}

/// What the message's JSON form restores to.
fn restored(message: &Message) -> Vec<String> {
    let again = parse(&json(message)).unwrap();
    assert_eq!(&again, message);
    again.restore().unwrap().into_iter().map(|line| String::from_utf8(line).unwrap()).collect()
}

#[test]
fn a_message_says_what_a_program_asks_for() {
    let line = r#"{"parentUuid":null,"type":"user","uuid":"u1","timestamp":"2026-01-01T00:00:00Z","isMeta":true,"message":{"role":"user","content":"hello"}}"#;
    let message = one(line);
    assert_eq!((message.role, message.text().as_str()), (MessageRole::User, "hello"));
    assert_eq!(
        json(&message),
        r#"{"role":"user","content":"hello","timestamp":"2026-01-01T00:00:00Z","uuid":"u1","parentUuid":null,"records":[{"blocks":1,"omitted":["content","timestamp"],"record":{"parentUuid":null,"type":"user","uuid":"u1","timestamp":null,"isMeta":true,"message":{"role":"user","content":null}}}]}"#
    );
    assert_eq!(restored(&message), [line]);
}

#[test]
fn a_response_is_one_message_and_each_line_keeps_what_differs() {
    let line = |uuid: &str, block: &str, stop: &str, output: u32| {
        format!(
            r#"{{"type":"assistant","uuid":"{uuid}","parentUuid":"p{uuid}","requestId":"r","timestamp":"2026-01-01T00:00:0{output}Z","message":{{"id":"m","model":"x","content":[{block}],"stop_reason":{stop},"usage":{{"output_tokens":{output}}}}}}}"#
        )
    };
    let lines = [
        line("a", r#"{"type":"thinking","thinking":"hm","signature":"s"}"#, "null", 1),
        line("b", r#"{"type":"text","text":"so"}"#, "null", 1),
        line(
            "c",
            r#"{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}"#,
            r#""tool_use""#,
            7,
        ),
    ];
    let result = r#"{"type":"user","uuid":"d","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"x","is_error":true}]}}"#;
    let file = format!("{}\n{}\n{result}\n{}\n", lines[0], lines[1], lines[2]);
    let found = all(&file);
    assert_eq!(found.len(), 2);
    let message = &found[0];
    assert_eq!(message.text(), "so");
    assert_eq!(message.thinking().count(), 1);
    let calls: Vec<_> = message
        .tool_calls()
        .map(|call| (call.id().unwrap().to_string(), call.name().unwrap().to_string()))
        .collect();
    assert_eq!(calls, [("t".to_owned(), "Bash".to_owned())]);
    let ids = [&message.id, &message.request_id, &message.uuid, &message.parent_uuid, &message.stop_reason];
    assert_eq!(
        ids.map(|id| id.as_ref().unwrap().value().text().unwrap().to_string()),
        ["m", "r", "c", "pa", "tool_use"]
    );
    assert_eq!(message.usage.as_ref().unwrap().raw(), br#"{"output_tokens":7}"#);
    use MessageField::{Content, Model, StopReason, Timestamp, Usage};
    let omitted: Vec<_> = message.records.iter().map(RecordTemplate::omitted).collect();
    assert_eq!(
        omitted,
        [
            &[Content, Model, Timestamp][..],
            &[Content, Model, Timestamp],
            &[Content, Model, Usage, StopReason]
        ]
    );
    assert_eq!(restored(message), lines);
    let answered: Vec<_> = found[1]
        .tool_results()
        .map(|result| (result.tool_use().unwrap().is("t"), result.is_error()))
        .collect();
    assert_eq!(answered, [(true, Some(true))]);
}

#[test]
fn notices_and_attachments_speak_for_the_system() {
    let system = r#"{"type":"system","uuid":"a","content":"Conversation compacted","timestamp":"t"}"#;
    let silent = r#"{"type":"system","uuid":"b","subtype":"turn_duration","durationMs":5}"#;
    let rendered = r#"{"type":"attachment","uuid":"c","attachment":{"type":"date"},"rendered":"Today"}"#;
    let plain = r#"{"type":"attachment","uuid":"d","attachment":{"type":"date"}}"#;
    let side = r#"{"type":"tag","tag":"x","uuid":"e"}"#;
    let progress = r#"{"type":"progress","uuid":"f","data":{}}"#;
    let found = all(&[system, silent, rendered, plain, side, progress].join("\n"));
    assert!(found.iter().all(|message| message.role == MessageRole::System));
    assert_eq!(
        found.iter().map(Message::text).collect::<Vec<_>>(),
        ["Conversation compacted", "", "Today", ""]
    );
    let again: Vec<_> = found.iter().flat_map(restored).collect();
    assert_eq!(again, [system, silent, rendered, plain]);
}

#[test]
fn odd_records_come_back_byte_for_byte() {
    for line in [
        // White space between parts.
        r#"{ "type" : "user" , "message" : { "content" : [ { "type" : "text" , "text" : "a  b" } ] } , "timestamp":"t" }"#,
        // Keys that repeat, keys that are spelled with escapes.
        r#"{"type":"user","timestamp":"one","message":{"content":"x"},"message":{"content":1,"content":"y"},"timestamp":"two"}"#,
        r#"{"type":"user","\u0074imestamp":"one","message":{"c\u006fntent":"\u0041"}}"#,
        // Lone surrogates, odd escapes.
        r#"{"type":"user","message":{"content":"\ud83d \/ \u00e9"},"timestamp":"\u0032026"}"#,
        // Content that no message can say.
        r#"{"type":"user","message":{"content":null}}"#,
        r#"{"type":"user","message":{"content":{"type":"text"}}}"#,
        r#"{"type":"user","message":{"content":[1,{"type":"text","text":"a"},[],{"no":"type"}]}}"#,
        r#"{"type":"user","message":{}}"#,
        r#"{"type":"user","message":"words"}"#,
        r#"{"type":"user"}"#,
        r#"{"type":"user","message":{"content":""}}"#,
        r#"{"type":"user","message":{"content":[]}}"#,
        // Values of another type than usual.
        r#"{"type":"assistant","uuid":5,"parentUuid":7,"timestamp":9,"requestId":{},"message":{"id":3,"model":1,"usage":[],"stop_reason":false,"content":"text"}}"#,
        r#"{"type":"assistant","message":{"model":"m","usage":{ "output_tokens":1.0 },"content":[]}}"#,
        r#"{"type":"system","content":["a"]}"#,
    ] {
        assert_eq!(restored(&one(line)), [line]);
    }
}

#[test]
fn strings_among_the_lines_of_a_response_are_blocks_and_stay_strings() {
    let lines = [
        r#"{"type":"assistant","message":{"id":"m","content":"words"}}"#,
        r#"{"type":"assistant","message":{"id":"m","content":null}}"#,
        r#"{"type":"assistant","message":{"id":"m","content":[ {"type":"text","text":"more"} ]}}"#,
    ];
    let mut message = one(&lines.join("\n"));
    assert_eq!(message.text(), "words\n\nmore");
    assert_eq!(restored(&message), lines);
    let MessageContent::Blocks(blocks) = &mut message.content else { panic!("blocks") };
    blocks[1] = RawJson::parse(br#"{"type":"text","text":"less"}"#).unwrap();
    assert_eq!(restored(&message)[..2], lines[..2]);
    assert_eq!(restored(&message)[2], lines[2].replace("more", "less"));
}

#[test]
fn changed_content_is_put_in_its_place() {
    let spaced = r#"{"type":"user","message":{"content":[ {"type":"text","text":"a"} , {"type":"text","text":"b"} ]},"x":1}"#;
    let mut message = one(spaced);
    let MessageContent::Blocks(blocks) = &mut message.content else { panic!("blocks") };
    blocks[1] = RawJson::parse(br#"{"type":"image"}"#).unwrap();
    assert_eq!(restored(&message), [spaced.replace(r#"{"type":"text","text":"b"}"#, r#"{"type":"image"}"#)]);

    let string = r#"{"type":"user","message":{"content":"old"}}"#;
    let mut message = one(string);
    message.content = MessageContent::text("new");
    assert_eq!(restored(&message), [string.replace("old", "new")]);
    message.content = MessageContent::Blocks(vec![RawJson::parse(br#"{"type":"image"}"#).unwrap()]);
    assert_eq!(restored(&message), [string.replace(r#""old""#, r#"[{"type":"image"}]"#)]);
}

#[test]
fn metadata_is_set_on_the_record() {
    let line = r#"{"type":"user","isMeta":false,"message":{"content":"x"}}"#;
    let mut message = one(line);
    message.metadata = Some(RawJson::parse(br#"{"isMeta":true,"toolUseResult":{"a":1}}"#).unwrap());
    assert_eq!(
        restored(&message),
        [r#"{"type":"user","isMeta":true,"message":{"content":"x"},"toolUseResult":{"a":1}}"#]
    );
}

#[test]
fn what_cannot_be_restored_is_said() {
    let line = r#"{"type":"user","timestamp":"t","message":{"content":[{"type":"text","text":"a"}]}}"#;
    let fault = |change: fn(&mut Message)| {
        let mut message = one(line);
        change(&mut message);
        message.restore().unwrap_err()
    };
    let two = fault(|message| {
        let MessageContent::Blocks(blocks) = &mut message.content else { panic!("blocks") };
        blocks.push(blocks[0].clone());
    });
    assert_eq!(two, MessageError::BlockCount { records: 1, content: 2 });
    assert_eq!(two.to_string(), "content: has 2 blocks, and the records that it came from have 1");
    let gone = fault(|message| message.timestamp = None);
    assert_eq!(gone, MessageError::Missing { at: 0, part: MessageField::Timestamp });
    assert_eq!(
        fault(|message| message.role = MessageRole::System),
        MessageError::OtherRole { at: 0, role: MessageRole::System }
    );
    assert_eq!(fault(|message| message.records.clear()), MessageError::NoRecords);
    let twice = fault(|message| message.metadata = Some(RawJson::parse(br#"{"timestamp":"z"}"#).unwrap()));
    assert!(matches!(twice, MessageError::Edit { at: 0, .. }), "{twice:?}");
}

#[test]
fn the_json_form_keeps_what_it_does_not_know() {
    let text = r#"{"role":"assistant","content":[{"type":"text","text":"x"}],"model":"m","parentUuid":null,"metadata":{"b":1,"a":2},"from":[1,2],"\ud800":null}"#;
    let message = parse(text).unwrap();
    assert_eq!(json(&message), text);
    let keys: Vec<_> = message.metadata_fields().unwrap().iter().map(|field| field.key.to_string()).collect();
    assert_eq!(keys, ["b", "a"]);
    assert_eq!(message.parent_uuid.as_ref().map(RawJson::raw), Some(b"null".as_slice()));
    assert_eq!(parse(r#"{"role":"user","content":"x","model":null}"#).unwrap().model, None);
}

#[test]
fn what_is_no_message_is_refused_by_field() {
    let refused =
        |json: &str, expected: &str| assert_eq!(parse(json).unwrap_err().to_string(), expected, "{json}");
    refused(r#"{"content":"x"}"#, r#"role: must be "user", "assistant" or "system""#);
    refused(
        r#"{"role":"tool","content":"x"}"#,
        r#"role: must be "user", "assistant" or "system", not "tool""#,
    );
    refused(r#"{"role":"user"}"#, "content: must be a string or an array of blocks");
    refused(
        r#"{"role":"user","content":{"type":"text"}}"#,
        "content: must be a string or an array of blocks",
    );
    refused(r#"{"role":"user","content":[{"type":"text"},"x"]}"#, "content.1: must be an object with a type");
    refused(r#"{"role":"user","content":[{"type":3}]}"#, "content.0: must be an object with a type");
    refused(r#"{"role":"user","content":"x","usage":3}"#, "usage: must be an object");
    refused(r#"{"role":"user","content":"x","timestamp":3}"#, "timestamp: must be a string");
    refused(r#"{"role":"user","content":"x","records":{}}"#, "records: must be an array");
    refused(
        r#"{"role":"user","content":"x","records":[{"record":{},"blocks":-1,"omitted":[]}]}"#,
        "records.0.blocks: must be a whole number",
    );
    refused(
        r#"{"role":"user","content":"x","records":[{"record":{},"blocks":1,"omitted":["uuid"]}]}"#,
        "records.0.omitted: must be names of values that a message has",
    );
}

#[test]
fn a_shell_that_was_spread_over_lines_is_one_line_again() {
    let form = "{\"role\":\"user\",\"content\":\"x\",\"records\":[{\"blocks\":1,\"omitted\":[\"content\"],\"record\":{\n \"type\": \"user\",\n \"message\": {\"content\": null}\n}}]}";
    let lines = parse(form).unwrap().restore().unwrap();
    assert_eq!(lines, [br#"{"type":"user","message":{"content":"x"}}"#]);
    assert!(Value::parse(&lines[0]).is_ok());
}
