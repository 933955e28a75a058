//! Cleans stored blocks before they are sent: old cache marks, lone surrogates, invalid UTF-8.

use std::borrow::Cow;

use annals_json::{ObjectWriter, Value};
use annals_transcript::content::Block;

use super::{Message, Role};

const MARK: &str = "cache_control";
const REPLACEMENT: &[u8] = b"\\ufffd";
/// The length of `\uXXXX`.
const ESCAPE: usize = 6;

/// Returns the block as it can be sent; nearly always the same bytes.
pub(super) fn sendable(block: &[u8]) -> Cow<'_, [u8]> {
    let is_text = std::str::from_utf8(block).is_ok();
    if is_text && memchr::memmem::find(block, b"\\u").is_none() {
        return without_marks(block).map_or(Cow::Borrowed(block), Cow::Owned);
    }
    // Stored sessions may hold invalid UTF-8, which the API refuses.
    let text = String::from_utf8_lossy(block);
    let whole = whole_characters(text.as_bytes());
    Cow::Owned(without_marks(&whole).unwrap_or(whole))
}

/// Returns the blocks of a message without trailing thinking, as a cut response leaves it: the API refuses it. A message of
/// thinking alone stays.
pub(super) fn without_last_thoughts<'m, 'b>(message: &'m Message<'b>) -> &'m [Cow<'b, [u8]>] {
    let is_thinking = |block: &Cow<'_, [u8]>| {
        let block = Value::parse(block).map(Block::new);
        matches!(block, Ok(Block::Thinking(_) | Block::RedactedThinking(_)))
    };
    let last = message.blocks.iter().rposition(|block| !is_thinking(block));
    match last.filter(|_| message.role == Role::Assistant) {
        Some(last) => &message.blocks[..=last],
        None => &message.blocks,
    }
}

/// Removes the cache marks of a block and of its inner blocks; `None` if it has none.
fn without_marks(block: &[u8]) -> Option<Vec<u8>> {
    memchr::memmem::find(block, MARK.as_bytes())?;
    let fields = Value::parse(block).ok()?.fields()?;
    let is_marked = |value: Value<'_>| value.get(MARK).is_some();
    let content = fields.get("content");
    if fields.get(MARK).is_none() && !content.is_some_and(|list| list.items().any(is_marked)) {
        return None;
    }
    let mut out = Vec::with_capacity(block.len());
    let mut object = ObjectWriter::begin(&mut out);
    for field in fields.iter().filter(|field| !field.key.is(MARK)) {
        let place = object.key(&field.key.decode());
        let inner: Vec<_> = match field.key.is("content") {
            true => field
                .value
                .items()
                .map(|item| without_marks(item.raw()).unwrap_or(item.raw().to_vec()))
                .collect(),
            false => vec![],
        };
        if inner.is_empty() {
            place.extend_from_slice(field.value.raw());
        } else {
            place.push(b'[');
            place.extend_from_slice(&inner.join(&b","[..]));
            place.push(b']');
        }
    }
    object.end();
    Some(out)
}

/// Replaces lone surrogate escapes by U+FFFD: JavaScript writes them, the API refuses them.
fn whole_characters(block: &[u8]) -> Vec<u8> {
    let mut out = block.to_vec();
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', block.get(at..).unwrap_or_default()) {
        let here = at + found;
        at = match unit(block, here) {
            Some(0xd800..=0xdbff) if matches!(unit(block, here + ESCAPE), Some(0xdc00..=0xdfff)) => {
                here + 2 * ESCAPE
            }
            Some(0xd800..=0xdfff) => {
                out[here..here + ESCAPE].copy_from_slice(REPLACEMENT);
                here + ESCAPE
            }
            Some(_) => here + ESCAPE,
            None => here + 2,
        };
    }
    out
}

fn unit(block: &[u8], at: usize) -> Option<u16> {
    let digits = block.get(at..at + ESCAPE)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(block: &str, expected: &str) {
        assert_eq!(String::from_utf8_lossy(&sendable(block.as_bytes())), expected);
    }

    #[test]
    fn marks_of_other_requests_go() {
        let mark = r#""cache_control":{"type":"ephemeral"}"#;
        check(&format!(r#"{{"type":"text",{mark},"text":"x"}}"#), r#"{"type":"text","text":"x"}"#);
        check(
            &format!(
                r#"{{"type":"tool_result","content":[{{"type":"text","text":"x",{mark}}},{{"a":1}}],{mark}}}"#
            ),
            r#"{"type":"tool_result","content":[{"type":"text","text":"x"},{"a":1}]}"#,
        );
        let input = r#"{"type":"tool_use","input":{"cache_control":1,"content":"cache_control"}}"#;
        check(input, input);
        let untouched = r#"{ "type" : "text", "text" : "cache_control" }"#;
        assert!(matches!(sendable(untouched.as_bytes()), Cow::Borrowed(_)));
    }

    #[test]
    fn thoughts_at_the_end_of_a_response_go() {
        let [text, thought, sealed] = [
            r#"{"type":"text","text":"x"}"#,
            r#"{"type":"thinking","thinking":"y","signature":"z"}"#,
            r#"{"type":"redacted_thinking","data":"z"}"#,
        ];
        for (role, blocks, left) in [
            (Role::Assistant, vec![thought, text, thought, sealed], 2),
            (Role::Assistant, vec![thought, text], 2),
            (Role::Assistant, vec![thought], 1),
            (Role::User, vec![text, thought], 2),
        ] {
            let blocks = blocks.into_iter().map(|block| Cow::Borrowed(block.as_bytes())).collect();
            assert_eq!(without_last_thoughts(&Message { role, blocks }).len(), left);
        }
    }

    #[test]
    fn bytes_that_are_no_text_go() {
        let sent = sendable(b"{\"text\":\"a\xffb\xc3\"}").into_owned();
        assert_eq!(String::from_utf8(sent).unwrap(), "{\"text\":\"a\u{fffd}b\u{fffd}\"}");
    }

    #[test]
    fn halves_of_characters_go() {
        check(
            r#"{"text":"a\ud83d\ude00\u00e9 \ud83d! \\ud83d \udc00"}"#,
            r#"{"text":"a\ud83d\ude00\u00e9 \ufffd! \\ud83d \ufffd"}"#,
        );
    }
}
