//! Messages of JSON-RPC: how they are written and told apart.

use annals_json::{ObjectWriter, Value, object};

pub(super) use annals_json::rpc::{METHOD_NOT_FOUND, answer, refusal, split};

use super::server::McpError;

/// Writes a request.
pub(super) fn request(id: u64, method: &str, fill: impl FnOnce(&mut ObjectWriter<'_>)) -> Vec<u8> {
    object(|message| {
        message.string("jsonrpc", "2.0").number("id", id).string("method", method).object("params", fill);
    })
}

/// Writes a notification.
pub(super) fn notification(method: &str, fill: impl FnOnce(&mut ObjectWriter<'_>)) -> Vec<u8> {
    object(|message| {
        message.string("jsonrpc", "2.0").string("method", method).object("params", fill);
    })
}

/// Returns the id of a request of ours that a message answers.
pub(super) fn answered(message: &[u8]) -> Option<u64> {
    let fields = Value::parse(message).ok()?.fields()?;
    fields.get("id").filter(|_| fields.get("method").is_none())?.count()
}

/// Returns the id of a request of ours; `None` for a notification.
pub(super) fn id(message: &[u8]) -> Option<u64> {
    Value::parse(message).ok()?.get("id")?.count()
}

/// Returns the result of an answer: JSON.
pub(super) fn result(answer: &[u8]) -> Result<Vec<u8>, McpError> {
    let answer = Value::parse(answer).map_err(|_| McpError::Malformed("it is not JSON"))?;
    if let Some(error) = answer.get("error").filter(|error| !error.is_null()) {
        let message = error.get("message").and_then(Value::text).map(|text| text.to_string());
        return Err(McpError::Server(message.unwrap_or_else(|| "an error without a message".to_owned())));
    }
    let result = answer.get("result").ok_or(McpError::Malformed("it has neither result nor error"))?;
    Ok(result.raw().to_vec())
}

/// Returns a text of a JSON object.
pub(super) fn text(value: Value<'_>, key: &str) -> Option<String> {
    value.get(key)?.text().map(|text| text.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_told_from_requests() {
        assert_eq!(answered(br#"{"jsonrpc":"2.0","id":7,"result":{}}"#), Some(7));
        assert_eq!(answered(br#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#), None);
        assert_eq!(answered(br#"{"jsonrpc":"2.0","id":"7","result":{}}"#), None);
        assert_eq!(answered(b"7"), None);
    }

    #[test]
    fn an_error_is_what_the_server_says() {
        assert_eq!(result(br#"{"result":{"a":1}}"#), Ok(br#"{"a":1}"#.to_vec()));
        assert_eq!(result(br#"{"error":{"code":1,"message":"no"}}"#), Err(McpError::Server("no".to_owned())));
        assert!(matches!(result(b"{}"), Err(McpError::Malformed(_))));
        assert!(matches!(result(b"x"), Err(McpError::Malformed(_))));
    }
}
