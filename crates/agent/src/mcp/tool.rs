//! A tool of an MCP server, as the model calls it: `mcp__SERVER__TOOL`.

use std::sync::Arc;

use annals_json::{Fields, Value, ValueKind, object};

use super::content;
use super::server::McpServer;
use crate::api::request::ToolSpec;
use crate::tools::{CallContext, CallOrder, InputError, Outcome, Tool, ToolFuture, ToolRequest};

/// The longest name that the API accepts.
const MAX_NAME: usize = 128;
/// The longest description that is passed on, in characters.
const MAX_DESCRIPTION: usize = 2048;

/// The definition of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ToolDefinition {
    /// The name that the server gave it.
    pub(super) name: String,
    /// The name for the model.
    pub(super) full_name: String,
    /// The definition for the model: JSON.
    json: Vec<u8>,
    /// Whether the server says that it changes nothing.
    is_read_only: bool,
}

impl ToolDefinition {
    /// Reads the definition of a server; an error says why the tool cannot be used.
    pub(super) fn read(server: &str, tool: Value<'_>) -> Result<Self, String> {
        let text = |key: &str| tool.get(key).and_then(Value::text).map(|text| text.to_string());
        let name = text("name").filter(|name| !name.is_empty()).ok_or("a tool without a name")?;
        let full_name = format!("mcp__{}__{}", plain(server), plain(&name));
        if full_name.len() > MAX_NAME {
            return Err(format!("{full_name}: the name is too long"));
        }
        let schema = tool.get("inputSchema").filter(|schema| schema.kind() == ValueKind::Object);
        let schema = schema.ok_or_else(|| format!("{full_name}: it has no input schema"))?;
        let is_object = schema.get("type").and_then(Value::text).is_some_and(|kind| kind.is("object"));
        if !is_object {
            return Err(format!("{full_name}: its input is not an object"));
        }
        let about: String = text("description").unwrap_or_default().chars().take(MAX_DESCRIPTION).collect();
        let json = object(|spec| {
            spec.string("name", &full_name).string("description", &about).raw("input_schema", schema.raw());
        });
        let hint = tool.get("annotations").and_then(|hints| hints.get("readOnlyHint"));
        Ok(Self { name, full_name, json, is_read_only: hint.and_then(Value::boolean) == Some(true) })
    }
}

/// Returns a name in which only letters, digits, `_` and `-` are left: the API accepts no others.
fn plain(name: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    name.chars().map(|letter| if is_plain(letter) { letter } else { '_' }).collect()
}

/// A tool of a server.
#[derive(Debug)]
pub struct McpTool {
    server: Arc<McpServer>,
    tool: ToolDefinition,
}

impl McpTool {
    pub(super) fn new(server: Arc<McpServer>, tool: ToolDefinition) -> Self {
        Self { server, tool }
    }
}

impl Tool for McpTool {
    fn spec(&self) -> ToolSpec {
        ToolSpec { name: self.tool.full_name.clone(), json: self.tool.json.clone() }
    }

    fn order(&self) -> CallOrder {
        if self.tool.is_read_only { CallOrder::Parallel } else { CallOrder::Sequential }
    }

    fn call(&self, _: &Fields<'_>) -> Result<ToolRequest, InputError> {
        Ok(ToolRequest::Mcp(self.tool.full_name.clone()))
    }

    fn run<'t>(&'t self, input: &'t [u8], _: &'t CallContext<'t>) -> ToolFuture<'t> {
        Box::pin(async move {
            let called = self.server.request("tools/call", |params| {
                params.string("name", &self.tool.name).raw("arguments", input);
            });
            match called.await {
                Ok(result) => content::outcome(&result),
                Err(error) => Outcome::failed(error.to_string(), &error.to_string()),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<ToolDefinition, String> {
        ToolDefinition::read("my calc", Value::parse(json.as_bytes()).unwrap())
    }

    #[test]
    fn a_bad_tool_is_left_out_with_a_reason() {
        for bad in [
            "{}",
            r#"{"name":""}"#,
            r#"{"name":"a"}"#,
            r#"{"name":"a","inputSchema":[]}"#,
            r#"{"name":"a","inputSchema":{"type":"string"}}"#,
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
        let long = format!(r#"{{"name":"{}","inputSchema":{{"type":"object"}}}}"#, "n".repeat(200));
        assert!(read(&long).is_err());
        let tool =
            read(r#"{"name":"a.b","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}"#);
        let tool = tool.unwrap();
        assert_eq!((tool.full_name.as_str(), tool.is_read_only), ("mcp__my_calc__a_b", true));
    }
}
