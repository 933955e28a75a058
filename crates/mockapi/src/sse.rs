//! A message as a stream of server-sent events, in the order and the portions in which the API sends them.

use annals_json::{ObjectWriter, Value};

use super::message::{AssistantMessage, kind_of};

/// Text arrives in portions of about this many characters.
const PORTION: usize = 24;
/// And in no more portions than about this.
const MAX_PORTIONS: usize = 64;

/// The events of a message, each ready to be written.
pub(super) fn events(message: &AssistantMessage) -> Vec<Vec<u8>> {
    let mut events = vec![event("message_start", |object| {
        object.raw("message", &message.opening());
    })];
    for (index, block) in message.content.iter().enumerate() {
        let (opening, deltas) = unfold(block);
        events.push(event("content_block_start", |object| {
            object.number("index", index as u64).raw("content_block", &opening);
        }));
        if index == 0 {
            events.push(event("ping", |_| {}));
        }
        for (kind, key, text) in deltas {
            events.push(event("content_block_delta", |object| {
                object.number("index", index as u64).object("delta", |delta| {
                    delta.string("type", kind).string(key, &text);
                });
            }));
        }
        events.push(event("content_block_stop", |object| {
            object.number("index", index as u64);
        }));
    }
    events.push(event("message_delta", |object| {
        object.object("delta", |delta| {
            delta.string("stop_reason", &message.stop_reason).raw("stop_sequence", b"null");
        });
        object.object("usage", |usage| {
            for (key, value) in &message.usage {
                usage.raw(key, value);
            }
        });
    }));
    events.push(event("message_stop", |_| {}));
    events
}

fn event(name: &str, fill: impl FnOnce(&mut ObjectWriter<'_>)) -> Vec<u8> {
    let mut out = format!("event: {name}\ndata: ").into_bytes();
    let mut object = ObjectWriter::begin(&mut out);
    object.string("type", name);
    fill(&mut object);
    object.end();
    out.extend_from_slice(b"\n\n");
    out
}

type Delta = (&'static str, &'static str, String);

/// How a block opens, and the deltas that fill it: (type, key, text).
fn unfold(block: &[u8]) -> (Vec<u8>, Vec<Delta>) {
    let Some(fields) = Value::parse(block).ok().and_then(Value::fields) else {
        return (block.to_vec(), vec![]);
    };
    let text = |key: &str| fields.text(key).map_or_else(String::new, |text| text.to_string());
    let kind = kind_of(block);
    let (emptied, deltas): (&[(&str, &[u8])], Vec<Delta>) = match kind.as_str() {
        "text" => (&[("text", b"\"\"")], portions(&text("text"), "text_delta", "text")),
        "thinking" => {
            let mut deltas = portions(&text("thinking"), "thinking_delta", "thinking");
            deltas.push(("signature_delta", "signature", text("signature")));
            (&[("thinking", b"\"\""), ("signature", b"\"\"")], deltas)
        }
        "tool_use" => {
            // The first portion is empty, and an empty input is never sent at all.
            let mut deltas: Vec<Delta> = vec![("input_json_delta", "partial_json", String::new())];
            let input = fields.get("input").map_or(&b"{}"[..], Value::raw);
            if input != b"{}" {
                deltas.extend(portions(&String::from_utf8_lossy(input), "input_json_delta", "partial_json"));
            }
            (&[("input", b"{}")], deltas)
        }
        _ => (&[], vec![]),
    };
    let mut opening = Vec::new();
    let mut object = ObjectWriter::begin(&mut opening);
    for field in fields.iter() {
        let empty = emptied.iter().find(|(key, _)| field.key.is(key));
        object.raw(&field.key.decode(), empty.map_or(field.value.raw(), |(_, value)| value));
    }
    object.end();
    (opening, deltas)
}

fn portions(text: &str, kind: &'static str, key: &'static str) -> Vec<Delta> {
    let letters: Vec<char> = text.chars().collect();
    let size = PORTION.max(letters.len() / MAX_PORTIONS);
    letters.chunks(size).map(|portion| (kind, key, portion.iter().collect())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(blocks: &[&str]) -> Vec<String> {
        let message = AssistantMessage {
            id: "msg_1".into(),
            model: "m".into(),
            content: blocks.iter().map(|block| block.as_bytes().to_vec()).collect(),
            stop_reason: "end_turn".into(),
            usage: vec![("output_tokens".into(), b"9".to_vec())],
        };
        events(&message).into_iter().map(|event| String::from_utf8(event).unwrap()).collect()
    }

    #[test]
    fn events_come_in_the_order_of_the_api() {
        let events = stream(&[r#"{"type":"text","text":"Hallo, schöne Welt: 😀 und noch mehr Text."}"#]);
        let names: Vec<_> = events.iter().map(|event| event.lines().next().unwrap()).collect();
        assert_eq!(
            names,
            [
                "event: message_start",
                "event: content_block_start",
                "event: ping",
                "event: content_block_delta",
                "event: content_block_delta",
                "event: content_block_stop",
                "event: message_delta",
                "event: message_stop",
            ]
        );
        assert!(
            events[0].contains(r#""content":[],"stop_reason":null"#)
                && events[0].contains(r#""output_tokens":1"#)
        );
        assert!(events[1].contains(r#""content_block":{"type":"text","text":""}"#));
        assert!(
            events[6].contains(r#""stop_reason":"end_turn""#) && events[6].contains(r#""output_tokens":9"#)
        );
        assert!(events.iter().all(|event| event.ends_with("}\n\n")));
    }

    #[test]
    fn tool_input_and_signatures_come_as_deltas() {
        let events = stream(&[
            r#"{"type":"thinking","thinking":"","signature":"S"}"#,
            r#"{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}"#,
            r#"{"type":"tool_use","id":"u","name":"Bash","input":{}}"#,
            r#"{"type":"redacted_thinking","data":"D"}"#,
        ]);
        let all = events.concat();
        assert!(all.contains(r#""delta":{"type":"signature_delta","signature":"S"}"#));
        assert!(all.contains(r#""content_block":{"type":"tool_use","id":"t","name":"Bash","input":{}}"#));
        assert!(all.contains(r#"{"type":"input_json_delta","partial_json":"{\"command\":\"ls\"}"}"#));
        assert_eq!(all.matches(r#""partial_json":"""#).count(), 2);
        assert!(all.contains(r#""content_block":{"type":"redacted_thinking","data":"D"}"#));
        assert!(!all.contains("thinking_delta"), "an empty thinking has no text to send");
    }
}
