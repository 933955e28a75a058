//! Tools of MCP servers as handlers: the text that a tool answers with is what a command would print.

use std::time::Instant;

use annals_json::{ArrayWriter, ObjectWriter, RawJson, Value, ValueKind};

use crate::hooks::{HookCall, HookFault, HookFuture, HookHandler, HookOutput, HookReply, OutputKind};
use crate::mcp::{McpServers, McpStatus, ToolAnswer};

pub(super) struct ServerToolHook {
    server: String,
    tool: String,
    /// The input before it is filled in: JSON.
    input: Vec<u8>,
    name: String,
    servers: McpServers,
}

impl ServerToolHook {
    pub(super) fn new(server: String, tool: String, input: Vec<u8>, servers: McpServers) -> Self {
        let name = format!("{server}/{tool}");
        Self { server, tool, input, name, servers }
    }

    async fn call(&self, call: HookCall<'_>) -> HookReply {
        let server = self.servers.named(&self.server);
        let is_running = server.is_some_and(|server| server.state().status == McpStatus::Connected);
        let Some(server) = server.filter(|_| is_running) else {
            let why = format!("MCP server {:?} is not connected", self.server);
            return HookReply::not_reached(why, OutputKind::ServerTool);
        };
        if server.state().tool_names().all(|name| name != self.tool) {
            let why = format!("MCP server {:?} has no tool {:?}", self.server, self.tool);
            return HookReply::not_reached(why, OutputKind::ServerTool);
        }
        let told = Value::parse(call.input).ok();
        let input = filled(Value::from_checked(&self.input), told);
        let began = Instant::now();
        match server.answer_of(&self.tool, &input, call.tool_use.unwrap_or_default()).await {
            Ok(ToolAnswer { text, is_error: false }) => {
                HookReply::of_server_tool(call.event, text, began.elapsed())
            }
            Ok(ToolAnswer { text, is_error: true }) => failed(text),
            Err(why) => failed(why.to_string()),
        }
    }
}

/// A tool that ran and failed stops nothing, as in the original.
fn failed(why: String) -> HookReply {
    let output = HookOutput { code: 1, kind: OutputKind::ServerTool, ..HookOutput::default() };
    HookReply { output: Some(output), fault: Some(HookFault::NonBlocking(why)), ..HookReply::default() }
}

impl HookHandler for ServerToolHook {
    fn name(&self) -> &str {
        &self.name
    }

    fn identity(&self) -> Option<String> {
        Some(format!("mcp_tool {} {}", self.name, String::from_utf8_lossy(&self.input)))
    }

    fn run<'h>(&'h self, call: HookCall<'h>) -> HookFuture<'h> {
        Box::pin(async move { Ok(self.call(call).await) })
    }
}

/// Returns a value in which `${a.b}` in texts is that value of what happened: nothing if there is none.
fn filled(value: Value<'_>, told: Option<Value<'_>>) -> Vec<u8> {
    let mut json = Vec::new();
    match value.kind() {
        ValueKind::String => {
            let text = value.text().map(|text| text.to_string()).unwrap_or_default();
            json.extend_from_slice(RawJson::string(&filled_text(&text, told)).raw());
        }
        ValueKind::Object => {
            let mut object = ObjectWriter::begin(&mut json);
            for field in value.fields().iter().flat_map(|fields| fields.iter()) {
                object.raw(&field.key.to_string(), &filled(field.value, told));
            }
            object.end();
        }
        ValueKind::Array => {
            let mut list = ArrayWriter::begin(&mut json);
            for item in value.items() {
                list.item().extend_from_slice(&filled(item, told));
            }
            list.end();
        }
        _ => json.extend_from_slice(value.raw()),
    }
    json
}

fn filled_text(text: &str, told: Option<Value<'_>>) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("${") {
        let Some((path, left)) = after.split_once('}') else { break };
        out.push_str(before);
        let found = told.and_then(|told| path.split('.').try_fold(told, |value, key| value.get(key)));
        out.push_str(&found.map(shown).unwrap_or_default());
        rest = left;
    }
    out.push_str(rest);
    out
}

fn shown(value: Value<'_>) -> String {
    match value.text() {
        Some(text) => text.to_string(),
        None => String::from_utf8_lossy(value.raw()).into_owned(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test has nobody to hand an error to")]
mod tests {
    use super::*;

    #[test]
    fn texts_are_filled_in_and_what_is_filled_in_is_not_read_again() {
        let told = br#"{"tool_input":{"command":"echo ${session_id} \"x\""},"session_id":"s","n":{"a":[1]}}"#;
        let input = br#"{"a":"${tool_input.command}|${none.x}|${n}","b":["${session_id}",1],"c":"${open"}"#;
        let filled = filled(Value::from_checked(input), Value::parse(told).ok());
        let expected = r#"{"a":"echo ${session_id} \"x\"||{\"a\":[1]}","b":["s",1],"c":"${open"}"#;
        assert_eq!(String::from_utf8(filled).unwrap(), expected);
    }
}
