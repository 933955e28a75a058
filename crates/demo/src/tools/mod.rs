//! Tool calls with their results, in the shapes that the client gives them.

pub(crate) mod agents;
pub(crate) mod files;
pub(crate) mod lists;
pub(crate) mod recorded;
pub(crate) mod search;
pub(crate) mod shell;

use crate::json;
use crate::turn::ToolCall;

/// A call that fails: the model reads `message`, the result repeats it.
pub(crate) fn failed(name: &str, input: Vec<u8>, message: &str) -> ToolCall {
    ToolCall {
        name: name.to_owned(),
        input,
        content: json::string(message),
        error: Some(true),
        result: json::string(&format!("Error: {message}")),
        ..ToolCall::default()
    }
}

/// A call that the person does not allow.
pub(crate) fn denied(name: &str, input: Vec<u8>) -> ToolCall {
    let message = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
    ToolCall { result: json::string("User rejected tool use"), ..failed(name, input, message) }
}
