//! Turns a recorded response into stream events.

use annals_json::{ObjectWriter, Value};

use super::recording::{RecordedResponse, text_of};

/// The length of a text delta, in characters.
pub(super) const CHUNK_CHARS: usize = 24;

/// Returns the events of a response, as bytes of a stream.
pub(super) fn events(response: &RecordedResponse) -> Vec<Vec<u8>> {
    let usage = response
        .usage
        .as_deref()
        .filter(|usage| Value::parse(usage).is_ok_and(|usage| usage.fields().is_some()));
    let usage = usage.unwrap_or(br#"{"input_tokens":0,"output_tokens":0}"#);
    let mut events = vec![event("message_start", |object| {
        object.object("message", |message| {
            message.string("id", &response.id).string("type", "message").string("role", "assistant");
            message.string("model", &response.model).raw("content", b"[]").raw("stop_reason", b"null");
            message.raw("usage", usage);
        });
    })];
    for (index, block) in response.blocks.iter().enumerate() {
        block_events(index as u64, block, &mut events);
    }
    let reason = if response.has_calls() { "tool_use" } else { "end_turn" };
    events.push(event("message_delta", |object| {
        object.object("delta", |delta| {
            delta.string("stop_reason", reason).raw("stop_sequence", b"null");
        });
        object.raw("usage", usage);
    }));
    events.push(event("message_stop", |_| {}));
    events
}

fn block_events(index: u64, block: &[u8], events: &mut Vec<Vec<u8>>) {
    let kind = text_of(block, "type");
    // A block starts with the fields that do not grow.
    let (grows, delta) = match kind.as_str() {
        "text" => ("text", "text_delta"),
        "thinking" => ("thinking", "thinking_delta"),
        _ => ("", ""),
    };
    events.push(event("content_block_start", |object| {
        object.number("index", index);
        let place = object.key("content_block");
        match kind.as_str() {
            "text" => place.extend_from_slice(br#"{"type":"text","text":""}"#),
            "thinking" => place.extend_from_slice(br#"{"type":"thinking","thinking":"","signature":""}"#),
            "tool_use" => {
                let mut call = ObjectWriter::begin(place);
                call.string("type", "tool_use").string("id", &text_of(block, "id"));
                call.string("name", &text_of(block, "name")).raw("input", b"{}");
                call.end();
            }
            _ => place.extend_from_slice(block),
        }
    }));
    for piece in pieces(&text_of(block, grows)) {
        events.push(grown(index, delta, grows, &piece));
    }
    if kind == "thinking" {
        events.push(grown(index, "signature_delta", "signature", &text_of(block, "signature")));
    }
    if kind == "tool_use" {
        let input = Value::parse(block).ok().and_then(|block| block.get("input"));
        let input =
            input.map_or_else(|| "{}".to_owned(), |input| String::from_utf8_lossy(input.raw()).into_owned());
        events.push(grown(index, "input_json_delta", "partial_json", &input));
    }
    events.push(event("content_block_stop", |object| {
        object.number("index", index);
    }));
}

fn grown(index: u64, kind: &str, key: &str, text: &str) -> Vec<u8> {
    event("content_block_delta", |object| {
        object.number("index", index).object("delta", |delta| {
            delta.string("type", kind).string(key, text);
        });
    })
}

fn pieces(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    letters.chunks(CHUNK_CHARS).map(|piece| piece.iter().collect()).collect()
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
