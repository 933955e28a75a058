//! What a tool of a server answers, as content blocks for the model.

use annals_json::{ArrayWriter, Value, object};

use crate::tools::{Outcome, ToolContent};

/// The most characters of an answer that the model sees.
const MAX_CHARS: usize = 100_000;

/// Returns the outcome of a call by the result of the server.
pub(super) fn outcome(result: &[u8]) -> Outcome {
    let Ok(result) = Value::parse(result) else {
        return Outcome::failed("the server's answer is not JSON", "the server's answer is not JSON");
    };
    let mut room = MAX_CHARS;
    let content = result.get("content");
    let mut blocks: Vec<Vec<u8>> =
        content.into_iter().flat_map(Value::items).map(|block| to_block(block, &mut room)).collect();
    if let Some(structured) = result.get("structuredContent").filter(|_| blocks.is_empty()) {
        blocks.push(text_block(&String::from_utf8_lossy(structured.raw()), &mut room));
    }
    let mut kept = Vec::new();
    let mut list = ArrayWriter::begin(&mut kept);
    for block in &blocks {
        list.item().extend_from_slice(block);
    }
    list.end();
    if result.get("isError").and_then(Value::boolean) == Some(true) {
        let text = |block: &Vec<u8>| Some(Value::parse(block).ok()?.get("text")?.text()?.to_string());
        let words = blocks.iter().filter_map(text).collect::<Vec<_>>().join("\n");
        return Outcome::failed(words.clone(), &words);
    }
    let shown = match blocks.is_empty() {
        true => ToolContent::Text("(no content)".to_owned()),
        false => ToolContent::Blocks(blocks),
    };
    Outcome { shown, is_error: false, kept, changed: Vec::new() }
}

fn to_block(block: Value<'_>, room: &mut usize) -> Vec<u8> {
    let text =
        |value: Value<'_>, key: &str| value.get(key).and_then(Value::text).map(|text| text.to_string());
    let resource = block.get("resource");
    match text(block, "type").unwrap_or_default().as_str() {
        "text" => text_block(&text(block, "text").unwrap_or_default(), room),
        "image" => {
            let (data, kind) = (text(block, "data"), text(block, "mimeType"));
            let (Some(data), Some(kind)) = (data, kind) else {
                return text_block("[an image without data]", room);
            };
            object(|image| {
                image.string("type", "image").object("source", |source| {
                    source.string("type", "base64").string("media_type", &kind).string("data", &data);
                });
            })
        }
        "resource" => {
            let uri = resource.and_then(|resource| text(resource, "uri")).unwrap_or_default();
            let words = resource.and_then(|resource| text(resource, "text"));
            let words = words.unwrap_or_else(|| "[its content is not text]".to_owned());
            text_block(&format!("[resource {uri}]\n{words}"), room)
        }
        "resource_link" => {
            let uri = text(block, "uri").unwrap_or_default();
            text_block(&format!("[resource {uri}]"), room)
        }
        other => text_block(&format!("[content of type {other:?} is not supported]"), room),
    }
}

/// The API refuses an empty text, and a long one would fill the context.
fn text_block(text: &str, room: &mut usize) -> Vec<u8> {
    let length = text.chars().count();
    let shown = match text.char_indices().nth(*room) {
        Some((end, _)) => format!("{}\n[cut: {length} characters]", &text[..end]),
        None if text.is_empty() => "(empty)".to_owned(),
        None => text.to_owned(),
    };
    *room = room.saturating_sub(length);
    object(|block| {
        block.string("type", "text").string("text", &shown);
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_become_blocks() {
        let json =
            br#"{"content":[{"type":"text","text":"5"},{"type":"image","data":"QQ==","mimeType":"image/png"},
            {"type":"resource","resource":{"uri":"u","text":"t"}},{"type":"audio"}]}"#;
        let outcome = outcome(json);
        let ToolContent::Blocks(blocks) = &outcome.shown else { panic!("{outcome:?}") };
        assert_eq!(blocks[0], br#"{"type":"text","text":"5"}"#);
        assert!(!outcome.is_error && blocks.len() == 4);
        assert!(String::from_utf8_lossy(&blocks[3]).contains("not supported"));
        let failed = super::outcome(br#"{"content":[{"type":"text","text":"broken"}],"isError":true}"#);
        assert_eq!(failed, Outcome::failed("broken", "broken"));
    }

    #[test]
    fn an_answer_that_is_too_long_is_cut() {
        let long = format!(r#"{{"content":[{{"type":"text","text":"{}"}}]}}"#, "x".repeat(MAX_CHARS + 1));
        let ToolContent::Blocks(blocks) = outcome(long.as_bytes()).shown else { panic!("no blocks") };
        assert!(blocks[0].len() < MAX_CHARS + 100);
        assert_eq!(outcome(b"{}").shown, ToolContent::Text("(no content)".to_owned()));
    }
}
