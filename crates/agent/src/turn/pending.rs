//! Tool calls without a result.

use annals_json::Value;

use crate::api::stream::Block;
use crate::protocol::DeferredCall;

/// A tool call without a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PendingCall {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) input: Vec<u8>,
    /// Why the call must not run.
    pub(super) not_run_reason: Option<String>,
}

impl PendingCall {
    /// Reads the call from a block of a response.
    pub(super) fn from_block(block: &Block) -> Self {
        let input = Value::parse(&block.json).ok().and_then(|value| value.get("input"));
        let not_run_reason = block.unreadable_input_json().map(|json| {
            let shown = String::from_utf8_lossy(&json).into_owned();
            format!("The input of this call is not a JSON object, so it was not run: {shown}")
        });
        Self {
            id: block.text("id"),
            name: block.text("name"),
            input: input.map_or_else(|| b"{}".to_vec(), |input| input.raw().to_vec()),
            not_run_reason,
        }
    }

    /// Makes a call that has waited until now.
    pub(super) fn from_deferred(call: DeferredCall) -> Self {
        Self { id: call.id, name: call.tool, input: call.input, not_run_reason: None }
    }

    /// Makes a call for a custom command.
    pub(super) fn from_command(id: String, tool: &str, input: Vec<u8>) -> Self {
        Self { id, name: tool.to_owned(), input, not_run_reason: None }
    }

    /// Marks the call so that it does not run.
    pub(super) fn not_run_because(self, why: &str) -> Self {
        Self { not_run_reason: Some(self.not_run_reason.unwrap_or_else(|| why.to_owned())), ..self }
    }
}
