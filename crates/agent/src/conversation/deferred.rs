//! Calls that a hook has left until the session is resumed, as the session records them.

use annals_json::{Fields, Value};
use annals_store::session::AppendError;

use super::{Conversation, SessionState};
use crate::protocol::DeferredCall;

impl Conversation<'_> {
    /// Returns the calls at the end that have no result because a hook has left them for later.
    pub(crate) fn deferred_calls(&mut self) -> Result<Vec<DeferredCall>, AppendError> {
        self.mark_stale();
        self.messages()?;
        let SessionState::Open(backend) = &self.state else { return Ok(Vec::new()) };
        if self.open_calls.is_empty() {
            return Ok(Vec::new());
        }
        let bytes = backend.tail()?;
        let mut calls: Vec<DeferredCall> = Vec::new();
        for line in bytes.split(|byte| *byte == b'\n') {
            let attachment = Value::parse(line).ok().and_then(Value::fields);
            let call = attachment.and_then(|line| read(&line.object("attachment")?));
            let is_known = |call: &DeferredCall| calls.iter().any(|known| known.id == call.id);
            if let Some(call) = call.filter(|call| self.open_calls.contains(&call.id) && !is_known(call)) {
                calls.push(call);
            }
        }
        Ok(calls)
    }
}

fn read(attachment: &Fields<'_>) -> Option<DeferredCall> {
    attachment.text("type").filter(|kind| kind.is("hook_deferred_tool"))?;
    Some(DeferredCall {
        id: attachment.text("toolUseID")?.to_string(),
        tool: attachment.text("toolName")?.to_string(),
        input: attachment.get("toolInput")?.raw().to_vec(),
    })
}
