//! Messages of JSON-RPC, for both sides of a connection: how they are written and split.

use crate::{ObjectWriter, RawJson, Value, ValueKind, object};

/// The error code of something that is not JSON.
pub const PARSE_ERROR: i32 = -32700;
/// The error code of a message that is no request.
pub const INVALID_REQUEST: i32 = -32600;
/// The error code of a method that is not known.
pub const METHOD_NOT_FOUND: i32 = -32601;
/// The error code of parameters that a method does not take.
pub const INVALID_PARAMS: i32 = -32602;

/// Writes the answer to a request.
pub fn answer(id: &RawJson, fill: impl FnOnce(&mut ObjectWriter<'_>)) -> Vec<u8> {
    object(|message| {
        message.string("jsonrpc", "2.0").raw("id", id.raw()).object("result", fill);
    })
}

/// Writes that a request is refused.
pub fn refusal(id: &RawJson, code: i32, why: &str) -> Vec<u8> {
    object(|message| {
        message.string("jsonrpc", "2.0").raw("id", id.raw()).object("error", |error| {
            error.number("code", code).string("message", why);
        });
    })
}

/// Splits what came into messages: one, or a batch. Empty if it is not JSON.
pub fn split(bytes: &[u8]) -> Vec<Vec<u8>> {
    match Value::parse(bytes) {
        Ok(value) if value.kind() == ValueKind::Array => {
            value.items().map(|item| item.raw().to_vec()).collect()
        }
        Ok(value) if value.kind() == ValueKind::Object => vec![value.raw().to_vec()],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_split() {
        assert_eq!(split(br#"[{"id":1},{"id":2}]"#).len(), 2);
        assert!(split(b"hello").is_empty() && split(b"7").is_empty());
    }
}
