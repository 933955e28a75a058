//! Cache marks: the positions up to which the API caches a request.
//!
//! One is at the end of the system prompt (after the tools), one at the end of the conversation, one at the end of the
//! previous request: its cache entry is found even if more blocks have come since than the API looks back.

use annals_json::Value;

use super::{Message, PromptCaching, Role};

impl PromptCaching {
    /// Returns the JSON of a mark.
    pub(super) fn mark(self) -> Option<&'static str> {
        match self {
            Self::Off => None,
            Self::Minutes => Some(r#"{"type":"ephemeral"}"#),
            Self::Hour => Some(r#"{"type":"ephemeral","ttl":"1h"}"#),
        }
    }
}

/// Returns the blocks that get a mark, as message index and block index.
pub(super) fn places(messages: &[Message<'_>]) -> Vec<(usize, usize)> {
    let last = messages.len().checked_sub(1);
    // A request ends with a user message, and the assistant has answered it since.
    let answer = messages.iter().rposition(|message| message.role == Role::Assistant);
    let before = answer.and_then(|answer| {
        let said = messages[..answer].iter().rposition(|message| message.role == Role::User);
        said.filter(|said| Some(*said) != last)
    });
    let both = before.into_iter().chain(last);
    both.filter_map(|number| Some((number, markable(&messages[number])?))).collect()
}

/// Returns the last block of a message that may have a mark.
fn markable(message: &Message<'_>) -> Option<usize> {
    message.blocks.iter().rposition(|block| {
        let Some(fields) = Value::parse(block).ok().and_then(Value::fields) else { return false };
        let kind = fields.text("type");
        let is = |name: &str| kind.is_some_and(|kind| kind.is(name));
        let says_nothing = || fields.text("text").is_none_or(|text| text.decode().trim().is_empty());
        let refuses = is("thinking") || is("redacted_thinking") || (is("text") && says_nothing());
        !refuses
    })
}

/// Writes a block that is a JSON object, with or without a mark at its end.
pub(super) fn write(out: &mut Vec<u8>, block: &[u8], mark: Option<&str>) {
    let inside = block.strip_suffix(b"}");
    let (Some(mark), Some(inside)) = (mark, inside) else {
        out.extend_from_slice(block);
        return;
    };
    out.extend_from_slice(inside);
    if inside.trim_ascii() != b"{" {
        out.push(b',');
    }
    out.extend_from_slice(b"\"cache_control\":");
    out.extend_from_slice(mark.as_bytes());
    out.push(b'}');
}
