//! Cache marks: where the API may cut a conversation into what it remembers.
//!
//! One stands at the end of the system prompt (which the tools stand before), one at the end of the conversation, one
//! where the request before this one ended: what was remembered then is found even if more blocks have come since than
//! the API looks back over.

use annals_json::Value;

use super::{Caching, Message, Role};

impl Caching {
    /// What a mark says.
    pub(super) fn mark(self) -> Option<&'static str> {
        match self {
            Self::Off => None,
            Self::Minutes => Some(r#"{"type":"ephemeral"}"#),
            Self::Hour => Some(r#"{"type":"ephemeral","ttl":"1h"}"#),
        }
    }
}

/// The blocks that get a mark: number of the message and place of the block in it.
pub(super) fn places(messages: &[Message<'_>]) -> Vec<(usize, usize)> {
    let last = messages.len().checked_sub(1);
    // A request ends with what the user says, and an assistant has answered it since.
    let answer = messages.iter().rposition(|message| message.role == Role::Assistant);
    let before = answer.and_then(|answer| {
        let said = messages[..answer].iter().rposition(|message| message.role == Role::User);
        said.filter(|said| Some(*said) != last)
    });
    let both = before.into_iter().chain(last);
    both.filter_map(|number| Some((number, markable(&messages[number])?))).collect()
}

/// The last block of a message that can have a mark.
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
