//! Removes pictures and documents from messages, for a summary that would be too large with them.

use annals_json::{ObjectWriter, Value};

use super::text_block;
use crate::conversation::ApiMessage;

/// Replaces pictures and documents by placeholders; `None` if there are none.
pub(super) fn without_pictures(messages: &[ApiMessage]) -> Option<Vec<ApiMessage>> {
    let mut count = 0_usize;
    let without = |message: &ApiMessage| ApiMessage {
        role: message.role,
        blocks: message.blocks.iter().map(|block| without(block, &mut count)).collect(),
    };
    let messages = messages.iter().map(without).collect();
    (count > 0).then_some(messages)
}

fn without(block: &[u8], count: &mut usize) -> Vec<u8> {
    let Some(fields) = Value::parse(block).ok().and_then(Value::fields) else { return block.to_vec() };
    let is = |word: &str| fields.text("type").is_some_and(|kind| kind.is(word));
    if is("image") || is("document") {
        *count += 1;
        return text_block(if is("image") { "[a picture]" } else { "[a document]" });
    }
    let before = *count;
    let mut out = Vec::new();
    let mut object = ObjectWriter::begin(&mut out);
    for field in fields.iter() {
        let key = field.key.decode();
        if is("tool_result") && key == "content" && field.value.raw().starts_with(b"[") {
            object.array(&key, |list| {
                for inner in field.value.items() {
                    list.item().extend_from_slice(&without(inner.raw(), count));
                }
            });
        } else {
            object.raw(&key, field.value.raw());
        }
    }
    object.end();
    // Blocks without pictures keep their bytes.
    if *count == before { block.to_vec() } else { out }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::request::Role;

    fn said(blocks: &[&str]) -> ApiMessage {
        ApiMessage {
            role: Role::User,
            blocks: blocks.iter().map(|block| block.as_bytes().to_vec()).collect(),
        }
    }

    #[test]
    fn pictures_become_words_and_all_else_stays() {
        let text = r#"{"type":"text", "text":"\u0061"}"#;
        let result = r#"{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"a"},{"type":"image","source":{}}],"is_error":false}"#;
        let found = without_pictures(&[said(&[text, r#"{"type":"document","source":{}}"#]), said(&[result])])
            .unwrap();
        assert_eq!(found[0], said(&[text, r#"{"type":"text","text":"[a document]"}"#]));
        let result = r#"{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"a"},{"type":"text","text":"[a picture]"}],"is_error":false}"#;
        assert_eq!(found[1], said(&[result]));
        assert_eq!(without_pictures(&[said(&[text, r#"{"type":"tool_result","content":"image"}"#])]), None);
    }
}
